#include "sync/contradicted.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

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

constexpr double largest_rate = 1e-4;  // as the lines expect

/// By which the error of a clock may change. Where no rate is applied, there may be some.
double rate_of_errors(const Fit& fit) { return fit.rates ? rate_error(fit) : std::max(rate_error(fit), largest_rate); }

ErrorBounds bounds_of(const Fit& fit) {
  return error_bounds(fit.observed.minima(fit.curves, fit.grid), fit.observed.groups(), fit.observed.windows(),
                      fit.observed.seen().least_delay(), rate_of_errors(fit));
}

/// By how much messages contradict their own fit, in seconds, as where clocks change their rates faster than it can
/// follow: its bounds prove nothing up to that. 0 where few do, which may be matched wrongly.
double contradiction_within(const Fit& fit) {
  return fit.violations.are_frequent() ? fit.violations.worst_us * 1e-6 : 0;
}

}  // namespace

std::vector<bool> contradicted(const Fit& fit, const std::vector<GivenPoint>& points) {
  std::vector<bool> result(points.size(), false);
  if (fit.curves.empty()) return result;
  const Windows& windows = fit.observed.windows();
  const std::vector<std::uint32_t>& groups = fit.observed.groups().of;
  const Zeros& zeros = fit.data.zeros;
  const Resolution resolution = fit.data.resolution;
  const ErrorBounds bounds = bounds_of(fit);
  // Bounds are of clocks as they are mapped; the common time is not mapped yet.
  const double wander = 3 * std::sqrt(2 * fit.rate_variance * windows.span());
  const std::vector<std::vector<double>> times = bound_times(fit);
  const double unproved = 2 * contradiction_within(fit);
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
    const double room =
        most_errors * resolution.seconds(point.error) + fit.observed.seen().tick + largest_rate * silent + unproved;
    const ErrorInterval& error = bounds.windows[windows.at(mapped)][clock];
    claims.push_back({group, clock, mapped, offset + time - mapped, room - error.low, room + error.high});
    places.push_back(i);
  }
  const std::vector<bool> judged = contradicting(claims, std::max(rate_of_errors(fit), wander));
  for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = judged[i];
  return result;
}

ContradictedTrips take_contradicted(const Fit& fit, std::vector<Burst>& bursts) {
  ContradictedTrips result;
  if (fit.curves.empty() || fit.steps != 0) return result;
  const ErrorBounds bounds = bounds_of(fit);
  const std::vector<std::vector<double>> times = bound_times(fit);
  const std::vector<std::uint32_t>& groups = fit.observed.groups().of;
  const double unproved = 2 * contradiction_within(fit);
  // Even the longest time that it may have taken is less than any message takes. In between nothing is known of rates.
  const auto is_impossible = [&](ClockIndex from, ClockIndex to, const Point& point) {
    const double sent = fit.mapped(from, point.sent());
    const double received = fit.mapped(to, point.received());
    const double silent = distance(times[from], sent) + distance(times[to], received) +
                          2 * distance(times[bounds.reference[groups[from]]], sent);
    const std::vector<ErrorInterval>& errors = bounds.windows[fit.observed.windows().at((sent + received) / 2)];
    // A clock that messages bind in one direction only may be mapped at any rate.
    for (const ClockIndex clock : {from, to})
      if (!std::isfinite(errors[clock].high - errors[clock].low)) return false;
    const double longest = received - sent + errors[to].high - errors[from].low;
    return longest + fit.observed.seen().tick + largest_rate * silent + unproved < fit.observed.seen().least_delay();
  };
  for (Burst& burst : bursts) {
    const auto [low, high] = std::pair(burst.low, burst.high);
    if (groups[low] == Groups::none || groups[low] != groups[high]) continue;
    Burst kept{low, high, {}, {}};
    for (std::size_t i = 0; i < burst.up.size(); ++i) {
      if (is_impossible(low, high, burst.up[i]) || is_impossible(high, low, burst.down[i])) continue;
      kept.up.push_back(burst.up[i]);
      kept.down.push_back(burst.down[i]);
    }
    if (kept.up.size() == burst.up.size()) continue;
    result.count += burst.up.size() - kept.up.size();
    result.clocks.insert({low, high});
    burst = std::move(kept);
  }
  std::erase_if(bursts, [](const Burst& burst) { return burst.up.empty(); });
  return result;
}

}  // namespace clc::sync
