#include "sync/groups.hpp"

#include <algorithm>
#include <numeric>

namespace clc::sync {

Groups groups_of(const std::vector<Pair>& pairs, std::size_t clocks) {
  std::vector<ClockIndex> root(clocks);
  std::iota(root.begin(), root.end(), ClockIndex{0});
  const auto find = [&root](ClockIndex clock) {
    while (root[clock] != clock) clock = root[clock] = root[root[clock]];
    return clock;
  };
  std::vector<bool> takes_part(clocks, false);
  for (const Pair& pair : pairs) {
    if (pair.observations.empty()) continue;
    takes_part[pair.low] = takes_part[pair.high] = true;
    const ClockIndex one = find(pair.low);
    const ClockIndex other = find(pair.high);
    root[std::max(one, other)] = std::min(one, other);
  }
  Groups groups{std::vector<std::uint32_t>(clocks, Groups::none), {}, {}};
  for (ClockIndex clock = 0; clock < clocks; ++clock) {
    if (!takes_part[clock]) continue;
    const ClockIndex leader = find(clock);
    if (leader == clock) {
      groups.of[clock] = static_cast<std::uint32_t>(groups.first.size());
      groups.first.push_back(clock);
      groups.size.push_back(0);
    }
    groups.of[clock] = groups.of[leader];
    ++groups.size[groups.of[clock]];
  }
  return groups;
}

void centre(std::vector<double>& values, const Groups& groups) {
  std::vector<double> sum(groups.first.size(), 0.0);
  for (std::size_t clock = 0; clock < values.size(); ++clock)
    if (groups.of[clock] != Groups::none) sum[groups.of[clock]] += values[clock];
  for (std::size_t clock = 0; clock < values.size(); ++clock)
    if (groups.of[clock] != Groups::none) values[clock] -= sum[groups.of[clock]] / groups.size[groups.of[clock]];
}

}  // namespace clc::sync
