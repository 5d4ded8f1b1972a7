// The smallest mean length of a cycle in a directed graph. Clock offsets cancel along a cycle of messages, so its mean
// delay per hop limits the minimum delay whatever the offsets are.
//
// Cost     O(nodes * arcs) for each of some 50 halvings; less where the graph has short paths.
// Source   Lawler 1967: halve the interval of the mean, and look for a negative cycle by Bellman and Ford.
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
