// Clocks that a few strong links join, solved together: a part of the preconditioner of the smooth solver.
//
// Why      The block of a clock by itself holds it as firmly as all its links do. Two clocks whose difference is known
//          10^4 times better than either of them against the others move together: as firmly as those hold them. Where
//          blocks of single clocks are 10^8 times too stiff for that, conjugate gradients take thousands of steps.
// Which    Clusters of at most 8 clocks: each link of a spanning tree is 10 times as strong as any link that leads out.
//          Where there are none, as on most traces, nothing is done.
// Cost     Found: as sorting the links. Decomposition: 4 clocks^2 operations for each clock and knot; solution: 8
//          clocks.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sync/smooth_equations.hpp"

namespace clc::sync {

/// Clocks of each cluster, in order. No clock is in two of them. strengths: of the links.
[[nodiscard]] std::vector<std::vector<int>> clusters_of(const std::vector<Link>& links,
                                                        const Eigen::VectorXd& strengths, int clocks);

/// The equations of the clocks of a cluster, as if all other clocks were fixed, by Cholesky decomposition of a band.
/// What they leave free stays 0.
class JointBlock {
 public:
  JointBlock(std::vector<int> clocks, Eigen::MatrixXd band);

  /// Sets the rows of these clocks. Both: clocks, knots.
  void solve(const Eigen::Ref<const Eigen::MatrixXd>& right, Eigen::Ref<Eigen::MatrixXd> values) const;

 private:
  std::vector<int> clocks_;
  Eigen::MatrixXd band_;  ///< of the unit lower triangle, a column for each unknown; first the inverse of the diagonal
};

}  // namespace clc::sync
