#include "sync/smooth.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sync/two_level.hpp"

namespace clc::sync {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
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

/// The sum of weight * (row - right)^2 over rows of unknowns: those of observations, of second differences in time,
/// which keep the curves smooth, and of the biases, which are near 0. Unknowns: the knots of each clock, then the
/// biases.
class Smoother {
 public:
  Smoother(const std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, const Knots& knots,
           const std::vector<KnownValue>& known)
      : groups_(groups), grid_(knots.grid), knots_(static_cast<int>(knots.grid.count)) {
    column_.assign(curves.size(), -1);
    for (std::size_t clock = 0; clock < curves.size(); ++clock)
      if (groups.of[clock] != Groups::none) column_[clock] = knots_ * clocks_++;
    for (const Pair& pair : pairs) {
      if (pair.observations.empty()) continue;
      graph_.links.push_back({column_[pair.low] / knots_, column_[pair.high] / knots_});
      observations_ += static_cast<int>(pair.observations.size());
    }
    for (const KnownValue& one : known) observations_ += column_[one.clock] < 0 ? 0 : 1;
    const auto links = static_cast<int>(graph_.links.size());
    const int rows = observations_ + clocks_ * (knots_ - 2) + links;
    rows_.resize(rows, all_knots() + links);
    rows_.reserve(5 * Eigen::Index{rows});
    right_ = Vector::Zero(rows);
    weight_ = Vector::Zero(rows);
    link_.assign(static_cast<std::size_t>(observations_), -1);
    for (int link = 0; const Pair& pair : pairs)
      if (!pair.observations.empty()) add_pair(curves, pair, link++);
    if (!known.empty()) add_known(known, 4 / middle_variance(pairs));
    add_bends(1 / knots.bend);
    for (int link = 0; const Pair& pair : pairs)
      if (!pair.observations.empty()) add_bias(pair, link++);
    rows_.finalize();
    for (const ClockIndex first : groups_.first) graph_.first.push_back(column_[first] / knots_);
    modes_ = modes_of(mass(), knots.bend, stiff * middle_weight());
  }

