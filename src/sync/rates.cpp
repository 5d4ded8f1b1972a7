#include "sync/rates.hpp"

#include <cmath>
#include <cstddef>

namespace clc::sync {

namespace {

constexpr std::size_t most_pairs = 200;
constexpr std::size_t least_observations = 8;
constexpr std::size_t least_stated = 3;  // of measured offsets there are few, and their errors are known

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

/// Minus twice the logarithm of the likelihood.
double cost_of(const Pair& pair, double q) {
  const Observation& first = pair.observations.front();
  State state{.offset = first.value, .oo = first.variance};
  double cost = 0;
  double before = first.time;
  const std::size_t to_start = pair.stated ? 2 : 3;
  std::size_t count = 0;
  for (const Observation& one : pair.observations) {
    if (count++ == 0) continue;
    state.advance(one.time - before, q);
    before = one.time;
    const double variance = state.oo + one.variance;
    const double innovation = one.value - state.offset;
    const double r = std::abs(innovation) / std::sqrt(variance);
    if (count > to_start) cost += (r <= 3 ? r * r : 6 * r - 9) + std::log(variance);
    state.take(innovation, variance);
  }
  return cost;
}

}  // namespace

double rate_variance(const std::vector<Pair>& pairs) {
  std::vector<double> grid{0};
  for (int half = -48; half <= -16; ++half) grid.push_back(std::pow(10.0, half / 2.0));
  std::vector<double> costs(grid.size(), 0.0);
  std::size_t used = 0;
  for (const Pair& pair : pairs) {
    if (pair.is_exact()) continue;
    if (pair.kind == Kind::never_waited || pair.observations.size() < (pair.stated ? least_stated : least_observations))
      continue;
    if (++used > most_pairs) break;
    for (std::size_t i = 0; i < grid.size(); ++i) costs[i] += cost_of(pair, grid[i]);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < grid.size(); ++i)
    if (costs[i] < costs[best]) best = i;
  return grid[best];
}

}  // namespace clc::sync
