#include "sync/lines.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sync/conjugate_gradients.hpp"
#include "sync/median.hpp"
#include "sync/sampled_cholesky.hpp"

namespace clc::sync {

namespace {

using Vector = Eigen::VectorXd;

constexpr double rate_sd = 1e-4 / 1.4142135623730951;  // of one clock: 100 ppm for a difference
constexpr int rounds = 5;                              // of reweighting
// Of the standard deviation of a good observation.
constexpr double full = 1e-5;
constexpr double rough = 1e-4;  // before the weights are changed again
// By how much an observation that is far off loses weight. Coarse clocks fit most observations exactly, and a line that
// hangs on the others alone is still determined.
constexpr double most_distrust = 1e10;
// Of conjugate gradients. Where pairs were observed a few times only, some rates depend on the whole graph; they would
// take thousands of steps, are hardly determined, and stay closer to none.
constexpr int most_steps = 300;

/// The normal equations: those of a pair are those of two lines against each other, which three sums describe.
/// Unknowns: for each clock the offset in the middle of the trace; then, with rates, for each clock the change over
/// half of it.
struct Equations {
  struct Sums {
    int low;
    int high;
    double w0 = 0, w1 = 0, w2 = 0;
  };
  std::vector<Sums> pairs;
  Vector anchors;  ///< what is added to the diagonal
  Vector right;

  [[nodiscard]] Vector times(const Vector& x) const {
    Vector result = anchors.cwiseProduct(x);
    const Eigen::Index clocks = x.size() / 2;
    for (const Sums& pair : pairs) {
      const double offset = x[pair.high] - x[pair.low];
      const double change = x[clocks + pair.high] - x[clocks + pair.low];
      add(result, pair, pair.w0 * offset + pair.w1 * change, pair.w1 * offset + pair.w2 * change);
    }
    return result;
  }
  static void add(Vector& to, const Sums& pair, double of_offset, double of_change) {
    const Eigen::Index clocks = to.size() / 2;
    to[pair.high] += of_offset;
    to[pair.low] -= of_offset;
    to[clocks + pair.high] += of_change;
    to[clocks + pair.low] -= of_change;
  }
};

/// Offsets and changes apart: from the middle of the trace they hardly depend on each other.
class Preconditioner {
 public:
  Preconditioner(const EliminationOrder& order, const std::vector<Link>& links, const Equations& equations, bool rates)
      : offsets_(order, links, weights(equations, &Equations::Sums::w0), equations.anchors.head(order.nodes())) {
    if (rates)
      changes_.emplace(order, links, weights(equations, &Equations::Sums::w2), equations.anchors.tail(order.nodes()));
  }
  [[nodiscard]] Vector solve(const Vector& right) const {
    Vector result = right;
    offsets_.solve(result.head(right.size() / 2));
    if (changes_) changes_->solve(result.tail(right.size() / 2));
    return result;
  }

 private:
  static Vector weights(const Equations& equations, double Equations::Sums::*sum) {
    Vector result(std::ssize(equations.pairs));
    for (Eigen::Index i = 0; i < result.size(); ++i) result[i] = equations.pairs[static_cast<std::size_t>(i)].*sum;
    return result;
  }

  SampledCholesky offsets_;
  std::optional<SampledCholesky> changes_;
};

class LinesFit {
 public:
  LinesFit(const std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, bool rates)
      : curves_(curves), pairs_(pairs), groups_(groups), rates_(rates) {
    double begin = HUGE_VAL;
    double end = -HUGE_VAL;
    for (const Pair& pair : pairs) {
      links_.push_back({static_cast<int>(pair.low), static_cast<int>(pair.high)});
      for (const Observation& one : pair.observations) {
        begin = std::min(begin, one.time);
        end = std::max(end, one.time);
      }
    }
    middle_ = (begin + end) / 2;
    half_ = std::max((end - begin) / 2, 1e-12);
    for (const Pair& pair : pairs)
      for (const Observation& one : pair.observations)
        precisions_.push_back(1 / std::sqrt(one.variance + pair.bias_sd * pair.bias_sd));
    order_ = EliminationOrder(links_, static_cast<int>(curves.size()));
    good_ = good_error(pairs);
  }

  [[nodiscard]] Vector solve() {
    Vector x = Vector::Zero(static_cast<Eigen::Index>(2 * curves_.size()));
    for (int round = 0; round < rounds; ++round) {
      improve(x, good_ * rough);
      find_residuals(x);
    }
    improve(x, good_ * full);
    return x;
  }
  [[nodiscard]] double middle() const noexcept { return middle_; }
  [[nodiscard]] double half() const noexcept { return half_; }

