#include "sync/rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>

namespace clc::sync {

namespace {

constexpr std::size_t most_pairs = 1000;
constexpr std::size_t least_observations = 8;
constexpr std::size_t least_stated = 3;  // of measured offsets there are few, and their errors are known
constexpr double most_noise = 1e6;       // of an observation, in variances as assumed
constexpr double least_gain = 2;         // of each pair: its noise is not quite white where messages wait
// Where few clocks of many change their rates: found by the pairs of one clock, each with a q of its own.
constexpr double most_of_few = 1e-10;  // q: 10 ppm in a second; what waits would need more
constexpr double by_chance = 10;       // gain of a pair
constexpr double least_of_clock = 50;  // gain beyond that, of all pairs of a clock

/// Offset and rate of a pair, with their covariance.
struct State {
  double offset;
  double rate = 0;
  double oo;
  double orr = 0;
  double rr = 2e-8;  // (141 ppm)^2

  void advance(double t, double q) noexcept {
    offset += rate * t;
    oo += 2 * t * orr + t * t * rr + 2 * q * t * t * t / 3;
    orr += t * rr + q * t * t;
    rr += 2 * q * t;
  }
  void take(double innovation, double variance) noexcept {
    const double gain_offset = oo / variance;
    const double gain_rate = orr / variance;
    offset += gain_offset * innovation;
    rate += gain_rate * innovation;
    rr -= gain_rate * orr;
    orr -= gain_offset * orr;
    oo -= gain_offset * oo;
  }
};

/// Minus twice the logarithm of the likelihood. noise: by which the variances of the observations are multiplied.
double cost_of(const Pair& pair, double q, double noise = 1) {
  const Observation& first = pair.observations.front();
  State state{.offset = first.value, .oo = noise * first.variance};
  double cost = 0;
  double before = first.time;
  const std::size_t to_start = pair.stated ? 2 : 3;
  std::size_t count = 0;
  for (const Observation& one : pair.observations) {
    if (count++ == 0) continue;
    state.advance(one.time - before, q);
    before = one.time;
    const double variance = state.oo + noise * one.variance;
    const double innovation = one.value - state.offset;
    const double r = std::abs(innovation) / std::sqrt(variance);
    if (count > to_start) cost += (r <= 3 ? r * r : 6 * r - 9) + std::log(variance);
    state.take(innovation, variance);
  }
  return cost;
}

/// The same with the most likely noise, as some are much worse than assumed: all messages of a window may have waited.
double cost_with_noise(const Pair& pair, double q) {
  double least = HUGE_VAL;
  for (double noise = 1; noise <= most_noise; noise *= 10) least = std::min(least, cost_of(pair, q, noise));
  return least;
}

bool tells(const Pair& pair) {
  return !pair.is_exact() && pair.kind != Kind::never_waited &&
         pair.observations.size() >= (pair.stated ? least_stated : least_observations);
}

/// Those that tell something; of many a part, of all clocks alike.
std::vector<const Pair*> telling_ones(const std::vector<Pair>& pairs) {
  std::vector<const Pair*> all;
  for (const Pair& pair : pairs)
    if (tells(pair)) all.push_back(&pair);
  if (all.size() <= most_pairs) return all;
  std::vector<const Pair*> some;
  for (std::size_t i = 0; i < most_pairs; ++i) some.push_back(all[i * all.size() / most_pairs]);
  return some;
}

/// How much better the observations of a pair fit rates that change than white noise.
double gain_of(const Pair& pair, double q) { return cost_with_noise(pair, 0) - cost_with_noise(pair, q); }

/// The same of the best q up to most_of_few.
double largest_gain(const Pair& pair) {
  double least = HUGE_VAL;
  for (double q = most_of_few; q >= 1e-20; q /= 10) least = std::min(least, cost_with_noise(pair, q));
  return cost_with_noise(pair, 0) - least;
}

bool one_clock_changes(const std::vector<const Pair*>& pairs) {
  std::map<ClockIndex, double> gains;
  for (const Pair* pair : pairs) {
    const double gain = std::max(0.0, largest_gain(*pair) - by_chance);
    gains[pair->low] += gain;
    gains[pair->high] += gain;
  }
  return std::ranges::any_of(gains, [](const auto& of_clock) { return of_clock.second > least_of_clock; });
}

}  // namespace

double rate_variance(const std::vector<Pair>& pairs) {
  const std::vector<const Pair*> telling = telling_ones(pairs);
  const auto sum = [&](const auto& cost) {
    return std::accumulate(telling.begin(), telling.end(), 0.0,
                           [&](double sum_of, const Pair* pair) { return sum_of + cost(*pair); });
  };
  double best = 0;
  double least = sum([](const Pair& pair) { return cost_of(pair, 0); });
  for (int half = -48; half <= -16; ++half) {
    const double q = std::pow(10.0, half / 2.0);
    const double cost = sum([q](const Pair& pair) { return cost_of(pair, q); });
    if (cost < least) {
      least = cost;
      best = q;
    }
  }
  if (best == 0) return 0;
  const double gain = sum([best](const Pair& pair) { return gain_of(pair, best); });
  if (gain > least_gain * static_cast<double>(telling.size())) return best;
  return one_clock_changes(telling) ? std::min(best, most_of_few) : 0;
}

}  // namespace clc::sync
