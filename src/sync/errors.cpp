#include "sync/errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "sync/median.hpp"
#include "sync/variances.hpp"

namespace clc::sync {

namespace {

constexpr double normal_square = 0.4549;  // the median of that of a normal variable

/// The middle of what is left of the offset of a pair, as robust as the smooth fit: by Student's t. Nothing else leaves
/// out the windows that are far off, and a median would be a tick where clocks are coarse.
double middle_of(const Pair& pair) {
  constexpr double freedom = 4;
  constexpr int rounds = 3;
  std::vector<Weighted> values;
  values.reserve(pair.observations.size());
  for (const Observation& one : pair.observations) values.push_back({one.value, 1 / one.variance});
  double middle = median(std::move(values));
  for (int round = 0; round < rounds; ++round) {
    double weights = 0;
    double sum = 0;
    for (const Observation& one : pair.observations) {
      const double apart = one.value - middle;
      const double weight = 1 / (freedom * one.variance + apart * apart);
      weights += weight;
      sum += weight * apart;
    }
    middle += sum / weights;
  }
  return middle;
}

/// What the observations of a pair say, with the final curves. Weighted medians: a few windows are far off, and many
/// say next to nothing.
struct Scatter {
  double count = 0;     ///< of observations that would say as much, if all were like the middle one
  double variance = 0;  ///< of one of them
  double mean = 0;      ///< what is left of the offset
  double noise = 0;     ///< variance of what is left beside it and differs from window to window
  double slow = 0;      ///< variance of the rest: what the curve misses

  /// Variance of the offset without its constant error, as assumed or as seen of one of them; 1: there are none.
  [[nodiscard]] double of_offset() const noexcept { return count > 0 ? std::min(variance, noise) / count + 1e-24 : 1; }
};

Scatter scatter_of(const Pair& pair) {
  if (pair.observations.empty()) return {};
  std::vector<Weighted> variances;
  double weight = 0;
  for (const Observation& one : pair.observations) {
    variances.push_back({one.variance, 1 / one.variance});
    weight += 1 / one.variance;
  }
  const double mean = middle_of(pair);
  std::vector<Weighted> squares;
  std::vector<Weighted> changes;
  const Observation* before = nullptr;
  double least = HUGE_VAL;
  for (const Observation& one : pair.observations) {
    squares.push_back({(one.value - mean) * (one.value - mean), 1 / one.variance});
    least = std::min(least, one.variance);
    if (before != nullptr) {
      const double change = one.value - before->value;
      changes.push_back({change * change / 2, 1 / (one.variance + before->variance)});
    }
    before = &one;
  }
  const double variance = median(std::move(variances));
  const double left = median(std::move(squares)) / normal_square;
  const double seen = std::min(left, std::max(least, median(std::move(changes)) / normal_square));
  // Where ticks are coarse most windows show the same, and yet none of them is exact.
  const double noise = std::max(seen, pair.rounding);
  return {weight * variance, variance, mean, noise, left - seen};
}

std::vector<Scatter> scatters_of(const std::vector<Pair>& pairs) {
  std::vector<Scatter> scatters;
  scatters.reserve(pairs.size());
  for (const Pair& pair : pairs) scatters.push_back(scatter_of(pair));
  return scatters;
}

/// Pairs whose constant errors are assumed in the same way. Those of the first kind are the best known.
enum class Assumed : std::uint8_t {
  share,   ///< both sides wait: next to nothing but a share of the round trip
  slack,   ///< nearly all of it is slack
  one_way  ///< a delay
};
constexpr std::size_t kinds = 3;

Assumed assumed_in(const Pair& pair) noexcept {
  if (pair.kind != Kind::both_ways) return Assumed::one_way;
  return pair.bias_sd < 0.1 * pair.round_trip ? Assumed::share : Assumed::slack;
}

/// What the offsets of some pairs show of the scale of their constant errors.
class Evidence {
 public:
  void add(const Pair& pair, const Scatter& scatter, double share_left) {
    const double left = scatter.mean * scatter.mean;
    pairs_.push_back({left, scatter.of_offset(), pair.bias_sd * pair.bias_sd, share_left});
    loops_ += share_left;
  }
  /// The scale with which what is left is as large as expected. A pair counts as its offset tells of the scale: not at
  /// all if it is noise, or if nothing else tells of its clocks.
  [[nodiscard]] double scale() const {
    constexpr double least_loops = 2.5;
    if (loops_ < least_loops) return 1;
    double low = std::log(1e-9);
    double high = std::log(1e9);
    if (left_by(std::exp(low)) < normal_square) return 0;
    constexpr int halvings = 24;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (low + high) / 2;
      (left_by(std::exp(middle)) > normal_square ? low : high) = middle;
    }
    return std::exp(low);
  }

 private:
  struct Of {
    double left;        ///< square of what is left of the offset
    double noise;       ///< its variance without a constant error
    double assumed;     ///< variance of the constant error
    double share_left;  ///< of both variances, see shares_left
  };
  /// The middle one of what is left, by its variance.
  [[nodiscard]] double left_by(double scale) const {
    constexpr double least_share = 1e-3;
    std::vector<Weighted> shares;
    shares.reserve(pairs_.size() + 1);
    double sum = 0;
    for (const Of& pair : pairs_) {
      const double variance = pair.noise + scale * pair.assumed;
      const double tells = pair.assumed / variance * pair.share_left;
      shares.push_back({pair.left / (variance * std::max(least_share, pair.share_left)), tells * tells});
      sum += tells * tells;
    }
    shares.push_back({normal_square / scale, sum / loops_ * as_assumed});
    return median(std::move(shares));
  }

