#include "sync/cycle.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace clc::sync {

namespace {

/// Looks for cycles by relaxing arcs, in their order and against it in turn.
class Relaxation {
 public:
  Relaxation(const std::vector<Arc>& arcs, std::size_t nodes) : arcs_(arcs), distance_(nodes, 0.0) {}

  /// The mean length of a cycle in which it is below that; none: there is no such cycle.
  [[nodiscard]] std::optional<double> cycle_below(double mean) {
    // Distances are as good a start as any: those for another mean are near.
    arc_to_.assign(distance_.size(), none);
    for (std::size_t round = 0; round <= distance_.size(); ++round) {
      bool changed = false;
      for (std::size_t i = 0; i < arcs_.size(); ++i) changed |= relax(round % 2 == 0 ? i : arcs_.size() - 1 - i, mean);
      if (!changed) return std::nullopt;
      if (const std::optional<double> found = cycle()) return found;
    }
    return std::nullopt;  // only rounding goes on
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool relax(std::size_t i, double mean) {
    const Arc& arc = arcs_[i];
    const double through = distance_[arc.from] + (arc.length - mean);
    if (!(through < distance_[arc.to])) return false;
    distance_[arc.to] = through;
    arc_to_[arc.to] = i;
    return true;
  }
  /// Of the arcs by which nodes were reached last: those that form one make it ever shorter.
  [[nodiscard]] std::optional<double> cycle() {
    seen_from_.assign(distance_.size(), none);
    for (std::size_t start = 0; start < distance_.size(); ++start) {
      std::size_t node = start;
      while (seen_from_[node] == none && arc_to_[node] != none) {
        seen_from_[node] = start;
        node = arcs_[arc_to_[node]].from;
      }
      if (arc_to_[node] != none && seen_from_[node] == start) return mean_of_cycle(node);
      seen_from_[node] = start;
    }
    return std::nullopt;
  }
  [[nodiscard]] double mean_of_cycle(std::size_t node) const {
    double length = 0;
    double count = 0;
    std::size_t at = node;
    do {
      const Arc& arc = arcs_[arc_to_[at]];
      length += arc.length;
      ++count;
      at = arc.from;
    } while (at != node);
    return length / count;
  }

  const std::vector<Arc>& arcs_;
  std::vector<double> distance_;
  std::vector<std::size_t> arc_to_;     // by which a node was reached
  std::vector<std::size_t> seen_from_;  // while a cycle is looked for
};

}  // namespace

std::optional<double> smallest_mean_cycle(const std::vector<Arc>& arcs, std::size_t nodes) {
  double longest = 0;
  double shortest = 0;
  for (const Arc& arc : arcs) {
    longest = std::max(longest, arc.length);
    shortest = std::min(shortest, arc.length);
  }
  Relaxation relaxation(arcs, nodes);
  std::optional<double> smallest;
  auto found = relaxation.cycle_below(longest + 1e-9 + (longest - shortest));
  const double rounding = 1e-15 * static_cast<double>(nodes) * (longest - shortest);
  while (found && !(smallest && *found >= *smallest)) {
    smallest = found;
    found = relaxation.cycle_below(*smallest - rounding);  // so that the one that was found is none any more
  }
  return smallest;
}

}  // namespace clc::sync
