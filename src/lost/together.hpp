// Lost records: channels of a process that lost records in a row, matched together.
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: where a process lost records in a row, all its channels
//           did.
// Cost      Of v channels, of which v' lost records in a row: v (v' + 4) times that of rule.hpp at most; of channels
//           that are matched in pieces little more than once, because the others are known. Memory: that of rule.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lost/rule.hpp"

namespace clc::lost {

inline constexpr std::size_t most_together = 8;  // channels

/// A channel whose side with fewer ends belongs to the process, and has turns.
struct View {
  std::size_t channel = 0;
  std::vector<std::uint32_t> places;  ///< of the fewer ends, among all of the process
  std::vector<End> fewer;
  std::vector<End> more;
  Clocks clocks = Clocks::may_be_set;
  bool was_cut = false;  ///< the trace
  Matched matched;
  KnownPieces known;  ///< of it, matched alone or together
};

/// As rule.hpp.
[[nodiscard]] inline Matched match(const View& view, std::span<const Range> ranges = {}, KnownPieces* known = nullptr) {
  return match(view.fewer, view.more, Unlike::unusual, view.clocks, ranges, no_most_cost, view.was_cut, known);
}

/// Views of the same process, each with what it is matched alone. Matches them together if that costs less.
void match_together(std::vector<View>& views);

}  // namespace clc::lost
