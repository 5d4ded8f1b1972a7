#include "sync/lines.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace clc::sync {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Triplet = Eigen::Triplet<double>;

constexpr double rate_sd = 1e-4 / 1.4142135623730951;  // of one clock: 100 ppm for a difference
constexpr int rounds = 5;                              // of reweighting

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Unknowns: for each clock the offset in the middle of the trace, and, with rates, the change over half of it.
class Fit {
 public:
  Fit(const std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, bool rates)
      : curves_(curves), pairs_(pairs), groups_(groups), rates_(rates) {
    double begin = HUGE_VAL;
    double end = -HUGE_VAL;
    for (const Pair& pair : pairs)
      for (const Observation& one : pair.observations) {
        begin = std::min(begin, one.time);
        end = std::max(end, one.time);
      }
    middle_ = (begin + end) / 2;
    half_ = std::max((end - begin) / 2, 1e-12);
  }

  [[nodiscard]] Vector solve() const {
    Vector x = Vector::Zero(static_cast<Eigen::Index>(2 * curves_.size()));
    double scale = 0;
    for (int round = 0; round <= rounds; ++round) {
      x = weighted(x, scale);
      std::vector<double> residuals;
      for (const Pair& pair : pairs_)
        for (const Observation& one : pair.observations) residuals.push_back(std::abs(residual(pair, one, x)));
      scale = 1.5 * median(std::move(residuals));
    }
    return x;
  }
  [[nodiscard]] double middle() const noexcept { return middle_; }
  [[nodiscard]] double half() const noexcept { return half_; }

 private:
  [[nodiscard]] double part(const Observation& one) const noexcept { return (one.time - middle_) / half_; }
  /// In standard deviations.
  [[nodiscard]] double residual(const Pair& pair, const Observation& one, const Vector& x) const {
    const Eigen::Index low = 2 * Eigen::Index{pair.low};
    const Eigen::Index high = 2 * Eigen::Index{pair.high};
    const double expected = x[high] - x[low] + part(one) * (x[high + 1] - x[low + 1]);
    return (one.value - expected) / std::sqrt(one.variance + pair.bias_sd * pair.bias_sd);
  }
  [[nodiscard]] Vector weighted(const Vector& x, double scale) const {
    const auto size = x.size();
    std::vector<Triplet> entries;
    Vector right = Vector::Zero(size);
    for (const Pair& pair : pairs_) {
      // The normal equations of a pair are those of two lines against each other: three sums.
      double w0 = 0;
      double w1 = 0;
      double w2 = 0;
      double v0 = 0;
      double v1 = 0;
      for (const Observation& one : pair.observations) {
        double weight = 1 / (one.variance + pair.bias_sd * pair.bias_sd);
        if (scale > 0) weight /= 1 + std::pow(residual(pair, one, x) / scale / 3, 2);
        const double t = rates_ ? part(one) : 0;
        w0 += weight;
        w1 += weight * t;
        w2 += weight * t * t;
        v0 += weight * one.value;
        v1 += weight * t * one.value;
      }
      add(entries, right, pair, {w0, w1, w2, v0, v1});
    }
    add_priors(entries, right);
    Matrix normal(size, size);
    normal.setFromTriplets(entries.begin(), entries.end());
    Eigen::SimplicialLDLT<Matrix> cholesky(normal);
    return cholesky.solve(right);
  }
  struct Sums {
    double w0, w1, w2, v0, v1;
  };
  static void add(std::vector<Triplet>& entries, Vector& right, const Pair& pair, const Sums& sums) {
    const auto low = static_cast<int>(2 * pair.low);
    const auto high = static_cast<int>(2 * pair.high);
    for (const int row : {low, high})
      for (const int column : {low, high}) {
        const double sign = row == column ? 1 : -1;
        entries.emplace_back(row, column, sign * sums.w0);
        entries.emplace_back(row, column + 1, sign * sums.w1);
        entries.emplace_back(row + 1, column, sign * sums.w1);
        entries.emplace_back(row + 1, column + 1, sign * sums.w2);
      }
    right[high] += sums.v0;
    right[low] -= sums.v0;
    right[high + 1] += sums.v1;
    right[low + 1] -= sums.v1;
  }
  /// Of rates; and offsets are relative to the first clock of a group, those of others are 0.
  void add_priors(std::vector<Triplet>& entries, Vector& right) const {
    const double weight = 1 / std::pow(rate_sd * half_, 2);
    std::vector<double> stiffness(curves_.size(), 0.0);
    for (const Triplet& entry : entries)
      if (entry.row() == entry.col() && entry.row() % 2 == 0)
        stiffness[static_cast<std::size_t>(entry.row() / 2)] += entry.value();
    for (std::size_t clock = 0; clock < curves_.size(); ++clock) {
      const auto at = static_cast<int>(2 * clock);
      const std::uint32_t group = groups_.of[clock];
      if (group == Groups::none)
        entries.emplace_back(at, at, 1.0);
      else if (groups_.first[group] == clock)
        entries.emplace_back(at, at, stiffness[clock]);
      entries.emplace_back(at + 1, at + 1, rates_ ? weight : 1.0);
      if (rates_ && group != Groups::none) right[at + 1] -= weight * curves_[clock].rate * half_;
    }
  }

