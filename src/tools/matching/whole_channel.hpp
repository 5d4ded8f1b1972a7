// One channel of which all ends are known: how --match whole of clc-filter matches it, found anew.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Of n sends and m receives, time and memory proportional to min(n, m) (|n - m| + 17), at most 2^24.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "clc/time.hpp"

namespace clc::matching {

struct WholeEnd {
  Time time;  ///< the latest of its process so far
  std::uint64_t bytes = 0;
};

/// The numbers of a send and the receive that belongs to it.
using WholePair = std::pair<std::size_t, std::size_t>;

struct WholeMatch {
  std::vector<WholePair> pairs;  ///< in order
  std::int64_t gain = 0;         ///< over first in, first out, in halves of a jump
};

/// None: the channel is left to the other rule. only_alike: ends of different bytes never belong together.
/// clocks_go_on: those of both processes, as far as is known.
[[nodiscard]] std::optional<WholeMatch> match_whole(const std::vector<WholeEnd>& sends,
                                                    const std::vector<WholeEnd>& receives, bool only_alike = false,
                                                    bool clocks_go_on = false);

}  // namespace clc::matching