  [[nodiscard]] std::vector<std::vector<double>> solve() {
    Vector x = Vector::Zero(rows_.cols());
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
  using Entry = Rows::InnerIterator;

  [[nodiscard]] int all_knots() const noexcept { return knots_ * clocks_; }
  [[nodiscard]] int clock_of(Eigen::Index column) const noexcept { return static_cast<int>(column) / knots_; }
  /// Of an observation.
  [[nodiscard]] int first_clock(int row) const { return clock_of(Entry(rows_, row).index()); }

  void begin_row(double right, double weight) {
    rows_.startVec(row_);
    right_[row_] = right;
    weight_[row_++] = weight;
  }
  /// Columns of a row come in their order.
  void add(int column, double factor) {
    if (factor != 0) rows_.insertBack(row_ - 1, column) = factor;
  }

  void add_pair(const std::vector<Curve>& curves, const Pair& pair, int link) {
    for (const Observation& one : pair.observations) {
      const Place place = place_of(grid_, one.time);
      const auto knot = static_cast<int>(place.knot);
      const auto y = [&](ClockIndex clock) {
        const std::vector<double>& knots = curves[clock].knots;
        return knots.empty() ? 0.0 : (1 - place.part) * knots[place.knot] + place.part * knots[place.knot + 1];
      };
      link_[static_cast<std::size_t>(row_)] = link;
      begin_row(one.value + y(pair.high) - y(pair.low), 1 / one.variance);
      add(column_[pair.low] + knot, -(1 - place.part));
      add(column_[pair.low] + knot + 1, -place.part);
      add(column_[pair.high] + knot, 1 - place.part);
      add(column_[pair.high] + knot + 1, place.part);
      if (pair.bias_sd > 0) add(all_knots() + link, 1);
    }
  }

  void add_known(const std::vector<KnownValue>& known, double weight) {
    for (const KnownValue& one : known) {
      if (column_[one.clock] < 0) continue;
      const Place place = place_of(grid_, one.time);
      const int knot = column_[one.clock] + static_cast<int>(place.knot);
      begin_row(one.value, weight);
      add(knot, 1 - place.part);
      add(knot + 1, place.part);
    }
  }

  void add_bends(double weight) {
    for (int clock = 0; clock < clocks_; ++clock)
      for (int knot = clock * knots_ + 1; knot + 1 < (clock + 1) * knots_; ++knot) {
        begin_row(0, weight);
        add(knot - 1, 1);
        add(knot, -2);
        add(knot + 1, 1);
      }
  }

  void add_bias(const Pair& pair, int link) {
    begin_row(0, pair.bias_sd > 0 ? 1 / (pair.bias_sd * pair.bias_sd) : 1);
    add(all_knots() + link, 1);
  }

  [[nodiscard]] bool has_bias(int row) const {
    return rows_.innerIndexPtr()[rows_.outerIndexPtr()[row + 1] - 1] >= all_knots();
  }
  /// Of all rows, now.
  [[nodiscard]] Vector weights(const Vector& x) const {
    Vector result = weight_;
    const Vector residuals = rows_ * x - right_;
    for (Eigen::Index i = 0; i < result.size() - std::ssize(graph_.links); ++i)
      result[i] *= student(residuals[i] * std::sqrt(weight_[i]));
    return result;
  }
  /// The sum of the diagonal of each bias.
  [[nodiscard]] Vector bias_weights(const Vector& weights) const {
    Vector result = weights.tail(std::ssize(graph_.links));
    for (int row = 0; row < observations_; ++row)
      if (has_bias(row)) result[link_of(row)] += weights[row];
    return result;
  }
  [[nodiscard]] int link_of(int row) const noexcept { return link_[static_cast<std::size_t>(row)]; }

  /// What each mode sees of the data. The bias of a pair takes up the mean of its observations.
  void weigh_graph(const Vector& weights, const Vector& biases) {
    const Eigen::Index modes = modes_.shapes.cols();
    graph_.weights.setZero(modes, biases.size());
    graph_.anchors.setZero(modes, clocks_);
    Eigen::MatrixXd means = Eigen::MatrixXd::Zero(modes, biases.size());
    for (int row = 0; row < observations_; ++row) {
      const int clock = first_clock(row);
      Vector shape = Vector::Zero(modes);
      for (Entry entry(rows_, row); entry && clock_of(entry.index()) == clock; ++entry)
        shape += entry.value() * modes_.shapes.row(entry.index() % knots_).transpose();
      const int link = link_of(row);
      (link < 0 ? graph_.anchors.col(clock) : graph_.weights.col(link)) += weights[row] * shape.cwiseAbs2();
      if (has_bias(row)) means.col(link) += weights[row] * shape;
    }
    for (Eigen::Index link = 0; link < biases.size(); ++link)
      graph_.weights.col(link) -= means.col(link).cwiseAbs2() / biases[link];
  }
  /// What each clock sees by itself, the lower half: an observation counts for as much as the bias of its pair leaves
  /// of it.
  [[nodiscard]] Matrix blocks(const Vector& weights, const Vector& biases) const {
    Eigen::MatrixXd bands = Eigen::MatrixXd::Zero(3, all_knots());
    for (int row = 0; row < rows_.rows() - static_cast<int>(biases.size()); ++row) {
      const double weight = row < observations_ ? left_of(weights[row], row, biases) : weights[row];
      for (Entry left(rows_, row); left && left.index() < all_knots(); ++left)
        for (Entry right = left; right && clock_of(right.index()) == clock_of(left.index()); ++right)
          bands(right.index() - left.index(), left.index()) += weight * left.value() * right.value();
    }
    Matrix result(all_knots(), all_knots());
    result.reserve(bands.size());
    for (Eigen::Index column = 0; column < all_knots(); ++column) {
      result.startVec(column);
      bands(0, column) *= 1 + 1e-9;
      for (Eigen::Index band = 0; band < 3 && column + band < all_knots(); ++band)
        result.insertBack(column + band, column) = bands(band, column);
    }
    result.finalize();
    return result;
  }
  /// Of knots with biases.
  [[nodiscard]] Matrix coupling(const Vector& weights) const {
    std::vector<Triplet> entries;
    entries.reserve(4 * static_cast<std::size_t>(observations_));
    for (int row = 0; row < observations_; ++row)
      if (has_bias(row))
        for (Entry entry(rows_, row); entry && entry.index() < all_knots(); ++entry)
          entries.emplace_back(entry.index(), link_of(row), weights[row] * entry.value());
    Matrix result(all_knots(), static_cast<Eigen::Index>(graph_.links.size()));
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
  }
  /// What the bias of its pair leaves of the weight of an observation.
  [[nodiscard]] double left_of(double weight, int row, const Vector& biases) const {
    return has_bias(row) ? weight * (1 - weight / biases[link_of(row)]) : weight;
  }
  /// The median of the sums of weights at the clocks.
  [[nodiscard]] double middle_weight() const {
    const Vector biases = bias_weights(weight_);
    std::vector<double> sums(static_cast<std::size_t>(clocks_), 0.0);
    for (int row = 0; row < observations_; ++row) {
      const double weight = left_of(weight_[row], row, biases);
      sums[static_cast<std::size_t>(first_clock(row))] += weight;
      if (const int link = link_of(row); link >= 0)
        sums[static_cast<std::size_t>(graph_.links[static_cast<std::size_t>(link)].high)] += weight;
    }
    const auto middle = sums.begin() + std::ssize(sums) / 2;
    std::nth_element(sums.begin(), middle, sums.end());
    return *middle;
  }
  /// Each observation counts the same: a few exact ones would tell of their moments only.
  [[nodiscard]] Matrix mass() const {
    Matrix result(knots_, knots_);
    for (int row = 0; row < observations_; ++row) {
      const int clock = first_clock(row);
      for (Entry left(rows_, row); left && clock_of(left.index()) == clock; ++left)
        for (Entry right(rows_, row); right && clock_of(right.index()) == clock; ++right)
          result.coeffRef(left.index() % knots_, right.index() % knots_) += left.value() * right.value();
    }
    return result / static_cast<double>(observations_);
  }

  [[nodiscard]] Vector weighted(const Vector& x, bool robust) {
    const Vector weights = robust ? this->weights(x) : weight_;
    const Vector biases = bias_weights(weights);
    weigh_graph(weights, biases);
    const Vector roots = weights.cwiseSqrt();
    const Rows scaled = roots.asDiagonal() * rows_;
    Eigen::LeastSquaresConjugateGradient<Rows, TwoLevel> gradients;
    gradients.preconditioner().set(coupling(weights), biases, blocks(weights, biases), modes_, graph_);
    gradients.setTolerance(precision);
    gradients.setMaxIterations(most_iterations);
    gradients.compute(scaled);
    return gradients.solveWithGuess(right_.cwiseProduct(roots), x);
  }

  const Groups& groups_;
  Windows grid_;
  int knots_;
  int clocks_ = 0;
  int observations_ = 0;     ///< and values that are known
  int row_ = 0;              ///< the next one
  std::vector<int> column_;  ///< of each clock's first knot; -1: it takes no part
  Rows rows_;
  Vector right_;
  Vector weight_;          ///< 1/variance
  std::vector<int> link_;  ///< of each observation: its pair in the graph; -1: a known value
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
