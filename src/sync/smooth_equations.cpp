#include "sync/smooth_equations.hpp"

#include <cmath>

namespace clc::sync {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double freedom = 4;  // of Student's t

double student(double r) noexcept { return (freedom + 1) / (freedom + r * r); }

Matrix second_differences(const SmoothProblem& problem, const Vector& y) {
  const auto knots = problem.by_knot(y);
  const Eigen::Index inner = problem.knots - 2;
  return knots.leftCols(inner) - 2 * knots.middleCols(1, inner) + knots.rightCols(inner);
}

/// Of the curve of a clock, at a row.
double value_at(const SmoothProblem& problem, const Vector& y, int clock, const Row& row) noexcept {
  return (1 - row.part) * problem.at(y, clock, row.knot) + row.part * problem.at(y, clock, row.knot + 1);
}

double value_at(const Vector& shape, const Row& row) noexcept {
  return (1 - row.part) * shape[row.knot] + row.part * shape[row.knot + 1];
}

const Link& link_of(const SmoothProblem& problem, const Row& row) noexcept {
  return problem.links[static_cast<std::size_t>(row.of)];
}

Vector first_weights_of(const std::vector<Row>& rows) {
  Vector result(std::ssize(rows));
  for (Eigen::Index i = 0; i < result.size(); ++i) result[i] = rows[static_cast<std::size_t>(i)].weight;
  return result;
}

/// residual(row)
template <class Residual>
Vector reweighted(const std::vector<Row>& rows, const Residual& residual) {
  Vector result(std::ssize(rows));
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    result[i] = row.weight * student(residual(row) * std::sqrt(row.weight));
  }
  return result;
}

}  // namespace

Weights first_weights(const SmoothProblem& problem) {
  return {first_weights_of(problem.rows), first_weights_of(problem.known),
          Matrix::Constant(problem.clocks, problem.knots - 2, problem.bend_weight)};
}

Weights reweighted(const SmoothProblem& problem, const Vector& y, const Vector& biases) {
  const double root = std::sqrt(problem.bend_weight);
  return {reweighted(problem.rows,
                     [&](const Row& row) {
                       const auto [low, high] = link_of(problem, row);
                       return value_at(problem, y, high, row) - value_at(problem, y, low, row) + biases[row.of] -
                              row.value;
                     }),
          reweighted(problem.known, [&](const Row& row) { return value_at(problem, y, row.of, row) - row.value; }),
          second_differences(problem, y).unaryExpr([&](double bend) {
            return problem.bend_weight * student(bend * root);
          })};
}

SmoothEquations::SmoothEquations(const SmoothProblem& problem, const Weights& weights)
    : problem_(problem), weights_(weights) {
  const auto links = std::ssize(problem.links);
  diagonal_ = beside_ = coupling_ = Matrix::Zero(links, problem.knots);
  bias_right_ = Vector::Zero(links);
  bias_inverse_ = problem.bias_weights;
  right_ = Vector::Zero(Eigen::Index{problem.clocks} * problem.knots);
  add_rows();
  for (std::size_t i = 0; i < problem.known.size(); ++i) {
    const Row& row = problem.known[i];
    const double weighted = weights.known[static_cast<Eigen::Index>(i)] * row.value;
    right_[Eigen::Index{row.knot} * problem.clocks + row.of] += (1 - row.part) * weighted;
    right_[Eigen::Index{row.knot + 1} * problem.clocks + row.of] += row.part * weighted;
  }
}

void SmoothEquations::add_rows() {
  Matrix right = Matrix::Zero(diagonal_.rows(), diagonal_.cols());
  for (Eigen::Index i = 0; i < weights_.rows.size(); ++i) {
    const Row& row = problem_.rows[static_cast<std::size_t>(i)];
    const double here = weights_.rows[i] * (1 - row.part);
    const double next = weights_.rows[i] * row.part;
    diagonal_(row.of, row.knot) += here * (1 - row.part);
    diagonal_(row.of, row.knot + 1) += next * row.part;
    beside_(row.of, row.knot) += here * row.part;
    right(row.of, row.knot) += here * row.value;
    right(row.of, row.knot + 1) += next * row.value;
    if (problem_.bias_weights[row.of] == 0) continue;
    coupling_(row.of, row.knot) += here;
    coupling_(row.of, row.knot + 1) += next;
    bias_right_[row.of] += weights_.rows[i] * row.value;
    bias_inverse_[row.of] += weights_.rows[i];
  }
  bias_inverse_ = (problem_.bias_weights.array() > 0).select(bias_inverse_.cwiseInverse(), 0.0);
  const Vector biases = bias_right_.cwiseProduct(bias_inverse_);
  for (int knot = 0; knot < problem_.knots; ++knot)
    spread(right.col(knot) - biases.cwiseProduct(coupling_.col(knot)), knot);
}

/// Adds what each link says to its clocks.
void SmoothEquations::spread(const Vector& of_links, int knot) {
  for (std::size_t i = 0; i < problem_.links.size(); ++i) {
    const auto [low, high] = problem_.links[i];
    const double value = of_links[static_cast<Eigen::Index>(i)];
    right_[Eigen::Index{knot} * problem_.clocks + high] += value;
    right_[Eigen::Index{knot} * problem_.clocks + low] -= value;
  }
}

