#include "sync/two_level.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

namespace clc::sync {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;
using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index most_coarse_knots = 65;  // more would make the modes expensive, and only sharpen the stiff ones

/// Values between a few knots, at all knots.
Dense interpolation(Eigen::Index knots, Eigen::Index coarse) {
  Dense result = Dense::Zero(knots, coarse);
  for (Eigen::Index knot = 0; knot < knots; ++knot) {
    const double at = static_cast<double>(knot * (coarse - 1)) / static_cast<double>(knots - 1);
    const Eigen::Index left = std::min(static_cast<Eigen::Index>(at), coarse - 2);
    result(knot, left) = 1 - (at - static_cast<double>(left));
    result(knot, left + 1) = at - static_cast<double>(left);
  }
  return result;
}

Dense bending(Eigen::Index knots, double bend) {
  Dense second = Dense::Zero(knots - 2, knots);
  for (Eigen::Index row = 0; row + 2 < knots; ++row) second.block(row, row, 1, 3) << 1, -2, 1;
  return second.transpose() * second / bend;
}

}  // namespace

Modes modes_of(const Matrix& mass, double bend, double most) {
  const Eigen::Index knots = mass.rows();
  const Eigen::Index coarse = std::min(knots, most_coarse_knots);
  const Dense to_knots = interpolation(knots, coarse);
  Dense weights = to_knots.transpose() * (mass * to_knots);
  // Knots that no observation is near.
  weights.diagonal().array() += 1e-3 / static_cast<double>(coarse);
  const double longer = static_cast<double>(knots - 1) / static_cast<double>(coarse - 1);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Dense> solver(bending(coarse, bend * std::pow(longer, 3)), weights);
  // The straight modes have the same stiffness, 0, so the solver may return any two lines.
  Dense shapes = solver.eigenvectors();
  Vector line = Vector::LinSpaced(coarse, -1, 1);
  shapes.col(0).setOnes();
  shapes.col(0) /= std::sqrt(shapes.col(0).dot(weights * shapes.col(0)));
  line -= shapes.col(0) * shapes.col(0).dot(weights * line);
  shapes.col(1) = line / std::sqrt(line.dot(weights * line));
  Eigen::Index count = 2;
  while (count < coarse && solver.eigenvalues()[count] <= most) ++count;
  Modes modes{to_knots * shapes.leftCols(count), solver.eigenvalues().head(count)};
  modes.stiffness.head(2).setZero();
  return modes;
}

void TwoLevel::set(Matrix coupling, Vector bias_weight, const Matrix& blocks, const Modes& modes,
                   const ClockGraph& graph) {
  modes_ = modes;
  coupling_ = std::move(coupling);
  bias_weight_ = std::move(bias_weight);
  blocks_.compute(blocks);
  set_graphs(graph);
}

void TwoLevel::set_graphs(const ClockGraph& graph) {
  const auto clocks = static_cast<Eigen::Index>(graph.anchors.cols());
  graphs_.clear();
  for (Eigen::Index mode = 0; mode < modes_.stiffness.size(); ++mode) {
    std::vector<Triplet> entries;
    Vector diagonal = graph.anchors.row(mode);
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
      const auto [low, high] = graph.links[link];
      const double weight = graph.weights(mode, static_cast<Eigen::Index>(link));
      entries.emplace_back(std::max(low, high), std::min(low, high), -weight);
      diagonal[low] += weight;
      diagonal[high] += weight;
    }
    if (mode < 2)
      for (const int first : graph.first) diagonal[first] *= 2;
    for (int clock = 0; clock < clocks; ++clock)
      entries.emplace_back(clock, clock, diagonal[clock] + modes_.stiffness[mode]);
    Matrix laplacian(clocks, clocks);
    laplacian.setFromTriplets(entries.begin(), entries.end());
    graphs_.push_back(std::make_unique<GraphSolver>(laplacian));
  }
}

Vector TwoLevel::solve(const Vector& right) const {
  const Eigen::Index all_knots = coupling_.rows();
  const Eigen::Index knots = modes_.shapes.rows();
  const Vector biases = right.tail(coupling_.cols()).cwiseQuotient(bias_weight_);
  const Vector y = right.head(all_knots) - coupling_ * biases;
  Vector result(right.size());
  result.head(all_knots) = blocks_.solve(y);
  Dense low = Eigen::Map<const Dense>(y.data(), knots, all_knots / knots).transpose() * modes_.shapes;
  for (Eigen::Index mode = 0; mode < low.cols(); ++mode)
    low.col(mode) = graphs_[static_cast<std::size_t>(mode)]->solve(low.col(mode));
  Eigen::Map<Dense>(result.data(), knots, all_knots / knots) += modes_.shapes * low.transpose();
  result.tail(biases.size()) = biases - (coupling_.transpose() * result.head(all_knots)).cwiseQuotient(bias_weight_);
  return result;
}

}  // namespace clc::sync
