#include "sync/groups.hpp"

#include "trace/connected.hpp"

namespace clc::sync {

Groups groups_of(const std::vector<Pair>& pairs, std::size_t clocks, std::size_t counting) {
  Connected connected(clocks);
  std::vector<bool> takes_part(clocks, false);
  for (const Pair& pair : pairs) {
    if (pair.observations.empty()) continue;
    takes_part[pair.low] = takes_part[pair.high] = true;
    connected.join(pair.low, pair.high);
  }
  Groups groups{std::vector<std::uint32_t>(clocks, Groups::none), {}, {}, counting};
  for (ClockIndex clock = 0; clock < clocks; ++clock) {
    if (!takes_part[clock]) continue;
    const ClockIndex leader = connected.first_of(clock);
    if (leader == clock) {
      groups.of[clock] = static_cast<std::uint32_t>(groups.first.size());
      groups.first.push_back(clock);
      groups.size.push_back(0);
    }
    groups.of[clock] = groups.of[leader];
    groups.size[groups.of[clock]] += clock < counting ? 1 : 0;
  }
  return groups;
}

void centre(std::vector<double>& values, const Groups& groups) {
  std::vector<double> sum(groups.first.size(), 0.0);
  for (std::size_t clock = 0; clock < groups.counting; ++clock)
    if (groups.of[clock] != Groups::none) sum[groups.of[clock]] += values[clock];
  for (std::size_t clock = 0; clock < values.size(); ++clock)
    if (groups.of[clock] != Groups::none) values[clock] -= sum[groups.of[clock]] / groups.size[groups.of[clock]];
}

}  // namespace clc::sync
