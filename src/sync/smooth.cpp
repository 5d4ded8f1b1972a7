#include "sync/smooth.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace clc::sync {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Triplet = Eigen::Triplet<double>;

constexpr int reweightings = 3;
constexpr double freedom = 4;  // of Student's t
constexpr double precision = 1e-10;
constexpr int most_iterations = 2000;

double middle_variance(const std::vector<Pair>& pairs) {
  std::vector<double> variances;
  for (const Pair& pair : pairs)
    for (const Observation& one : pair.observations) variances.push_back(one.variance);
  const auto middle = variances.begin() + std::ssize(variances) / 2;
  std::nth_element(variances.begin(), middle, variances.end());
  return *middle;
}

double student(double r) noexcept { return (freedom + 1) / (freedom + r * r); }

/// One equation: the entries of a row, with what stands on its right and its weight.
struct Row {
  std::array<std::pair<int, double>, 5> entries;
  int count = 0;
  double right = 0;
  double weight = 0;  ///< 1/variance

  void add(int column, double factor) noexcept {
    if (factor != 0) entries[static_cast<std::size_t>(count++)] = {column, factor};
  }
  [[nodiscard]] double residual(const Vector& x) const {
    double value = -right;
    for (int i = 0; i < count; ++i)
      value += entries[static_cast<std::size_t>(i)].second * x[entries[static_cast<std::size_t>(i)].first];
    return value;
  }
};

}  // namespace

/// Block of each clock, and a coarse system.
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
  void set(const Matrix& matrix, const Matrix& coarse_space, int knots, const std::vector<int>& pinned) {
    std::vector<Triplet> own;
    for (int column = 0; column < matrix.outerSize(); ++column)
      for (Matrix::InnerIterator entry(matrix, column); entry; ++entry) {
        const auto row = static_cast<int>(entry.row());
        const bool same = row / knots == column / knots && row < coarse_space.rows();
        if (row == column || (same && row < unknown_knots_ && column < unknown_knots_))
          own.emplace_back(row, column, row == column ? entry.value() * (1 + 1e-9) : entry.value());
      }
    Matrix blocks(matrix.rows(), matrix.cols());
    blocks.setFromTriplets(own.begin(), own.end());
    blocks_.compute(blocks);
    space_ = coarse_space;
    Matrix coarse = space_.transpose() * matrix * space_;
    for (const int at : pinned) coarse.coeffRef(at, at) *= 2;
    coarse_.compute(coarse);
  }
  void set_knots(int count) { unknown_knots_ = count; }
  [[nodiscard]] Vector solve(const Vector& right) const {
    Vector x = blocks_.solve(right);
    const Vector below = coarse_.solve(space_.transpose() * right);
    x += space_ * below;
    return x;
  }
  [[nodiscard]] static Eigen::ComputationInfo info() noexcept { return Eigen::Success; }

 private:
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> blocks_;
  Eigen::SimplicialLDLT<Matrix> coarse_;
  Matrix space_;
  int unknown_knots_ = 0;
};

namespace {

class Smoother {
 public:
  Smoother(const std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, const Knots& knots,
           const std::vector<KnownValue>& known)
      : groups_(groups), grid_(knots.grid), knots_(static_cast<int>(knots.grid.count)) {
    column_.assign(curves.size(), -1);
    for (std::size_t clock = 0; clock < curves.size(); ++clock)
      if (groups.of[clock] != Groups::none) column_[clock] = knots_ * clocks_++;
    for (const Pair& pair : pairs)
      if (!pair.observations.empty()) add_pair(curves, pair);
    if (!known.empty()) add_known(known, 4 / middle_variance(pairs));
    size_ = knots_ * clocks_ + biases_;
    for (int clock = 0; clock < clocks_; ++clock)
      for (int knot = 1; knot + 1 < knots_; ++knot) {
        Row row;
        row.add(clock * knots_ + knot - 1, 1);
        row.add(clock * knots_ + knot, -2);
        row.add(clock * knots_ + knot + 1, 1);
        row.weight = 1 / knots.bend;
        soft_.push_back(row);
      }
    make_coarse_space();
  }

  [[nodiscard]] std::vector<std::vector<double>> solve() {
    Vector x = Vector::Zero(size_);
    for (int round = 0; round <= reweightings; ++round) x = weighted(x, round > 0);
    std::vector<std::vector<double>> result(column_.size());
    std::vector<double> values(column_.size(), 0.0);
    for (int knot = 0; knot < knots_; ++knot) {
      for (std::size_t clock = 0; clock < values.size(); ++clock)
        values[clock] = column_[clock] < 0 ? 0 : x[column_[clock] + knot];
      centre(values, groups_);
      for (std::size_t clock = 0; clock < values.size(); ++clock)
        if (column_[clock] >= 0) result[clock].push_back(values[clock]);
    }
    return result;
  }

