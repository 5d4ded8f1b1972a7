// The smallest mean length of a cycle in a directed graph. Clock offsets cancel along a cycle of messages, so its mean
// delay per hop limits the minimum delay whatever the offsets are.
//
// Cost     Relaxing all arcs, a few times for each cycle that is tried, usually few; at worst O(nodes * arcs) for each.
// Source   Lawler 1967: look for a negative cycle by Bellman and Ford; its mean, not half of the interval, is what the
//          next one has to be below. Sweeps in both directions: Yen 1970.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace clc::sync {

struct Arc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double length = 0;
};

/// nullopt if there is no cycle.
[[nodiscard]] std::optional<double> smallest_mean_cycle(const std::vector<Arc>& arcs, std::size_t nodes);

}  // namespace clc::sync
