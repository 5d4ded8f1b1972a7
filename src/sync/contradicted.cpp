#include "sync/contradicted.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sync/bounds.hpp"
#include "sync/judgement.hpp"
#include "sync/points.hpp"

namespace clc::sync {

namespace {

/// When messages and round trips bind each clock, mapped, in order.
std::vector<std::vector<double>> bound_times(const Fit& fit) {
  std::vector<std::vector<double>> times(fit.curves.size());
  const auto add_all = [&](ClockIndex from, ClockIndex to, const std::vector<Point>& points) {
    for (const Point& point : points) {
      times[from].push_back(fit.mapped(from, point.sent()));
      times[to].push_back(fit.mapped(to, point.received()));
    }
  };
  for (const Series& one : fit.observed.series()) add_all(one.from, one.to, one.points);
  for (const Burst& burst : fit.observed.seen().bursts) {
    add_all(burst.low, burst.high, burst.up);
    add_all(burst.high, burst.low, burst.down);
  }
  for (std::vector<double>& of : times) std::sort(of.begin(), of.end());
  return times;
}

/// How far the nearest of these is.
double distance(const std::vector<double>& times, double time) {
  const auto next = std::lower_bound(times.begin(), times.end(), time);
  const double after = next == times.end() ? HUGE_VAL : *next - time;
  return next == times.begin() ? after : std::min(after, time - *std::prev(next));
}

}  // namespace

std::vector<bool> contradicted(const Fit& fit, const std::vector<GivenPoint>& points) {
  std::vector<bool> result(points.size(), false);
  if (fit.curves.empty()) return result;
  constexpr double largest_rate = 1e-4;  // as the lines expect
  const Windows& windows = fit.observed.windows();
  const std::vector<std::uint32_t>& groups = fit.observed.groups().of;
  const Zeros& zeros = fit.data.zeros;
  const Resolution resolution = fit.data.resolution;
  const double rate = fit.rates ? rate_error(fit) : std::max(rate_error(fit), largest_rate);
  const ErrorBounds bounds = error_bounds(fit.observed.minima(fit.curves, fit.grid), fit.observed.groups(), windows,
                                          fit.observed.seen().least_delay(), rate);
  // Bounds are of clocks as they are mapped; the common time is not mapped yet.
  const double wander = 3 * std::sqrt(2 * fit.rate_variance * windows.span());
  const std::vector<std::vector<double>> times = bound_times(fit);
  constexpr double errors = 3;  // may be their standard deviations
  std::vector<Claim> claims;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [clock, point] = points[i];
    const std::uint32_t group = groups[clock];
    if (group == Groups::none) continue;
    const double time = zeros.seconds(clock, point.time);
    const double mapped = fit.mapped(clock, time);
    // Relative to the first one: offsets may be too large for doubles.
    const Ticks between_zeros = zeros.zero(clock) - zeros.zero(points.front().clock);
    const Ticks apart = add_saturating(subtract_saturating(point.offset, points.front().point.offset), between_zeros);
    const double offset = resolution.seconds(static_cast<double>(apart) + point.fraction);
    // In between nothing is known of rates.
    const double silent = distance(times[clock], mapped) + distance(times[bounds.reference[group]], mapped);
    const double room = errors * resolution.seconds(point.error) + fit.observed.seen().tick + largest_rate * silent;
    const ErrorInterval& error = bounds.windows[windows.at(mapped)][clock];
    claims.push_back({group, clock, mapped, offset + time - mapped, room - error.low, room + error.high});
    places.push_back(i);
  }
  const std::vector<bool> judged = contradicting(claims, std::max(rate, wander));
  for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = judged[i];
  return result;
}

}  // namespace clc::sync