 private:
  void add_pair(const std::vector<Curve>& curves, const Pair& pair) {
    const int bias = -1 - biases_++;  // placed when the number of knots is known
    for (const Observation& one : pair.observations) {
      const Place place = place_of(grid_, one.time);
      const auto knot = static_cast<int>(place.knot);
      const auto y = [&](ClockIndex clock) {
        const std::vector<double>& knots = curves[clock].knots;
        return knots.empty() ? 0.0 : (1 - place.part) * knots[place.knot] + place.part * knots[place.knot + 1];
      };
      Row row;
      row.add(column_[pair.high] + knot, 1 - place.part);
      row.add(column_[pair.high] + knot + 1, place.part);
      row.add(column_[pair.low] + knot, -(1 - place.part));
      row.add(column_[pair.low] + knot + 1, -place.part);
      if (pair.bias_sd > 0) row.add(bias, 1);
      row.right = one.value + y(pair.high) - y(pair.low);
      row.weight = 1 / one.variance;
      data_.push_back(row);
    }
    bias_weight_.push_back(pair.bias_sd > 0 ? 1 / (pair.bias_sd * pair.bias_sd) : 1);
  }

  void add_known(const std::vector<KnownValue>& known, double weight) {
    for (const KnownValue& one : known) {
      if (column_[one.clock] < 0) continue;
      const Place place = place_of(grid_, one.time);
      const int knot = column_[one.clock] + static_cast<int>(place.knot);
      Row row;
      row.add(knot, 1 - place.part);
      row.add(knot + 1, place.part);
      row.right = one.value;
      row.weight = weight;
      data_.push_back(row);
    }
  }

  /// The number of knots is known now.
  void make_coarse_space() {
    const int first_bias = knots_ * clocks_;
    for (Row& row : data_)
      for (int i = 0; i < row.count; ++i) {
        int& column = row.entries[static_cast<std::size_t>(i)].first;
        if (column < 0) column = first_bias + (-1 - column);
      }
    std::vector<Triplet> entries;
    for (int clock = 0; clock < clocks_; ++clock)
      for (int knot = 0; knot < knots_; ++knot) {
        entries.emplace_back(clock * knots_ + knot, 2 * clock, 1.0);
        entries.emplace_back(clock * knots_ + knot, 2 * clock + 1, 2.0 * knot / (knots_ - 1) - 1);
      }
    for (int bias = 0; bias < biases_; ++bias) entries.emplace_back(first_bias + bias, 2 * clocks_ + bias, 1.0);
    space_.resize(size_, 2 * clocks_ + biases_);
    space_.setFromTriplets(entries.begin(), entries.end());
    for (const ClockIndex first : groups_.first) {
      pinned_.push_back(2 * (column_[first] / knots_));
      pinned_.push_back(2 * (column_[first] / knots_) + 1);
    }
  }

  [[nodiscard]] Vector weighted(const Vector& x, bool robust) {
    std::vector<Triplet> entries;
    Vector right = Vector::Zero(size_);
    const auto add = [&](const Row& row) {
      double weight = row.weight;
      if (robust) weight *= student(row.residual(x) * std::sqrt(row.weight));
      for (int i = 0; i < row.count; ++i) {
        const auto [at, factor] = row.entries[static_cast<std::size_t>(i)];
        right[at] += weight * factor * row.right;
        for (int j = 0; j < row.count; ++j) {
          const auto [other, by] = row.entries[static_cast<std::size_t>(j)];
          entries.emplace_back(at, other, weight * factor * by);
        }
      }
    };
    for (const Row& row : data_) add(row);
    for (const Row& row : soft_) add(row);
    for (int bias = 0; bias < biases_; ++bias)
      entries.emplace_back(knots_ * clocks_ + bias, knots_ * clocks_ + bias,
                           bias_weight_[static_cast<std::size_t>(bias)]);
    Matrix matrix(size_, size_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, TwoLevel> gradients;
    gradients.preconditioner().set_knots(knots_ * clocks_);
    gradients.preconditioner().set(matrix, space_, knots_, pinned_);
    gradients.setTolerance(precision);
    gradients.setMaxIterations(most_iterations);
    gradients.compute(matrix);
    return gradients.solveWithGuess(right, x);
  }

  const Groups& groups_;
  Windows grid_;
  int knots_;
  int clocks_ = 0;
  int biases_ = 0;
  int size_ = 0;
  std::vector<int> column_;  ///< of each clock's first knot; -1: it takes no part
  std::vector<Row> data_;
  std::vector<Row> soft_;
  std::vector<double> bias_weight_;
  Matrix space_;
  std::vector<int> pinned_;  ///< unknowns of the coarse system that stand for the gauge
};

}  // namespace

Knots knots_for(const std::vector<Pair>& pairs, const Windows& windows, double q) {
  const double least_bend = 0.03 * 0.03 * middle_variance(pairs);
  const double span = windows.length * static_cast<double>(windows.count);
  const double spacing = q > 0 ? std::cbrt(1.5 * least_bend / q) : span;
  constexpr double least_intervals = 2;
  const double most_intervals = std::max(least_intervals, static_cast<double>(windows.count));
  const double intervals = std::clamp(std::floor(span / spacing), least_intervals, most_intervals);
  const double length = span / intervals;
  return {{windows.begin - length / 2, length, static_cast<std::size_t>(intervals) + 1},
          std::max(least_bend, 2.0 / 3 * q * length * length * length)};
}

std::vector<std::vector<double>> solve_smooth(const std::vector<Curve>& curves, const std::vector<Pair>& pairs,
                                              const Groups& groups, const Knots& knots,
                                              const std::vector<KnownValue>& known) {
  return Smoother(curves, pairs, groups, knots, known).solve();
}

}  // namespace clc::sync