  static constexpr double as_assumed = 1;  // so many loops say that the scale is 1: few others may agree by chance

  std::vector<Of> pairs_;
  double loops_ = 0;
};

/// By how much the variances of the constant errors differ from the assumed ones, as the loops of messages show: what
/// is left of their offsets beyond what the noise of the observations leaves.
class BiasScales {
 public:
  BiasScales(const std::vector<Pair>& pairs, const std::vector<Scatter>& scatters, const Groups& groups) {
    std::vector<double> variances;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      variances.push_back(scatters[i].of_offset() + pairs[i].bias_sd * pairs[i].bias_sd);
    const std::vector<double> shares = shares_left(pairs, variances, groups);
    std::array<Evidence, kinds> evidence;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair& pair = pairs[i];
      // What members of one operation wait for each other agrees around all loops, however long it takes.
      const double left = scatters[i].mean * scatters[i].mean;
      const bool agrees_anyhow = pair.kind == Kind::one_way && left <= 6 * pair.rounding;
      if (!pair.measured && !pair.observations.empty() && pair.bias_sd > 0 && !agrees_anyhow)
        evidence[index_of(pair)].add(pair, scatters[i], shares[i]);
    }
    for (std::size_t kind = 0; kind < kinds; ++kind) scales_[kind] = evidence[kind].scale();
  }
  [[nodiscard]] double of(Assumed kind) const noexcept { return scales_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] double operator()(const Pair& pair) const noexcept { return pair.stated ? 1 : scales_[index_of(pair)]; }

 private:
  static std::size_t index_of(const Pair& pair) noexcept { return static_cast<std::size_t>(assumed_in(pair)); }

  std::array<double, kinds> scales_{};
};

/// How much of the noise in one window clocks follow that are free in each: they are fewer than the pairs.
double share_followed(const std::vector<Pair>& pairs, const Groups& groups) {
  const auto known = groups.of.size() - static_cast<std::size_t>(std::ranges::count(groups.of, Groups::none));
  const auto links = std::ranges::count_if(pairs, [](const Pair& pair) { return !pair.observations.empty(); });
  return links == 0 ? 0 : static_cast<double>(known - groups.first.size()) / static_cast<double>(links);
}

/// Of the offset of a pair. bias_scale: by which the variance of its constant error differs from what is assumed;
/// followed: share_followed.
double variance_of(const Pair& pair, const Scatter& scatter, double bias_scale, double followed,
                   const Smoothing& smoothing) {
  const auto curve_of = [&](double one) {
    const double walk = one * smoothing.span / scatter.count;
    return std::pow(walk, 0.75) * std::pow(2 * smoothing.q, 0.25) / (2 * std::sqrt(2.0));
  };
  const double smooth = std::min(1.0, curve_of(scatter.noise) / scatter.noise);
  const double one = std::min(scatter.variance, scatter.noise / std::max(1e-3, 1 - followed * smooth));
  const double line = 2 * one / scatter.count;  // offset and rate
  // What is left of them says nothing if they are few.
  constexpr std::size_t enough = 5;
  const bool are_few = pair.stated || pair.observations.size() < enough;
  const double observed =
      are_few ? scatter.variance / scatter.count : std::min(std::max(line, curve_of(one)), std::max(one, line));
  const double bias = std::min(pair.bias_sd * pair.bias_sd * bias_scale, pair.most_bias * pair.most_bias);
  return observed + scatter.slow + bias + 1e-24;
}

/// Of each clock, from the variances that its pairs have.
template <class Variance>
std::vector<double> errors_by(const std::vector<Pair>& pairs, std::size_t clocks, Variance variance_of) {
  std::vector<double> weight(clocks, 0.0);
  for (const Pair& pair : pairs) {
    if (pair.observations.empty()) continue;
    const double variance = variance_of(pair);
    weight[pair.low] += 1 / variance;
    weight[pair.high] += 1 / variance;
  }
  std::vector<double> errors;
  errors.reserve(weight.size());
  for (const double sum : weight)
    errors.push_back(sum > 0 ? std::sqrt(1 / sum) : std::numeric_limits<double>::infinity());
  return errors;
}

}  // namespace

double bias_scale(const std::vector<Pair>& pairs, std::size_t clocks) {
  return BiasScales(pairs, scatters_of(pairs), groups_of(pairs, clocks)).of(Assumed::share);
}

void scale_biases_by(double scale, std::vector<Pair>& pairs) {
  constexpr double least = 1e-6;
  for (Pair& pair : pairs)
    if (assumed_in(pair) == Assumed::share) pair.bias_sd *= std::sqrt(std::max(least, scale));
}

std::vector<double> offset_errors(const std::vector<Pair>& pairs, const Groups& groups, const Smoothing& smoothing) {
  const std::vector<Scatter> scatters = scatters_of(pairs);
  const BiasScales scale(pairs, scatters, groups);
  const double followed = share_followed(pairs, groups);
  const double between_knots = smoothing.q * std::pow(smoothing.spacing, 3) / 90;
  std::vector<double> variances;
  variances.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    variances.push_back(pair.observations.empty() ? 1
                                                  : variance_of(pair, scatters[i], scale(pair), followed, smoothing));
  }
  variances = offset_variances(pairs, variances, groups);
  for (double& variance : variances) variance = std::sqrt(variance + between_knots);
  return variances;
}

std::vector<double> assumed_errors(const std::vector<Pair>& pairs, std::size_t clocks) {
  return errors_by(pairs, clocks, [](const Pair& pair) {
    const Scatter scatter = scatter_of(pair);
    return scatter.variance / scatter.count + pair.bias_sd * pair.bias_sd;
  });
}

}  // namespace clc::sync
