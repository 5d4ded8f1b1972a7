#include "sync/cycle.hpp"

#include <algorithm>

namespace clc::sync {

namespace {

bool has_cycle_below(const std::vector<Arc>& arcs, std::size_t nodes, double mean) {
  std::vector<double> distance(nodes, 0.0);
  for (std::size_t round = 0; round <= nodes; ++round) {
    bool changed = false;
    for (const Arc& arc : arcs) {
      const double through = distance[arc.from] + (arc.length - mean);
      if (!(through < distance[arc.to])) continue;
      distance[arc.to] = through;
      changed = true;
    }
    if (!changed) return false;
  }
  return true;
}

}  // namespace

std::optional<double> smallest_mean_cycle(const std::vector<Arc>& arcs, std::size_t nodes) {
  if (arcs.empty()) return std::nullopt;
  const auto [low, high] =
      std::minmax_element(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) { return a.length < b.length; });
  double below = low->length;
  const double span = high->length - low->length;
  double above = high->length + 1e-9 + span;
  if (!has_cycle_below(arcs, nodes, above)) return std::nullopt;
  for (int i = 0; i < 50; ++i) {
    const double middle = (below + above) / 2;
    (has_cycle_below(arcs, nodes, middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace clc::sync
