#include "sync/smooth_equations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
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

/// The lower half of a symmetric matrix with a narrow band, of some clocks.
class Band {
 public:
  Band(const std::vector<int>& clocks, const SmoothProblem& problem)
      : count_(std::ssize(clocks)),
        place_(static_cast<std::size_t>(problem.clocks), -1),
        values_(Matrix::Zero(2 * count_ + 1, count_ * problem.knots)) {
    for (std::size_t place = 0; place < clocks.size(); ++place)
      place_[static_cast<std::size_t>(clocks[place])] = static_cast<int>(place);
  }
  [[nodiscard]] bool has(int clock) const noexcept { return place_[static_cast<std::size_t>(clock)] >= 0; }
  void add(int clock, Eigen::Index knot, int other, Eigen::Index other_knot, double weight) noexcept {
    const Eigen::Index a = knot * count_ + place_[static_cast<std::size_t>(clock)];
    const Eigen::Index b = other_knot * count_ + place_[static_cast<std::size_t>(other)];
    values_(std::abs(a - b), std::min(a, b)) += weight;
  }
  /// weight * value at a row^2
  void add(int clock, const Row& row, double weight) noexcept {
    add(clock, row.knot, clock, row.knot, weight * (1 - row.part) * (1 - row.part));
    add(clock, row.knot + 1, clock, row.knot + 1, weight * row.part * row.part);
    add(clock, row.knot, clock, row.knot + 1, weight * (1 - row.part) * row.part);
  }
  /// What two clocks have in common: weight * value of the one * value of the other
  void couple(int clock, int other, const Row& row, double weight) noexcept {
    add(clock, row.knot, other, row.knot, weight * (1 - row.part) * (1 - row.part));
    add(clock, row.knot + 1, other, row.knot + 1, weight * row.part * row.part);
    add(clock, row.knot, other, row.knot + 1, weight * (1 - row.part) * row.part);
    add(other, row.knot, clock, row.knot + 1, weight * (1 - row.part) * row.part);
  }
  [[nodiscard]] Matrix values() && { return std::move(values_); }

 private:
  Eigen::Index count_;
  std::vector<int> place_;  ///< of each clock; -1: it is another one
  Matrix values_;
};

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

