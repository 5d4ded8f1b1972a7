// One channel of which all ends are known: how --match whole of clc-filter matches it, found anew.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Of n sends and m receives, time and memory proportional to min(n, m) (|n - m| + 17), up to 2^20. Of more,
//          parts of 512 ends are matched, each in time and memory proportional to 512 w: of the first, w is
//          |n - m| + 17, of the others 2 d + 17 and more where clocks were set, if 512 ends lack d on average; at most
//          2^15.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "clc/time.hpp"

namespace clc::matching {

struct WholeEnd {
  Time time;  ///< the latest of its process so far
  std::uint64_t bytes = 0;
  std::uint32_t turn = 0;  ///< 0: unknown on this side
};

/// The numbers of a send and the receive that belongs to it.
using WholePair = std::pair<std::size_t, std::size_t>;

struct WholeMatch {
  std::vector<WholePair> pairs;  ///< in order
  std::int64_t gain = 0;         ///< over first in, first out, in halves of a jump
  std::int64_t cost = 0;         ///< in 64ths of half a jump
  std::int64_t chance = 0;       ///< so much less may another one cost by chance, in the same units
};

/// Half the upper median of the times between the ends of a side.
[[nodiscard]] Ticks size_of_jump(const std::vector<WholeEnd>& ends);

struct WholeRules {
  bool only_alike = false;    ///< calls: ends of different bytes never belong together
  bool clocks_go_on = false;  ///< those of both processes, as far as is known
  bool steps_known = false;   ///< of both clocks
  bool was_cut = false;       ///< the trace, at one recorded time
  /// Of each end of the side that has fewer, of the sends if there are as many: from which end of the other side on it
  /// may belong to one, and ahead of which; none: to all.
  std::vector<std::pair<std::size_t, std::size_t>> bounds = {};
};

/// None: the channel is left to the other rule, or costs at least `limit`, as WholeMatch::cost; not each that does.
[[nodiscard]] std::optional<WholeMatch> match_whole(const std::vector<WholeEnd>& sends,
                                                    const std::vector<WholeEnd>& receives, const WholeRules& rules = {},
                                                    std::int64_t limit = std::numeric_limits<std::int64_t>::max());

/// Forgets pairs with a delay that is smaller by a jump than those of the eight pairs before and behind, if the last of
/// these and the first are alike.
void forget_early(std::vector<WholePair>& pairs, const std::vector<WholeEnd>& sends,
                  const std::vector<WholeEnd>& receives);

}  // namespace clc::matching
