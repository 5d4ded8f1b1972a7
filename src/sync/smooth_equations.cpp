#include "sync/smooth_equations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
                       const auto [low, high] = problem.link_of(row);
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
  diagonal_ = beside_ = coupling_ = Matrix::Zero(together, Eigen::Index{parts()} * problem.knots);
  bias_right_ = bias_inverse_ = Vector::Zero(Eigen::Index{parts()} * together);
  bias_inverse_.head(problem.bias_weights.size()) = problem.bias_weights;
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
  for (Eigen::Index i = 0; i < weights_.rows.size(); ++i) {
    const Row& row = problem_.rows[static_cast<std::size_t>(i)];
    const double here = weights_.rows[i] * (1 - row.part);
    const double next = weights_.rows[i] * row.part;
    const Eigen::Index column = this->column(row.of, row.knot);
    const int at = row.of % together;
    diagonal_(at, column) += here * (1 - row.part);
    diagonal_(at, column + 1) += next * row.part;
    beside_(at, column) += here * row.part;
    if (problem_.bias_weights[row.of] == 0) continue;
    coupling_(at, column) += here;
    coupling_(at, column + 1) += next;
    bias_right_[row.of] += weights_.rows[i] * row.value;
    bias_inverse_[row.of] += weights_.rows[i];
  }
  for (double& bias : bias_inverse_) bias = bias > 0 ? 1 / bias : 0;
  for (Eigen::Index i = 0; i < weights_.rows.size(); ++i) {
    const Row& row = problem_.rows[static_cast<std::size_t>(i)];
    const auto [low, high] = problem_.link_of(row);
    const double mean = problem_.bias_weights[row.of] > 0 ? bias_right_[row.of] * bias_inverse_[row.of] : 0;
    const double value = weights_.rows[i] * (row.value - mean);
    for (const auto& [knot, part] : {std::pair(row.knot, 1 - row.part), {row.knot + 1, row.part}}) {
      right_[Eigen::Index{knot} * problem_.clocks + high] += part * value;
      right_[Eigen::Index{knot} * problem_.clocks + low] -= part * value;
    }
  }
}

Vector SmoothEquations::biases(const Vector& y) const {
  const auto links = static_cast<int>(problem_.links.size());
  Vector result = bias_right_.head(links);
  for (int knot = 0; knot < problem_.knots; ++knot)
    for (int link = 0; link < links; ++link) {
      const auto [low, high] = problem_.links[static_cast<std::size_t>(link)];
      const double apart = problem_.at(y, high, knot) - problem_.at(y, low, knot);
      result[link] -= coupling_(link % together, column(link, knot)) * apart;
    }
  return result.cwiseProduct(bias_inverse_.head(links));
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
  using Values = Eigen::Array<double, together, 1>;
  const int knots = problem_.knots;
  std::vector<Values> apart(static_cast<std::size_t>(knots) + 2);  // two clocks of links; 0 before and after the knots
  apart.front().setZero();
  apart.back().setZero();
  for (int part = 0; part < parts(); ++part) {
    const int begin = part * together;
    const int count = std::min(together, static_cast<int>(problem_.links.size()) - begin);
    const Link* const links = problem_.links.data() + begin;
    const auto of = [&](const Matrix& matrix, int knot) {
      return Eigen::Map<const Values>(matrix.col(Eigen::Index{part} * knots + knot).data());
    };
    Values biases = Values::Zero();
    for (int knot = 0; knot < knots; ++knot) {
      const double* const at = y.data() + Eigen::Index{knot} * problem_.clocks;
      Values& here = apart[static_cast<std::size_t>(knot) + 1];
      here.tail(together - count).setZero();
      for (int i = 0; i < count; ++i) here[i] = at[links[i].high] - at[links[i].low];
      biases += of(coupling_, knot) * here;
    }
    biases *= bias_inverse_.segment<together>(begin).array();
    for (int knot = 0; knot < knots; ++knot) {
      const Values* const here = &apart[static_cast<std::size_t>(knot) + 1];
      const Values values = of(beside_, std::max(knot - 1, 0)) * here[-1] + of(diagonal_, knot) * here[0] +
                            of(beside_, knot) * here[1] - of(coupling_, knot) * biases;
      double* const to = sums.data() + Eigen::Index{knot} * problem_.clocks;
      for (int i = 0; i < count; ++i) {
        to[links[i].high] += values[i];
        to[links[i].low] -= values[i];
      }
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
    const auto [low, high] = problem_.link_of(row);
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
  const Vector products = 2 * shape.head(intervals).cwiseProduct(shape.tail(intervals));
  Vector result = Vector::Zero(bias_inverse_.size());
  for (int part = 0; part < parts(); ++part) {
    const Eigen::Index begin = Eigen::Index{part} * shape.size();
    const Vector means = coupling_.middleCols(begin, shape.size()) * shape;
    // The bias takes up the mean. No less than nothing is left, whatever the rounding.
    result.segment<together>(Eigen::Index{part} * together) =
        (diagonal_.middleCols(begin, shape.size()) * shape.cwiseAbs2() +
         beside_.middleCols(begin, intervals) * products -
         means.cwiseAbs2().cwiseProduct(bias_inverse_.segment<together>(Eigen::Index{part} * together)))
            .cwiseMax(0.0);
  }
  return result.head(std::ssize(problem_.links));
}

Vector SmoothEquations::stiffness(const Vector& shape) const {
  const Eigen::Index inner = shape.size() - 2;
  return weights_.bends * (shape.head(inner) - 2 * shape.segment(1, inner) + shape.tail(inner)).cwiseAbs2();
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