LinkForms::LinkForms(const SmoothProblem& problem) : place(problem.links.size(), -1) {
  constexpr std::size_t dear = 4;  // a row, as knots that lie together
  std::vector<std::size_t> count(problem.links.size(), 0);
  for (const Row& row : problem.rows) ++count[static_cast<std::size_t>(row.of)];
  for (std::size_t link = 0; link < count.size(); ++link) {
    if (dear * count[link] < static_cast<std::size_t>(problem.knots)) continue;
    place[link] = static_cast<int>(with_knots.size());
    with_knots.push_back(static_cast<int>(link));
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    if (place[static_cast<std::size_t>(problem.rows[i].of)] < 0) rows.push_back(i);
}

SmoothEquations::SmoothEquations(const SmoothProblem& problem, const Weights& weights)
    : problem_(problem), weights_(weights), forms_(problem) {
  diagonal_ = beside_ = coupling_ = Matrix::Zero(together, Eigen::Index{parts()} * problem.knots);
  bias_right_ = Vector::Zero(problem.bias_weights.size());
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
  for (Eigen::Index i = 0; i < weights_.rows.size(); ++i) {
    const Row& row = problem_.rows[static_cast<std::size_t>(i)];
    const double here = weights_.rows[i] * (1 - row.part);
    const double next = weights_.rows[i] * row.part;
    const bool has_bias = problem_.bias_weights[row.of] != 0;
    if (const int place = forms_.place[static_cast<std::size_t>(row.of)]; place >= 0) {
      const Eigen::Index column = this->column(place, row.knot);
      const int at = place % together;
      diagonal_(at, column) += here * (1 - row.part);
      diagonal_(at, column + 1) += next * row.part;
      beside_(at, column) += here * row.part;
      if (has_bias) coupling_(at, column) += here;
      if (has_bias) coupling_(at, column + 1) += next;
    }
    if (!has_bias) continue;
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
  Vector result = bias_right_;
  for (int knot = 0; knot < problem_.knots; ++knot)
    for (int place = 0; place < static_cast<int>(forms_.with_knots.size()); ++place) {
      const int link = forms_.with_knots[static_cast<std::size_t>(place)];
      const auto [low, high] = problem_.links[static_cast<std::size_t>(link)];
      const double apart = problem_.at(y, high, knot) - problem_.at(y, low, knot);
      result[link] -= coupling_(place % together, column(place, knot)) * apart;
    }
  for (const std::size_t i : forms_.rows) result[problem_.rows[i].of] -= weighed_apart(y, i);
  return result.cwiseProduct(bias_inverse_);
}

Vector SmoothEquations::times(const Vector& y) const {
  Vector result = Vector::Zero(y.size());
  Eigen::Map<Matrix> sums(result.data(), problem_.clocks, problem_.knots);
  const Matrix bends = weights_.bends.cwiseProduct(second_differences(problem_, y));
  sums.leftCols(bends.cols()) += bends;
  sums.middleCols(1, bends.cols()) -= 2 * bends;
  sums.rightCols(bends.cols()) += bends;
  add_links(y, result);
  add_links_with_rows(y, result);
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
    const int count = std::min(together, static_cast<int>(forms_.with_knots.size()) - begin);
    std::array<Link, together> links;
    Values inverse = Values::Zero();
    for (int i = 0; i < count; ++i) {
      const int link = forms_.with_knots[static_cast<std::size_t>(begin + i)];
      links[static_cast<std::size_t>(i)] = problem_.links[static_cast<std::size_t>(link)];
      inverse[i] = bias_inverse_[link];
    }
    const auto of = [&](const Matrix& matrix, int knot) {
      return Eigen::Map<const Values>(matrix.col(Eigen::Index{part} * knots + knot).data());
    };
    Values biases = Values::Zero();
    for (int knot = 0; knot < knots; ++knot) {
      const double* const at = y.data() + Eigen::Index{knot} * problem_.clocks;
      Values& here = apart[static_cast<std::size_t>(knot) + 1];
      here.tail(together - count).setZero();
      for (int i = 0; i < count; ++i) {
        const auto [low, high] = links[static_cast<std::size_t>(i)];
        here[i] = at[high] - at[low];
      }
      biases += of(coupling_, knot) * here;
    }
    biases *= inverse;
    for (int knot = 0; knot < knots; ++knot) {
      const Values* const here = &apart[static_cast<std::size_t>(knot) + 1];
      const Values values = of(beside_, std::max(knot - 1, 0)) * here[-1] + of(diagonal_, knot) * here[0] +
                            of(beside_, knot) * here[1] - of(coupling_, knot) * biases;
      double* const to = sums.data() + Eigen::Index{knot} * problem_.clocks;
      for (int i = 0; i < count; ++i) {
        const auto [low, high] = links[static_cast<std::size_t>(i)];
        to[high] += values[i];
        to[low] -= values[i];
      }
    }
  }
}

/// By how much the clocks of a row are apart, by its weight.
double SmoothEquations::weighed_apart(const Vector& y, std::size_t i) const noexcept {
  const Row& row = problem_.rows[i];
  const auto [low, high] = problem_.link_of(row);
  return weights_.rows[static_cast<Eigen::Index>(i)] *
         (value_at(problem_, y, high, row) - value_at(problem_, y, low, row));
}

void SmoothEquations::add_links_with_rows(const Vector& y, Vector& sums) const {
  if (forms_.rows.empty()) return;
  std::vector<double> apart;  // of each row, by its weight
  apart.reserve(forms_.rows.size());
  Vector biases = Vector::Zero(bias_inverse_.size());
  for (const std::size_t i : forms_.rows) {
    apart.push_back(weighed_apart(y, i));
    biases[problem_.rows[i].of] += apart.back();
  }
  biases = biases.cwiseProduct(bias_inverse_);
  for (std::size_t at = 0; at < apart.size(); ++at) {
    const std::size_t i = forms_.rows[at];
    const Row& row = problem_.rows[i];
    const auto [low, high] = problem_.link_of(row);
    const double value = apart[at] - weights_.rows[static_cast<Eigen::Index>(i)] * biases[row.of];
    double* const to = sums.data() + Eigen::Index{row.knot} * problem_.clocks;
    to[high] += (1 - row.part) * value;
    to[low] -= (1 - row.part) * value;
    to[problem_.clocks + high] += row.part * value;
    to[problem_.clocks + low] -= row.part * value;
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

Matrix SmoothEquations::band(const std::vector<int>& clocks) const {
  Band band(clocks, problem_);
  for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
    const Row& row = problem_.rows[i];
    const auto [low, high] = problem_.link_of(row);
    for (const int clock : {low, high})
      if (band.has(clock)) band.add(clock, row, weight_left(i));
    if (band.has(low) && band.has(high)) band.couple(low, high, row, -weight_left(i));
  }
  for (std::size_t i = 0; i < problem_.known.size(); ++i) {
    const Row& row = problem_.known[i];
    if (band.has(row.of)) band.add(row.of, row, weights_.known[static_cast<Eigen::Index>(i)]);
  }
  constexpr double factors[] = {1, -2, 1};
  for (const int clock : clocks)
    for (Eigen::Index knot = 0; knot < weights_.bends.cols(); ++knot)
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b)
          band.add(clock, knot + a, clock, knot + b, weights_.bends(clock, knot) * factors[a] * factors[b]);
  return std::move(band).values();
}

Vector SmoothEquations::link_weights(const Vector& shape) const {
  const Eigen::Index intervals = shape.size() - 1;
  const Vector products = 2 * shape.head(intervals).cwiseProduct(shape.tail(intervals));
  Vector result = Vector::Zero(bias_inverse_.size());
  Vector means = result;
  for (int part = 0; part < parts(); ++part) {
    const Eigen::Index begin = Eigen::Index{part} * shape.size();
    const Vector means_of_part = coupling_.middleCols(begin, shape.size()) * shape;
    const Vector squares =
        diagonal_.middleCols(begin, shape.size()) * shape.cwiseAbs2() + beside_.middleCols(begin, intervals) * products;
    const int count = std::min(together, static_cast<int>(forms_.with_knots.size()) - part * together);
    for (int i = 0; i < count; ++i) {
      const int link = forms_.with_knots[static_cast<std::size_t>(part * together + i)];
      result[link] = squares[i];
      means[link] = means_of_part[i];
    }
  }
  for (const std::size_t i : forms_.rows) {
    const Row& row = problem_.rows[i];
    const double value = value_at(shape, row);
    const double weight = weights_.rows[static_cast<Eigen::Index>(i)];
    result[row.of] += weight * value * value;
    means[row.of] += weight * value;
  }
  // The bias takes up the mean. No less than nothing is left, whatever the rounding.
  return (result - means.cwiseAbs2().cwiseProduct(bias_inverse_)).cwiseMax(0.0);
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
