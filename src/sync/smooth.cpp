#include "sync/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sync/conjugate_gradients.hpp"
#include "sync/median.hpp"
#include "sync/smooth_equations.hpp"
#include "sync/two_level.hpp"

namespace clc::sync {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr int reweightings = 3;
// Of the standard deviation of a good observation. The weights of the next round depend on it only as far as it changes
// the residuals.
constexpr double rough_weights = 1e-3;
constexpr double before_last = 1e-5;
constexpr double full_weights = 1e-6;
constexpr double stiff = 4;  // times the weight at a clock: for such modes neighbours hardly matter

/// Half of what all observations tell comes from those with at most this variance: most windows may be slack. What is
/// measured exactly tells of its moments only.
double middle_variance(const std::vector<Pair>& pairs) {
  std::vector<Weighted> variances;
  for (const Pair& pair : pairs)
    for (const Observation& one : pair.observations)
      if (!pair.is_exact()) variances.push_back({one.variance, 1 / one.variance});
  return median(std::move(variances));
}

/// The weight of a value that is known: that of four observations, most of which are slack.
double weight_of_known(const std::vector<Pair>& pairs) {
  std::vector<double> variances;
  for (const Pair& pair : pairs)
    for (const Observation& one : pair.observations) variances.push_back(one.variance);
  return 4 / median(std::move(variances));
}

/// The sum of weight * (row - value)^2 over observations, second differences in time, which keep the curves smooth, and
/// biases, which are near 0.
class Smoother {
 public:
  Smoother(const std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, const Knots& knots,
           const std::vector<KnownValue>& known)
      : groups_(groups), good_(good_error(pairs)), place_(curves.size(), -1) {
    problem_.knots = static_cast<int>(knots.grid.count);
    problem_.bend_weight = 1 / knots.bend;
    for (std::size_t clock = 0; clock < curves.size(); ++clock) {
      if (groups.of[clock] == Groups::none) continue;
      place_[clock] = problem_.clocks++;
    }
    add_pairs(curves, pairs, knots.grid);
    const double weight = known.empty() ? 0 : weight_of_known(pairs);
    for (const KnownValue& one : known)
      if (place_[one.clock] >= 0)
        problem_.known.push_back(row_at(knots.grid, one.time, place_[one.clock], one.value, weight));
    order_ = EliminationOrder(problem_.links, problem_.clocks);
    start_from(curves);
  }

  [[nodiscard]] std::vector<std::vector<double>> solve(Precision precision) {
    Weights weights = first_weights(problem_);
    for (int round = 0;; ++round) {
      const SmoothEquations equations(problem_, weights);
      if (round == 0) modes_ = modes_of(mass(), 1 / problem_.bend_weight, stiff * middle_weight(equations));
      const TwoLevel preconditioner(equations, problem_, modes_, order_);
      conjugate_gradients([&](const Vector& y) { return equations.times(y); }, equations.right(),
                          [&](const Vector& y) { return preconditioner.solve(y); },
                          good_ * (precision == Precision::rough ? rough_weights
                                   : round < reweightings        ? before_last
                                                                 : full_weights),
                          y_);
      if (round == reweightings) break;
      weights = reweighted(problem_, y_, equations.biases(y_));
    }
    return centred();
  }