 private:
  [[nodiscard]] double part(const Observation& one) const noexcept { return (one.time - middle_) / half_; }
  void find_residuals(const Vector& x) {
    const auto clocks = static_cast<Eigen::Index>(curves_.size());
    residuals_.clear();
    residuals_.reserve(precisions_.size());
    auto precision = precisions_.begin();
    for (const Pair& pair : pairs_) {
      const double offset = x[pair.high] - x[pair.low];
      const double change = x[clocks + pair.high] - x[clocks + pair.low];
      for (const Observation& one : pair.observations)
        residuals_.push_back(std::abs(one.value - (offset + part(one) * change)) * *precision++);
    }
    scale_ = 1.5 * median(residuals_);
  }
  void improve(Vector& x, double exact) const {
    const Equations equations = weighted(x.size());
    const Preconditioner preconditioner(order_, links_, equations, rates_);
    conjugate_gradients([&](const Vector& of) { return equations.times(of); }, equations.right,
                        [&](const Vector& of) { return preconditioner.solve(of); }, exact, x, most_steps);
  }
  [[nodiscard]] Equations weighted(Eigen::Index unknowns) const {
    Equations equations{{}, Vector::Zero(unknowns), Vector::Zero(unknowns)};
    equations.pairs.reserve(pairs_.size());
    auto next_residual = residuals_.begin();
    auto next_precision = precisions_.begin();
    for (const Pair& pair : pairs_) {
      Equations::Sums sums{static_cast<int>(pair.low), static_cast<int>(pair.high)};
      double v0 = 0;
      double v1 = 0;
      for (const Observation& one : pair.observations) {
        const double precision = *next_precision++;
        double weight = precision * precision;
        if (scale_ > 0) {
          // The error of a measured offset is known: it is not too far off if it is within that.
          const double own = pair.stated ? std::max(scale_, 1.0) : scale_;
          const double r = *next_residual++ / own / 3;
          weight /= 1 + std::min(r * r, most_distrust);
        }
        const double t = rates_ ? part(one) : 0;
        sums.w0 += weight;
        sums.w1 += weight * t;
        sums.w2 += weight * t * t;
        v0 += weight * one.value;
        v1 += weight * t * one.value;
      }
      equations.pairs.push_back(sums);
      Equations::add(equations.right, sums, v0, v1);
    }
    add_priors(equations);
    return equations;
  }
  /// Of rates; and offsets are relative to the first clock of a group, those of others are 0.
  void add_priors(Equations& equations) const {
    const double weight = 1 / std::pow(rate_sd * half_, 2);
    std::vector<double> stiffness(curves_.size(), 0.0);
    for (const Equations::Sums& pair : equations.pairs)
      for (const int clock : {pair.low, pair.high}) stiffness[static_cast<std::size_t>(clock)] += pair.w0;
    for (std::size_t clock = 0; clock < curves_.size(); ++clock) {
      const auto offset = static_cast<Eigen::Index>(clock);
      const auto change = static_cast<Eigen::Index>(curves_.size() + clock);
      const std::uint32_t group = groups_.of[clock];
      if (group == Groups::none)
        equations.anchors[offset] = 1;
      else if (groups_.first[group] == clock)
        equations.anchors[offset] = stiffness[clock];
      equations.anchors[change] = rates_ ? weight : 1;
      if (rates_ && group != Groups::none) equations.right[change] -= weight * curves_[clock].rate * half_;
    }
  }

  const std::vector<Curve>& curves_;
  const std::vector<Pair>& pairs_;
  const Groups& groups_;
  bool rates_;
  std::vector<Link> links_;  ///< the pairs
  EliminationOrder order_;
  double middle_ = 0;
  double half_ = 1;
  double good_ = 0;                 ///< standard deviation of an observation
  std::vector<double> precisions_;  ///< of all observations: 1/standard deviation, with that of the constant error
  std::vector<double> residuals_;   ///< their sizes in standard deviations
  double scale_ = 0;                ///< of these; 0: not known
};

}  // namespace

void fit_lines(std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, bool rates) {
  if (groups.first.empty()) return;
  LinesFit fit(curves, pairs, groups, rates);
  const Vector x = fit.solve();
  std::vector<double> offsets;
  std::vector<double> all_rates;
  for (std::size_t clock = 0; clock < curves.size(); ++clock) {
    Curve& curve = curves[clock];
    if (groups.of[clock] != Groups::none) {
      // x(c) + more(c - x(c)): the line on top of the present one.
      const double rate = rates ? x[static_cast<Eigen::Index>(curves.size() + clock)] / fit.half() : 0;
      const double offset = x[static_cast<Eigen::Index>(clock)] - rate * fit.middle();
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
