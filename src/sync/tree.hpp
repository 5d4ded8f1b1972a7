// Estimates of pairs added up along a minimum spanning tree [R 7.5; Kruskal].
#pragma once

#include <vector>

#include "sync/corridor.hpp"
#include "sync/published.hpp"

namespace clc::sync {

/// The estimate of a pair: C_high - C_low, its weight in the tree, and half the distance of its bounds.
struct Branch {
  ClockIndex low = 0;
  ClockIndex high = 0;
  Line line;
  double weight = 0;
  double half_width = 0;
};

/// The reference of a group is the clock with the smallest sum of errors of all others. Of branches of equal weight the
/// one with the lower clocks counts. Fails if the branches do not connect a group: cause is that of the failure, at the
/// first pair of `refused` that would connect it.
[[nodiscard]] Solution solve_tree(std::vector<Branch> branches, const Groups& groups,
                                  const std::vector<NoSolution>& refused);

/// The curve on its own clock of a clock that is ahead of the reference by a line of the reference's time.
[[nodiscard]] Curve curve_of(const Line& line) noexcept;

}  // namespace clc::sync
