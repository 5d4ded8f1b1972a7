#include "sync/closure.hpp"

#include <algorithm>

namespace clc::sync {

std::optional<std::pair<ClockIndex, ClockIndex>> Bounds::close(const std::vector<ClockIndex>& clocks) {
  for (const ClockIndex z : clocks)
    for (const ClockIndex i : clocks) {
      const double first = upper(i, z);
      if (first == none || i == z) continue;
      if (first + upper(z, i) < -tolerance) return std::minmax(i, z);
      for (const ClockIndex k : clocks) limit(i, k, first + upper(z, k));
      upper(i, i) = 0;
    }
  return std::nullopt;
}

std::vector<std::vector<ClockIndex>> members_of(const Groups& groups) {
  std::vector<std::vector<ClockIndex>> members(groups.first.size());
  for (ClockIndex clock = 0; clock < groups.of.size(); ++clock)
    if (groups.of[clock] != Groups::none) members[groups.of[clock]].push_back(clock);
  return members;
}

ClockIndex best_reference(const std::vector<const Bounds*>& all, const std::vector<ClockIndex>& clocks) {
  ClockIndex best = clocks.front();
  std::pair<std::size_t, double> least{~std::size_t{0}, 0};
  for (const ClockIndex i : clocks) {
    std::pair<std::size_t, double> unknown{0, 0};
    for (const Bounds* bounds : all)
      for (const ClockIndex k : clocks) {
        if (bounds->known(i, k))
          unknown.second += bounds->half_width(i, k);
        else
          ++unknown.first;
      }
    if (unknown < least) {
      least = unknown;
      best = i;
    }
  }
  return best;
}

}  // namespace clc::sync
