#include "sync/errors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sync/groups.hpp"
#include "sync/median.hpp"

namespace clc::sync {

namespace {

/// What the observations of a pair say, with the final curves. Medians: a few windows are far off.
struct Scatter {
  double variance = 0;  ///< of one of them
  double mean = 0;      ///< what is left of the offset
  double noise = 0;     ///< variance of what is left beside it and differs from window to window
  double slow = 0;      ///< variance of the rest: what the curve misses
};

Scatter scatter_of(const Pair& pair) {
  std::vector<double> variances;
  double weight = 0;
  double sum = 0;
  for (const Observation& one : pair.observations) {
    variances.push_back(one.variance);
    weight += 1 / one.variance;
    sum += one.value / one.variance;
  }
  constexpr double normal = 0.4549;  // median of the square of a normal variable
  const double mean = sum / weight;
  std::vector<double> squares;
  std::vector<double> changes{0};
  for (std::size_t i = 0; i < pair.observations.size(); ++i) {
    const double value = pair.observations[i].value;
    squares.push_back((value - mean) * (value - mean));
    if (i == 0) continue;
    const double change = value - pair.observations[i - 1].value;
    changes.push_back(change * change / 2);
  }
  const double left = median(std::move(squares)) / normal;
  const double noise = std::min(left, median(std::move(changes)) / normal);
  return {median(std::move(variances)), mean, noise, left - noise};
}

/// Both sides wait: the assumed constant error is next to nothing but the share of the round trip.
bool is_tight(const Pair& pair) noexcept {
  return pair.kind == Kind::both_ways && pair.bias_sd > 0 && pair.bias_sd < 0.1 * pair.round_trip;
}

/// By how much the variances of the constant errors of such pairs differ from the assumed ones, as the loops of their
/// messages show.
double bias_scale(const std::vector<Pair>& pairs, std::size_t clocks) {
  constexpr std::size_t least_loops = 3;
  constexpr double normal = 0.4549;
  std::vector<Pair> tight;
  std::vector<double> squares;
  for (const Pair& pair : pairs) {
    if (!is_tight(pair) || pair.measured || pair.observations.empty()) continue;
    const double mean = scatter_of(pair).mean / pair.bias_sd;
    squares.push_back(mean * mean);
    tight.push_back({pair.low, pair.high, pair.kind, pair.bias_sd, pair.round_trip, {pair.observations.front()}});
  }
  const Groups groups = groups_of(tight, clocks);
  std::size_t known = 0;
  for (const std::uint32_t group : groups.of) known += group != Groups::none;
  const std::size_t loops = tight.size() + groups.first.size() - known;
  if (loops < least_loops) return 1;
  return median(std::move(squares)) / normal * static_cast<double>(tight.size()) / static_cast<double>(loops);
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
    errors.push_back(sum > 0 ? 1 / std::sqrt(sum) : std::numeric_limits<double>::infinity());
  return errors;
}

}  // namespace

void scale_biases(std::vector<Pair>& pairs, std::size_t clocks) {
  constexpr double least = 1e-6;
  const double scale = std::sqrt(std::max(least, bias_scale(pairs, clocks)));
  for (Pair& pair : pairs)
    if (is_tight(pair)) pair.bias_sd *= scale;
}

std::vector<double> offset_errors(const std::vector<Pair>& pairs, std::size_t clocks, double span, double q) {
  const double scale = bias_scale(pairs, clocks);
  return errors_by(pairs, clocks, [&](const Pair& pair) {
    const Scatter scatter = scatter_of(pair);
    const auto count = static_cast<double>(pair.observations.size());
    const double one = std::min(scatter.variance, scatter.noise);
    const double line = 2 * one / count;  // offset and rate
    const double curve = std::pow(one * span / count, 0.75) * std::pow(2 * q, 0.25) / (2 * std::sqrt(2.0));
    const double observed = std::min(std::max(line, curve), std::max(one, line));
    const double bias = pair.bias_sd * pair.bias_sd * (is_tight(pair) ? scale : 1);
    return observed + scatter.slow + bias + 1e-24;
  });
}

std::vector<double> assumed_errors(const std::vector<Pair>& pairs, std::size_t clocks) {
  return errors_by(pairs, clocks, [](const Pair& pair) {
    return scatter_of(pair).variance / static_cast<double>(pair.observations.size()) + pair.bias_sd * pair.bias_sd;
  });
}

}  // namespace clc::sync