  const std::vector<Curve>& curves_;
  const std::vector<Pair>& pairs_;
  const Groups& groups_;
  bool rates_;
  double middle_ = 0;
  double half_ = 1;
};

}  // namespace

void fit_lines(std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, bool rates) {
  if (groups.first.empty()) return;
  const Fit fit(curves, pairs, groups, rates);
  const Vector x = fit.solve();
  std::vector<double> offsets;
  std::vector<double> all_rates;
  for (std::size_t clock = 0; clock < curves.size(); ++clock) {
    Curve& curve = curves[clock];
    if (groups.of[clock] != Groups::none) {
      // x(c) + more(c - x(c)): the line on top of the present one.
      const auto at = static_cast<Eigen::Index>(2 * clock);
      const double rate = rates ? x[at + 1] / fit.half() : 0;
      const double offset = x[at] - rate * fit.middle();
      const double before = curve.offset;
      curve.offset += offset - rate * before;
      curve.rate += rate * (1 - curve.rate);
    }
    offsets.push_back(curve.offset);
    all_rates.push_back(curve.rate);
  }
  centre(offsets, groups);
  centre(all_rates, groups);
  for (std::size_t clock = 0; clock < curves.size(); ++clock) {
    curves[clock].offset = offsets[clock];
    curves[clock].rate = all_rates[clock];
  }
}

namespace {

/// Medians of a pair's observations in eighths of the trace, with the rates of the curves put back.
struct Eighths {
  std::vector<double> times;
  std::vector<double> values;
};

Eighths eighths_of(const Pair& pair, const std::vector<Curve>& curves) {
  constexpr std::size_t parts = 8;
  std::vector<std::vector<double>> times(parts);
  std::vector<std::vector<double>> values(parts);
  const double begin = pair.observations.front().time;
  const double span = pair.observations.back().time - begin;
  for (const Observation& one : pair.observations) {
    const double part = std::clamp((one.time - begin) / span * parts, 0.0, parts - 1.0);
    times[static_cast<std::size_t>(part)].push_back(one.time);
    values[static_cast<std::size_t>(part)].push_back(one.value +
                                                     (curves[pair.high].rate - curves[pair.low].rate) * one.time);
  }
  Eighths result;
  for (std::size_t part = 0; part < parts; ++part)
    if (!times[part].empty()) {
      result.times.push_back(median(std::move(times[part])));
      result.values.push_back(median(std::move(values[part])));
    }
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// A straight line through the eighths rises by so many of its standard deviations.
double steepness(const Eighths& eighths) {
  const double time = mean(eighths.times);
  const double value = mean(eighths.values);
  double tt = 0;
  double tv = 0;
  double vv = 0;
  for (std::size_t i = 0; i < eighths.times.size(); ++i) {
    tt += (eighths.times[i] - time) * (eighths.times[i] - time);
    tv += (eighths.times[i] - time) * (eighths.values[i] - value);
    vv += (eighths.values[i] - value) * (eighths.values[i] - value);
  }
  const double slope = tv / tt;
  const double left = std::max(vv - slope * tv, 1e-12 * vv) / static_cast<double>(eighths.times.size() - 2);
  return left > 0 ? std::abs(slope) / std::sqrt(left / tt) : 0;
}

}  // namespace

namespace {

/// The offset changes between two bursts by so many of its standard deviations.
bool measured_rate(const Pair& pair, const std::vector<Curve>& curves) {
  constexpr double clearly = 8;
  const Observation& first = pair.observations.front();
  const Observation& last = pair.observations.back();
  const double rate = curves[pair.high].rate - curves[pair.low].rate;
  const double change = last.value - first.value + rate * (last.time - first.time);
  return std::abs(change) > clearly * std::sqrt(first.variance + last.variance);
}

}  // namespace

bool rates_matter(const std::vector<Curve>& curves, const std::vector<Pair>& pairs) {
  constexpr double clearly = 8;
  constexpr std::size_t least_parts = 4;
  std::vector<std::uint32_t> all(curves.size(), 0);
  std::vector<std::uint32_t> steep(curves.size(), 0);
  for (const Pair& pair : pairs) {
    if (pair.measured && measured_rate(pair, curves)) return true;
    if (pair.measured || pair.observations.size() < least_parts) continue;
    const Eighths eighths = eighths_of(pair, curves);
    const bool is_steep = eighths.times.size() >= least_parts && steepness(eighths) > clearly;
    for (const ClockIndex clock : {pair.low, pair.high}) {
      ++all[clock];
      steep[clock] += is_steep;
    }
  }
  for (std::size_t clock = 0; clock < curves.size(); ++clock)
    if (all[clock] > 0 && 2 * steep[clock] >= all[clock]) return true;
  return false;
}

}  // namespace clc::sync