 private:
  static Row row_at(const Windows& grid, double time, int of, double value, double weight) {
    const Place place = place_of(grid, time);
    return {of, static_cast<int>(place.knot), place.part, value, weight};
  }
  void add_pairs(const std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Windows& grid) {
    std::vector<double> biases;
    std::size_t rows = 0;
    for (const Pair& pair : pairs) rows += pair.observations.size();
    problem_.rows.reserve(rows);
    for (const Pair& pair : pairs) {
      if (pair.observations.empty()) continue;
      for (const Observation& one : pair.observations) {
        Row row = row_at(grid, one.time, static_cast<int>(biases.size()), one.value, 1 / one.variance);
        const auto y = [&](ClockIndex clock) {
          const std::vector<double>& knots = curves[clock].knots;
          const auto knot = static_cast<std::size_t>(row.knot);
          return knots.empty() ? 0.0 : (1 - row.part) * knots[knot] + row.part * knots[knot + 1];
        };
        row.value += y(pair.high) - y(pair.low);
        problem_.rows.push_back(row);
      }
      problem_.links.push_back({place_[pair.low], place_[pair.high]});
      biases.push_back(pair.bias_sd > 0 ? 1 / (pair.bias_sd * pair.bias_sd) : 0);
    }
    problem_.bias_weights = Eigen::Map<const Vector>(biases.data(), std::ssize(biases));
  }
  /// The curves so far.
  void start_from(const std::vector<Curve>& curves) {
    y_ = Vector::Zero(Eigen::Index{problem_.clocks} * problem_.knots);
    for (std::size_t clock = 0; clock < curves.size(); ++clock)
      for (std::size_t knot = 0; place_[clock] >= 0 && knot < curves[clock].knots.size(); ++knot)
        y_[static_cast<Eigen::Index>(knot) * problem_.clocks + place_[clock]] = curves[clock].knots[knot];
  }
  /// The median of the sums of weights at the clocks.
  [[nodiscard]] double middle_weight(const SmoothEquations& equations) const {
    std::vector<double> sums(static_cast<std::size_t>(problem_.clocks), 0.0);
    for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
      const auto [low, high] = problem_.link_of(problem_.rows[i]);
      for (const int clock : {low, high}) sums[static_cast<std::size_t>(clock)] += equations.weight_left(i);
    }
    for (const Row& row : problem_.known) sums[static_cast<std::size_t>(row.of)] += row.weight;
    return median(std::move(sums));
  }
  /// Each observation counts the same: a few exact ones would tell of their moments only.
  [[nodiscard]] Matrix mass() const {
    Matrix result = Matrix::Zero(problem_.knots, problem_.knots);
    for (const std::vector<Row>* rows : {&problem_.rows, &problem_.known})
      for (const Row& row : *rows) {
        result(row.knot, row.knot) += (1 - row.part) * (1 - row.part);
        result(row.knot + 1, row.knot + 1) += row.part * row.part;
        result(row.knot, row.knot + 1) += (1 - row.part) * row.part;
        result(row.knot + 1, row.knot) += (1 - row.part) * row.part;
      }
    return result / static_cast<double>(problem_.rows.size() + problem_.known.size());
  }
  /// The values at the knots of each clock.
  [[nodiscard]] std::vector<std::vector<double>> centred() const {
    std::vector<std::vector<double>> result(place_.size());
    std::vector<double> values(place_.size(), 0.0);
    for (int knot = 0; knot < problem_.knots; ++knot) {
      for (std::size_t clock = 0; clock < values.size(); ++clock)
        values[clock] = place_[clock] < 0 ? 0 : problem_.at(y_, place_[clock], knot);
      centre(values, groups_);
      for (std::size_t clock = 0; clock < values.size(); ++clock)
        if (place_[clock] >= 0) result[clock].push_back(values[clock]);
    }
    return result;
  }

  const Groups& groups_;
  double good_;             ///< standard deviation of an observation
  std::vector<int> place_;  ///< of each clock among those of the problem; -1: it takes no part
  SmoothProblem problem_;
  EliminationOrder order_;
  Modes modes_;
  Vector y_;
};

}  // namespace

Knots knots_for(const std::vector<Pair>& pairs, const Windows& windows, double q) {
  const double least_bend = 0.03 * 0.03 * middle_variance(pairs);
  const double span = windows.span();
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
                                              const std::vector<KnownValue>& known, Precision precision) {
  return Smoother(curves, pairs, groups, knots, known).solve(precision);
}

}  // namespace clc::sync
