// The preconditioner of the smooth solver: what brings conjugate gradients near the solution in a few steps.
//
// Idea     A deviation of a clock is a sum of modes over time, from the straight ones to the waviest. If all pairs saw
//          each other at the same times, the system would fall apart into one graph of clocks for each mode: its
//          Laplacian, with the weights of the pairs, and the stiffness of the mode on the diagonal. Wavy modes are so
//          stiff that neighbours hardly matter: for these the block of each clock is enough.
// Level 1  The block of each clock, pentadiagonal.
// Level 2  The graph of each mode that is not stiff, by sparse Cholesky decomposition.
// Biases   The constant errors of the pairs are eliminated exactly.
// Cost     One solution: knots * clocks * modes, and the fill-in of the graphs.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <memory>
#include <vector>

namespace clc::sync {

/// Shapes of a deviation over time: orthogonal as the observations see them, each with its own stiffness. The first two
/// are straight, and free.
struct Modes {
  Eigen::MatrixXd shapes;     ///< values at the knots, a column for each mode
  Eigen::VectorXd stiffness;  ///< of each mode, if all observations together have the weight 1
};

/// mass: the share of the observations at each knot and between it and the next, as a tridiagonal matrix of sum 1.
/// bend: variance of a second difference. Only the modes that are not stiffer than `most`.
[[nodiscard]] Modes modes_of(const Eigen::SparseMatrix<double>& mass, double bend, double most);

/// The clocks as a graph, seen by each mode with weights of its own: the second derivative of the sum that is
/// minimised, with the biases eliminated.
struct ClockGraph {
  struct Link {
    int low = 0;
    int high = 0;
  };
  std::vector<Link> links;  ///< the pairs
  Eigen::MatrixXd weights;  ///< of the links: a row for each mode
  Eigen::MatrixXd anchors;  ///< of what is known of a clock by itself: a row for each mode
  std::vector<int> first;   ///< a clock of each group: where offset and rate are free, it holds the others
};

/// Unknowns: the knots of each clock, then the biases of the pairs. To be used with Eigen's solvers.
class TwoLevel {
 public:
  // The names are those of Eigen. NOLINTBEGIN(readability-identifier-naming)
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };

  template <class Any>
  TwoLevel& analyzePattern(const Any& /*matrix*/) {
    return *this;
  }
  // NOLINTEND(readability-identifier-naming)
  template <class Any>
  TwoLevel& factorize(const Any& /*matrix*/) {
    return *this;
  }
  template <class Any>
  TwoLevel& compute(const Any& /*matrix*/) {
    return *this;
  }
  [[nodiscard]] static Eigen::ComputationInfo info() noexcept { return Eigen::Success; }

  /// Of the matrix of the equations: coupling of knots with biases, the diagonal of the biases, and the lower half of
  /// the block of each clock, without what the biases take up.
  void set(Eigen::SparseMatrix<double> coupling, Eigen::VectorXd bias_weight, const Eigen::SparseMatrix<double>& blocks,
           const Modes& modes, const ClockGraph& graph);
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  using Matrix = Eigen::SparseMatrix<double>;
  using GraphSolver = Eigen::SimplicialLDLT<Matrix>;

  void set_graphs(const ClockGraph& graph);

  Modes modes_;
  Matrix coupling_;
  Eigen::VectorXd bias_weight_;
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> blocks_;
  std::vector<std::unique_ptr<GraphSolver>> graphs_;  ///< of each mode
};

}  // namespace clc::sync