/// Of the two clocks of each link at each knot, and the sum that its bias sees of them.
SmoothEquations::Differences SmoothEquations::differences(const Vector& y) const {
  Differences result{Matrix(diagonal_.rows(), diagonal_.cols()), Vector::Zero(diagonal_.rows())};
  double* const sums = result.seen.data();
  for (int knot = 0; knot < problem_.knots; ++knot) {
    const double* const at = y.data() + Eigen::Index{knot} * problem_.clocks;
    const double* const coupling = coupling_.col(knot).data();
    double* const apart = result.apart.col(knot).data();
    for (std::size_t i = 0; i < problem_.links.size(); ++i) {
      const auto [low, high] = problem_.links[i];
      apart[i] = at[high] - at[low];
      sums[i] += coupling[i] * apart[i];
    }
  }
  return result;
}

Vector SmoothEquations::biases(const Vector& y) const {
  return (bias_right_ - differences(y).seen).cwiseProduct(bias_inverse_);
}

Vector SmoothEquations::times(const Vector& y) const {
  Vector result = Vector::Zero(y.size());
  Eigen::Map<Matrix> sums(result.data(), problem_.clocks, problem_.knots);
  const Matrix bends = weights_.bends.cwiseProduct(second_differences(problem_, y));
  sums.leftCols(bends.cols()) += bends;
  sums.middleCols(1, bends.cols()) -= 2 * bends;
  sums.rightCols(bends.cols()) += bends;
  add_links(y, result);
  for (std::size_t i = 0; i < problem_.known.size(); ++i) {
    const Row& row = problem_.known[i];
    const double weighted = weights_.known[static_cast<Eigen::Index>(i)] * value_at(problem_, y, row.of, row);
    sums(row.of, row.knot) += (1 - row.part) * weighted;
    sums(row.of, row.knot + 1) += row.part * weighted;
  }
  return result;
}

void SmoothEquations::add_links(const Vector& y, Vector& sums) const {
  const Differences differences = this->differences(y);
  const Vector biases = differences.seen.cwiseProduct(bias_inverse_);
  const Vector nothing = Vector::Zero(biases.size());
  for (int knot = 0; knot < problem_.knots; ++knot) {
    const bool first = knot == 0;
    const bool last = knot + 1 == problem_.knots;
    const double* const beside_before = first ? nothing.data() : beside_.col(knot - 1).data();
    const double* const before = first ? nothing.data() : differences.apart.col(knot - 1).data();
    const double* const here = differences.apart.col(knot).data();
    const double* const after = last ? nothing.data() : differences.apart.col(knot + 1).data();
    const double* const diagonal = diagonal_.col(knot).data();
    const double* const beside = beside_.col(knot).data();
    const double* const coupling = coupling_.col(knot).data();
    double* const to = sums.data() + Eigen::Index{knot} * problem_.clocks;
    for (std::size_t i = 0; i < problem_.links.size(); ++i) {
      const double value =
          beside_before[i] * before[i] + diagonal[i] * here[i] + beside[i] * after[i] - coupling[i] * biases.data()[i];
      const auto [low, high] = problem_.links[i];
      to[high] += value;
      to[low] -= value;
    }
  }
}

double SmoothEquations::weight_left(std::size_t row) const noexcept {
  const double weight = weights_.rows[static_cast<Eigen::Index>(row)];
  return weight * (1 - weight * bias_inverse_[problem_.rows[row].of]);
}

SmoothEquations::Blocks SmoothEquations::blocks() const {
  const Matrix zero = Matrix::Zero(problem_.clocks, problem_.knots);
  Blocks result{zero, zero, zero};
  const auto add = [&](int clock, const Row& row, double weight) {
    result.diagonal(clock, row.knot) += weight * (1 - row.part) * (1 - row.part);
    result.diagonal(clock, row.knot + 1) += weight * row.part * row.part;
    result.beside(clock, row.knot) += weight * (1 - row.part) * row.part;
  };
  for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
    const Row& row = problem_.rows[i];
    const auto [low, high] = link_of(problem_, row);
    const double weight = weight_left(i);
    add(low, row, weight);
    add(high, row, weight);
  }
  for (std::size_t i = 0; i < problem_.known.size(); ++i)
    add(problem_.known[i].of, problem_.known[i], weights_.known[static_cast<Eigen::Index>(i)]);
  const Matrix& bends = weights_.bends;
  const Eigen::Index inner = bends.cols();
  result.diagonal.leftCols(inner) += bends;
  result.diagonal.middleCols(1, inner) += 4 * bends;
  result.diagonal.rightCols(inner) += bends;
  result.beside.leftCols(inner) -= 2 * bends;
  result.beside.middleCols(1, inner) -= 2 * bends;
  result.next.leftCols(inner) += bends;
  return result;
}

Vector SmoothEquations::link_weights(const Vector& shape) const {
  const Eigen::Index intervals = shape.size() - 1;
  const Vector products = shape.head(intervals).cwiseProduct(shape.tail(intervals));
  const Vector all = diagonal_ * shape.cwiseAbs2() + 2 * (beside_.leftCols(intervals) * products);
  // The bias takes up the mean. No less than nothing is left, whatever the rounding.
  return (all - (coupling_ * shape).cwiseAbs2().cwiseProduct(bias_inverse_)).cwiseMax(0.0);
}

Vector SmoothEquations::anchors(const Vector& shape) const {
  Vector result = Vector::Zero(problem_.clocks);
  for (std::size_t i = 0; i < problem_.known.size(); ++i) {
    const double value = value_at(shape, problem_.known[i]);
    result[problem_.known[i].of] += weights_.known[static_cast<Eigen::Index>(i)] * value * value;
  }
  return result;
}

}  // namespace clc::sync
