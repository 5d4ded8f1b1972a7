// Upper bounds of the differences of clocks, completed by shortest paths: C_i - C_k <= (C_i - C_z) + (C_z - C_k).
//
// Method   Floyd and Warshall, with the intermediate clock in the outer loop: exact in one pass. A clock that would be
//          ahead of itself by less than 0 shows that bounds contradict each other [R 7.6].
// Units    Seconds; infinity: no bound. Sums of doubles are exact to far less than the tolerance of a picosecond.
// Cost     O(clocks^3) for each group, O(clocks^2) memory.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sync/groups.hpp"

namespace clc::sync {

class Bounds {
 public:
  static constexpr double none = std::numeric_limits<double>::infinity();
  static constexpr double tolerance = 1e-12;
  /// More clocks would take too long.
  static constexpr std::size_t most_clocks = 1024;

  explicit Bounds(std::size_t clocks) : clocks_(clocks), upper_(clocks * clocks, none) {
    for (std::size_t clock = 0; clock < clocks; ++clock) upper_[clock * clocks + clock] = 0;
  }
  /// Of C_i - C_k.
  [[nodiscard]] double& upper(ClockIndex i, ClockIndex k) noexcept { return upper_[i * clocks_ + k]; }
  [[nodiscard]] double upper(ClockIndex i, ClockIndex k) const noexcept { return upper_[i * clocks_ + k]; }
  void limit(ClockIndex i, ClockIndex k, double bound) noexcept {
    if (bound < upper(i, k)) upper(i, k) = bound;
  }
  [[nodiscard]] bool known(ClockIndex i, ClockIndex k) const noexcept {
    return upper(i, k) < none && upper(k, i) < none;
  }
  /// The middle of the bounds of C_i - C_k, and half their distance. They must be known.
  [[nodiscard]] double middle(ClockIndex i, ClockIndex k) const noexcept { return (upper(i, k) - upper(k, i)) / 2; }
  [[nodiscard]] double half_width(ClockIndex i, ClockIndex k) const noexcept { return (upper(i, k) + upper(k, i)) / 2; }
  /// The bounds between these clocks become shortest paths. Two clocks whose bounds contradict each other: there are
  /// none, and bounds are incomplete.
  std::optional<std::pair<ClockIndex, ClockIndex>> close(const std::vector<ClockIndex>& clocks);

 private:
  std::size_t clocks_;
  std::vector<double> upper_;
};

/// The clocks of each group.
[[nodiscard]] std::vector<std::vector<ClockIndex>> members_of(const Groups& groups);

/// The clock of a group that has bounds with most others, and among these the smallest sum of their half distances
/// [R 7.6]. all: one or several closed tables, taken together.
[[nodiscard]] ClockIndex best_reference(const std::vector<const Bounds*>& all, const std::vector<ClockIndex>& clocks);

}  // namespace clc::sync
