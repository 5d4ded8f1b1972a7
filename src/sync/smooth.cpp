#include "sync/smooth.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sync/two_level.hpp"

namespace clc::sync {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Triplet = Eigen::Triplet<double>;

constexpr int reweightings = 3;
constexpr double freedom = 4;  // of Student's t
constexpr double precision = 1e-10;
constexpr int most_iterations = 2000;
constexpr double stiff = 4;  // times the weight at a clock: for such modes neighbours hardly matter

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
  int link = -1;      ///< of the graph: the pair that was observed

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
    size_ = knots_ * clocks_ + static_cast<int>(graph_.links.size());
    for (int clock = 0; clock < clocks_; ++clock)
      for (int knot = 1; knot + 1 < knots_; ++knot) {
        Row row;
        row.add(clock * knots_ + knot - 1, 1);
        row.add(clock * knots_ + knot, -2);
        row.add(clock * knots_ + knot + 1, 1);
        row.weight = 1 / knots.bend;
        soft_.push_back(row);
      }
    for (const ClockIndex first : groups_.first) graph_.first.push_back(column_[first] / knots_);
    modes_ = modes_of(mass(), knots.bend, stiff * middle_weight());
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
    const auto link = static_cast<int>(graph_.links.size());
    graph_.links.push_back({column_[pair.low] / knots_, column_[pair.high] / knots_});
    bias_weight_.conservativeResize(link + 1);
    bias_weight_[link] = pair.bias_sd > 0 ? 1 / (pair.bias_sd * pair.bias_sd) : 1;
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
      if (pair.bias_sd > 0) row.add(knots_ * clocks_ + link, 1);
      row.right = one.value + y(pair.high) - y(pair.low);
      row.weight = 1 / one.variance;
      row.link = link;
      data_.push_back(row);
    }
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

  [[nodiscard]] bool has_bias(const Row& row) const noexcept {
    return row.entries[static_cast<std::size_t>(row.count - 1)].first >= knots_ * clocks_;
  }
  /// Of rows, now.
  [[nodiscard]] static Vector weights(const std::vector<Row>& rows, const Vector& x, bool robust) {
    Vector result(static_cast<Eigen::Index>(rows.size()));
    for (Eigen::Index i = 0; const Row& row : rows)
      result[i++] = robust ? row.weight * student(row.residual(x) * std::sqrt(row.weight)) : row.weight;
    return result;
  }
  /// The sum of the diagonal of each bias.
  [[nodiscard]] Vector bias_weights(const Vector& weights) const {
    Vector result = bias_weight_;
    for (Eigen::Index i = 0; i < weights.size(); ++i)
      if (const Row& row = data_[static_cast<std::size_t>(i)]; has_bias(row)) result[row.link] += weights[i];
    return result;
  }
  /// What each mode sees of the data. The bias of a pair takes up the mean of its observations.
  void weigh_graph(const Vector& weights, const Vector& biases) {
    const Eigen::Index modes = modes_.shapes.cols();
    graph_.weights.setZero(modes, biases.size());
    graph_.anchors.setZero(modes, clocks_);
    Eigen::MatrixXd means = Eigen::MatrixXd::Zero(modes, biases.size());
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      const Row& row = data_[static_cast<std::size_t>(i)];
      const int clock = row.entries[0].first / knots_;
      Vector shape = Vector::Zero(modes);
      for (int j = 0; j < row.count; ++j)
        if (const auto [at, factor] = row.entries[static_cast<std::size_t>(j)]; at / knots_ == clock)
          shape += factor * modes_.shapes.row(at % knots_).transpose();
      (row.link < 0 ? graph_.anchors.col(clock) : graph_.weights.col(row.link)) += weights[i] * shape.cwiseAbs2();
      if (has_bias(row)) means.col(row.link) += weights[i] * shape;
    }
    for (Eigen::Index link = 0; link < biases.size(); ++link)
      graph_.weights.col(link) -= means.col(link).cwiseAbs2() / biases[link];
  }
  /// What each clock sees by itself: an observation counts for as much as the bias of its pair leaves of it.
  [[nodiscard]] Matrix blocks(const Vector& data, const Vector& soft, const Vector& biases) const {
    std::vector<Triplet> entries;
    const auto add = [&](const Row& row, double weight) {
      for (int i = 0; i < row.count; ++i)
        for (int j = 0; j < row.count; ++j) {
          const auto [at, factor] = row.entries[static_cast<std::size_t>(i)];
          const auto [other, by] = row.entries[static_cast<std::size_t>(j)];
          if (at / knots_ == other / knots_ && at < knots_ * clocks_ && other < knots_ * clocks_)
            entries.emplace_back(at, other, weight * factor * by);
        }
    };
    for (Eigen::Index i = 0; const Row& row : data_) add(row, left_of(data[i++], row, biases));
    for (Eigen::Index i = 0; const Row& row : soft_) add(row, soft[i++]);
    Matrix result(knots_ * clocks_, knots_ * clocks_);
    result.setFromTriplets(entries.begin(), entries.end());
    result.diagonal() *= 1 + 1e-9;
    return result;
  }
  /// What the bias of its pair leaves of the weight of an observation.
  [[nodiscard]] double left_of(double weight, const Row& row, const Vector& biases) const {
    return has_bias(row) ? weight * (1 - weight / biases[row.link]) : weight;
  }
  /// The median of the sums of weights at the clocks.
  [[nodiscard]] double middle_weight() const {
    const Vector plain = weights(data_, {}, false);
    const Vector biases = bias_weights(plain);
    std::vector<double> sums(static_cast<std::size_t>(clocks_), 0.0);
    for (Eigen::Index i = 0; const Row& row : data_) {
      const double weight = left_of(plain[i++], row, biases);
      sums[static_cast<std::size_t>(row.entries[0].first / knots_)] += weight;
      if (row.link >= 0) sums[static_cast<std::size_t>(graph_.links[static_cast<std::size_t>(row.link)].low)] += weight;
    }
    const auto middle = sums.begin() + std::ssize(sums) / 2;
    std::nth_element(sums.begin(), middle, sums.end());
    return *middle;
  }
  /// Each observation counts the same: a few exact ones would tell of their moments only.
  [[nodiscard]] Matrix mass() const {
    std::vector<Triplet> entries;
    for (const Row& row : data_) {
      const int clock = row.entries[0].first / knots_;
      for (int i = 0; i < row.count; ++i)
        for (int j = 0; j < row.count; ++j) {
          const auto [at, factor] = row.entries[static_cast<std::size_t>(i)];
          const auto [other, by] = row.entries[static_cast<std::size_t>(j)];
          if (at / knots_ == clock && other / knots_ == clock)
            entries.emplace_back(at % knots_, other % knots_, factor * by);
        }
    }
    Matrix result(knots_, knots_);
    result.setFromTriplets(entries.begin(), entries.end());
    return result / static_cast<double>(data_.size());
  }

  [[nodiscard]] Vector weighted(const Vector& x, bool robust) {
    std::vector<Triplet> entries;
    Vector right = Vector::Zero(size_);
    const auto add = [&](const Row& row, double weight) {
      for (int i = 0; i < row.count; ++i) {
        const auto [at, factor] = row.entries[static_cast<std::size_t>(i)];
        right[at] += weight * factor * row.right;
        for (int j = 0; j < row.count; ++j) {
          const auto [other, by] = row.entries[static_cast<std::size_t>(j)];
          entries.emplace_back(at, other, weight * factor * by);
        }
      }
    };
    const Vector data = weights(data_, x, robust);
    const Vector soft = weights(soft_, x, robust);
    for (Eigen::Index i = 0; const Row& row : data_) add(row, data[i++]);
    for (Eigen::Index i = 0; const Row& row : soft_) add(row, soft[i++]);
    for (int link = 0; link < bias_weight_.size(); ++link)
      entries.emplace_back(knots_ * clocks_ + link, knots_ * clocks_ + link, bias_weight_[link]);
    Matrix matrix(size_, size_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Vector biases = bias_weights(data);
    weigh_graph(data, biases);
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, TwoLevel> gradients;
    gradients.preconditioner().set(matrix, blocks(data, soft, biases), modes_, graph_);
    gradients.setTolerance(precision);
    gradients.setMaxIterations(most_iterations);
    gradients.compute(matrix);
    return gradients.solveWithGuess(right, x);
  }

  const Groups& groups_;
  Windows grid_;
  int knots_;
  int clocks_ = 0;
  int size_ = 0;
  std::vector<int> column_;  ///< of each clock's first knot; -1: it takes no part
  std::vector<Row> data_;
  std::vector<Row> soft_;
  Vector bias_weight_;  ///< 1/variance of the bias of each pair
  ClockGraph graph_;
  Modes modes_;
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
