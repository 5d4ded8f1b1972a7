// The preconditioner of the smooth solver: what brings conjugate gradients near the solution in a few steps.
//
// Idea     A deviation of a clock is a sum of modes over time, from the straight ones to the waviest. If all pairs saw
//          each other at the same times, the system would fall apart into one graph of clocks for each mode: its
//          Laplacian, with the weights of the pairs, and the stiffness of the mode at each clock on the diagonal. Wavy
//          modes are so stiff that neighbours hardly matter: for these the block of each clock is enough.
// Level 1  The block of each clock, pentadiagonal; of clocks that strong links join, all together (joint_blocks.hpp).
// Level 2  The graph of each mode that is not stiff, by an approximate Cholesky decomposition (sampled_cholesky.hpp).
// Cost     One solution: (few knots * clocks + edges) * modes + knots * clocks.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sync/joint_blocks.hpp"
#include "sync/sampled_cholesky.hpp"
#include "sync/smooth_equations.hpp"

namespace clc::sync {

/// Shapes of a deviation over time: orthogonal as the observations see them, each with its own stiffness. The first two
/// are straight, and free.
struct Modes {
  /// Values between a few knots, at all knots.
  class Interpolation {
   public:
    Interpolation() = default;
    Interpolation(Eigen::Index knots, Eigen::Index coarse);
    [[nodiscard]] Eigen::MatrixXd matrix() const;
    /// values * matrix(), by rows of values.
    [[nodiscard]] Eigen::MatrixXd gathered(const Eigen::Ref<const Eigen::MatrixXd>& values) const;
    /// values += coarse * matrix()'
    void add(const Eigen::MatrixXd& few, Eigen::Ref<Eigen::MatrixXd> values) const;

   private:
    Eigen::Index coarse_ = 0;
    std::vector<Eigen::Index> left_;  ///< of each knot
    std::vector<double> part_;        ///< that the one to the right has
  };
  Interpolation interpolation;
  Eigen::MatrixXd coarse;     ///< values at a few knots, a column for each mode
  Eigen::MatrixXd shapes;     ///< the same at all knots
  Eigen::VectorXd stiffness;  ///< of each mode, if all observations together have the weight 1
};

/// mass: the share of the observations at each knot and between it and the next, as a tridiagonal matrix of sum 1.
/// bend: variance of a second difference. The six least stiff modes, and all that are not stiffer than `most`.
[[nodiscard]] Modes modes_of(const Eigen::MatrixXd& mass, double bend, double most);

/// Of all clocks at once. What a block leaves free stays as it is: the clock was seen at one time only.
class PentadiagonalBlocks {
 public:
  explicit PentadiagonalBlocks(SmoothEquations::Blocks blocks);
  /// Of right sides.
  void solve(Eigen::Ref<Eigen::MatrixXd> values) const;

 private:
  Eigen::MatrixXd inverse_;  ///< of the diagonal; clocks, knots
  Eigen::MatrixXd beside_;   ///< of the unit lower triangle: of each knot and the next one
  Eigen::MatrixXd next_;
};

class TwoLevel {
 public:
  /// order: of the clocks as a graph.
  TwoLevel(const SmoothEquations& equations, const SmoothProblem& problem, const Modes& modes,
           const EliminationOrder& order);
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  const Modes& modes_;
  PentadiagonalBlocks blocks_;
  std::vector<JointBlock> joint_;
  std::vector<SampledCholesky> graphs_;  ///< of each mode
};

}  // namespace clc::sync
