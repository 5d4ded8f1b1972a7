// The equations of the smooth solver: the second derivative of the sum that it minimises, for given weights.
//
// Unknowns The first knot of each clock, then the second of each clock, and so on: sums over clocks and links run in
//          the order of memory. The biases of the pairs are eliminated exactly: each follows from the curves of its
//          clocks.
// Form     A link sees the difference of two clocks only. So its part is a tridiagonal matrix of knots, less one of
//          rank one for the bias, applied to differences. Second differences come the same way: the small ones are
//          formed first and weighed then.
//          A link that was observed at few knots only is kept as its rows.
// Cost     A product: some 10 operations for each link and knot, or 20 for each row of a link with few.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sync/sampled_cholesky.hpp"

namespace clc::sync {

/// What is known of the difference of two clocks, or of one clock, at a time between two knots: y = (1 - part) y[knot]
/// + part y[knot + 1].
struct Row {
  int of = 0;  ///< a link, or a clock
  int knot = 0;
  double part = 0;
  double value = 0;
  double weight = 0;  ///< 1/variance
};

struct SmoothProblem {
  int clocks = 0;
  int knots = 0;  ///< of each clock; at least 3
  std::vector<Link> links;
  Eigen::VectorXd bias_weights;  ///< of each link: 1/variance of its bias; 0: it has none
  std::vector<Row> rows;         ///< observations of links
  std::vector<Row> known;        ///< values of clocks
  double bend_weight = 0;        ///< of a second difference

  /// Of an observation.
  [[nodiscard]] const Link& link_of(const Row& row) const noexcept { return links[static_cast<std::size_t>(row.of)]; }
  [[nodiscard]] double at(const Eigen::VectorXd& y, int clock, int knot) const noexcept {
    return y[Eigen::Index{knot} * clocks + clock];
  }
  [[nodiscard]] Eigen::Map<const Eigen::MatrixXd> by_knot(const Eigen::VectorXd& y) const {
    return {y.data(), clocks, knots};
  }
};

/// Of rows, known values, and second differences.
struct Weights {
  Eigen::VectorXd rows;
  Eigen::VectorXd known;
  Eigen::MatrixXd bends;  ///< clocks, inner knots
};
[[nodiscard]] Weights first_weights(const SmoothProblem& problem);
/// Less where something fits badly: Student's t.
[[nodiscard]] Weights reweighted(const SmoothProblem& problem, const Eigen::VectorXd& y, const Eigen::VectorXd& biases);

/// How links are kept: those with many rows as values at each knot.
struct LinkForms {
  explicit LinkForms(const SmoothProblem& problem);
  std::vector<int> with_knots;    ///< links
  std::vector<int> place;         ///< of each link among these; -1: it is kept as its rows
  std::vector<std::size_t> rows;  ///< of all other links
};

class SmoothEquations {
 public:
  /// problem, weights: must outlive this.
  SmoothEquations(const SmoothProblem& problem, const Weights& weights);

  [[nodiscard]] const Eigen::VectorXd& right() const noexcept { return right_; }
  /// The left side.
  [[nodiscard]] Eigen::VectorXd times(const Eigen::VectorXd& y) const;
  /// Of each link.
  [[nodiscard]] Eigen::VectorXd biases(const Eigen::VectorXd& y) const;

  /// What is left of the weight of a row by the bias of its link.
  [[nodiscard]] double weight_left(std::size_t row) const noexcept;
  /// The block of each clock by itself, as if its neighbours were fixed: its diagonal, the elements beside that, and
  /// the next ones. Each observation counts for as much as the bias leaves of it.
  struct Blocks {
    Eigen::MatrixXd diagonal;  ///< clocks, knots
    Eigen::MatrixXd beside;
    Eigen::MatrixXd next;
  };
  [[nodiscard]] Blocks blocks() const;
  /// The block of a few clocks together: a band. Unknowns as in y, of these clocks only; a column for each of them,
  /// from the diagonal down.
  [[nodiscard]] Eigen::MatrixXd band(const std::vector<int>& clocks) const;
  /// The weights of the links if all clocks deviate by multiples of a shape.
  [[nodiscard]] Eigen::VectorXd link_weights(const Eigen::VectorXd& shape) const;
  /// The weight of the bends of each clock.
  [[nodiscard]] Eigen::VectorXd stiffness(const Eigen::VectorXd& shape) const;
  /// The weight of what is known of each clock by itself.
  [[nodiscard]] Eigen::VectorXd anchors(const Eigen::VectorXd& shape) const;

 private:
  /// Values of each link with knots, and knot. Links are taken this many at a time, so that what is between them stays
  /// in the cache; they lie together for each knot, the last ones filled up with 0.
  static constexpr int together = 128;
  [[nodiscard]] int parts() const noexcept {
    return (static_cast<int>(forms_.with_knots.size()) + together - 1) / together;
  }
  [[nodiscard]] Eigen::Index column(int place, int knot) const noexcept {
    return Eigen::Index{place / together} * problem_.knots + knot;
  }

  void add_rows();
  void add_links(const Eigen::VectorXd& y, Eigen::VectorXd& sums) const;
  [[nodiscard]] double weighed_apart(const Eigen::VectorXd& y, std::size_t i) const noexcept;
  void add_links_with_rows(const Eigen::VectorXd& y, Eigen::VectorXd& sums) const;

  const SmoothProblem& problem_;
  const Weights& weights_;
  LinkForms forms_;
  Eigen::MatrixXd diagonal_;      ///< together, parts * knots
  Eigen::MatrixXd beside_;        ///< between a knot and the next one
  Eigen::MatrixXd coupling_;      ///< with the bias
  Eigen::VectorXd bias_right_;    ///< of each link
  Eigen::VectorXd bias_inverse_;  ///< of the diagonal; 0: no bias
  Eigen::VectorXd right_;
};

}  // namespace clc::sync
