#include "sync/two_level.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

namespace clc::sync {

namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index least_modes = 6;         // some clocks may bend more easily than others
constexpr Eigen::Index most_coarse_knots = 65;  // more would make the modes expensive, and only sharpen the stiff ones

Dense bending(Eigen::Index knots, double bend) {
  Dense second = Dense::Zero(knots - 2, knots);
  for (Eigen::Index row = 0; row + 2 < knots; ++row) second.block(row, row, 1, 3) << 1, -2, 1;
  return second.transpose() * second / bend;
}

}  // namespace

Modes::Interpolation::Interpolation(Eigen::Index knots, Eigen::Index coarse) : coarse_(coarse) {
  for (Eigen::Index knot = 0; knot < knots; ++knot) {
    const double at = static_cast<double>(knot * (coarse - 1)) / static_cast<double>(knots - 1);
    left_.push_back(std::min(static_cast<Eigen::Index>(at), coarse - 2));
    part_.push_back(at - static_cast<double>(left_.back()));
  }
}

Dense Modes::Interpolation::matrix() const { return gathered(Dense::Identity(std::ssize(left_), std::ssize(left_))); }

Dense Modes::Interpolation::gathered(const Eigen::Ref<const Dense>& values) const {
  if (coarse_ == std::ssize(left_)) return values;
  Dense result = Dense::Zero(values.rows(), coarse_);
  for (std::size_t knot = 0; knot < left_.size(); ++knot) {
    const auto column = values.col(static_cast<Eigen::Index>(knot));
    result.col(left_[knot]) += (1 - part_[knot]) * column;
    result.col(left_[knot] + 1) += part_[knot] * column;
  }
  return result;
}

void Modes::Interpolation::add(const Dense& few, Eigen::Ref<Dense> values) const {
  if (coarse_ == std::ssize(left_)) {
    values += few;
    return;
  }
  for (std::size_t knot = 0; knot < left_.size(); ++knot)
    values.col(static_cast<Eigen::Index>(knot)) +=
        (1 - part_[knot]) * few.col(left_[knot]) + part_[knot] * few.col(left_[knot] + 1);
}

Modes modes_of(const Dense& mass, double bend, double most) {
  const Eigen::Index knots = mass.rows();
  const Eigen::Index coarse = std::min(knots, most_coarse_knots);
  const Modes::Interpolation interpolation(knots, coarse);
  const Dense to_knots = interpolation.matrix();
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
  while (count < coarse && (count < least_modes || solver.eigenvalues()[count] <= most)) ++count;
  Modes modes{interpolation, shapes.leftCols(count), to_knots * shapes.leftCols(count),
              solver.eigenvalues().head(count)};
  modes.stiffness.head(2).setZero();
  return modes;
}

PentadiagonalBlocks::PentadiagonalBlocks(SmoothEquations::Blocks blocks)
    : inverse_(std::move(blocks.diagonal)), beside_(std::move(blocks.beside)), next_(std::move(blocks.next)) {
  const Dense least = inverse_ * 1e-9;
  const Eigen::Index knots = inverse_.cols();
  for (Eigen::Index knot = 0; knot < knots; ++knot) {
    auto pivot = inverse_.col(knot).array();
    pivot = (pivot > least.col(knot).array()).select(pivot.inverse(), 0.0);
    if (knot + 1 < knots) {
      const Eigen::ArrayXd share = beside_.col(knot).array() * pivot;
      inverse_.col(knot + 1).array() -= share * beside_.col(knot).array();
      if (knot + 2 < knots) beside_.col(knot + 1).array() -= share * next_.col(knot).array();
      beside_.col(knot) = share;
    }
    if (knot + 2 < knots) {
      const Eigen::ArrayXd share = next_.col(knot).array() * pivot;
      inverse_.col(knot + 2).array() -= share * next_.col(knot).array();
      next_.col(knot) = share;
    }
  }
}

void PentadiagonalBlocks::solve(Eigen::Ref<Dense> values) const {
  const Eigen::Index knots = values.cols();
  const auto part = [&](const Dense& matrix, Eigen::Index knot, Eigen::Index of) {
    return matrix.col(knot).cwiseProduct(values.col(of));
  };
  values.col(1) -= part(beside_, 0, 0);
  for (Eigen::Index knot = 2; knot < knots; ++knot)
    values.col(knot) -= part(beside_, knot - 1, knot - 1) + part(next_, knot - 2, knot - 2);
  values.col(knots - 1) = part(inverse_, knots - 1, knots - 1);
  values.col(knots - 2) = part(inverse_, knots - 2, knots - 2) - part(beside_, knots - 2, knots - 1);
  for (Eigen::Index knot = knots - 2; knot-- > 0;)
    values.col(knot) = part(inverse_, knot, knot) - part(beside_, knot, knot + 1) - part(next_, knot, knot + 2);
}

TwoLevel::TwoLevel(const SmoothEquations& equations, const SmoothProblem& problem, const Modes& modes,
                   const EliminationOrder& order)
    : modes_(modes), blocks_(equations.blocks()) {
  Vector strengths = Vector::Zero(std::ssize(problem.links));
  for (std::size_t i = 0; i < problem.rows.size(); ++i) strengths[problem.rows[i].of] += equations.weight_left(i);
  for (std::vector<int>& clocks : clusters_of(problem.links, strengths, problem.clocks)) {
    Dense band = equations.band(clocks);
    joint_.emplace_back(std::move(clocks), std::move(band));
  }
  for (Eigen::Index mode = 0; mode < modes.stiffness.size(); ++mode) {
    const Vector shape = modes.shapes.col(mode);
    Vector anchors = equations.anchors(shape);
    // Straight shapes have none, but for the rounding.
    if (mode >= 2) anchors += equations.stiffness(shape);
    graphs_.emplace_back(order, problem.links, equations.link_weights(shape), anchors);
  }
}

Vector TwoLevel::solve(const Vector& right) const {
  const Eigen::Index knots = modes_.shapes.rows();
  const Eigen::Index clocks = right.size() / knots;
  const Eigen::Map<const Dense> sides(right.data(), clocks, knots);
  Dense low = modes_.interpolation.gathered(sides) * modes_.coarse;
  for (Eigen::Index mode = 0; mode < low.cols(); ++mode) graphs_[static_cast<std::size_t>(mode)].solve(low.col(mode));
  Vector result = right;
  Eigen::Map<Dense> values(result.data(), clocks, knots);
  blocks_.solve(values);
  for (const JointBlock& block : joint_) block.solve(sides, values);
  modes_.interpolation.add(low * modes_.coarse.transpose(), values);
  return result;
}

}  // namespace clc::sync
