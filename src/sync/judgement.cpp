#include "sync/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sync/cycle.hpp"
#include "sync/errors.hpp"
#include "sync/median.hpp"
#include "sync/records.hpp"

namespace clc::sync {

namespace {

/// No clock is wrong by more.
constexpr double fastest_rate = 0.01;

/// By how much measured offsets differ from what most of them say, beyond twice their errors.
double points_broken_us(const Fit& fit, bool mapped) {
  const Seen& seen = fit.observed.seen();
  const auto common = static_cast<ClockIndex>(seen.clocks - 1);
  std::vector<double> ahead;
  for (const MeasuredOffsets& of : seen.offsets)
    for (const auto& at : of.points) ahead.push_back(fit.delay(of.clock, common, at.to_common, mapped));
  const double middle = median(ahead);
  double sum = 0;
  auto next = ahead.begin();
  for (const MeasuredOffsets& of : seen.offsets)
    for (const auto& at : of.points) sum += std::max(0.0, std::abs(*next++ - middle) - 2 * at.error);
  return sum * 1e6;
}

/// Rates that are not applied may be there all the same.
void admit_rates(const Fit& fit, std::vector<double>& errors) {
  const double span = fit.observed.windows().span();
  for (ClockIndex clock = 0; clock < errors.size(); ++clock)
    errors[clock] = std::hypot(errors[clock], fit.curves[clock].left_out * span / std::sqrt(12));
}

/// A message below the minimum delay shows that one of its clocks is off by half of what it lacks at least. One in 100
/// may be matched wrongly.
void admit_violations(const Fit& fit, std::vector<double>& errors) {
  constexpr std::size_t trusted = 100;
  const double least_delay = fit.observed.seen().least_delay();
  std::vector<std::size_t> messages(errors.size());
  std::vector<std::vector<double>> lacking(errors.size());
  fit.for_each_delay(true, [&](ClockIndex from, ClockIndex to, double delay) {
    for (const ClockIndex clock : {from, to}) {
      ++messages[clock];
      if (delay < least_delay) lacking[clock].push_back(least_delay - delay);
    }
  });
  for (ClockIndex clock = 0; clock < errors.size(); ++clock) {
    std::vector<double>& of = lacking[clock];
    const std::size_t left_out = messages[clock] / trusted;
    if (of.size() <= left_out) continue;
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(left_out), of.end(), std::greater<>());
    errors[clock] = std::max(errors[clock], of[left_out] / 2);
  }
}

/// Of messages that may take any time nothing follows.
void admit_assumptions(const Fit& fit, std::vector<double>& errors) {
  for (const Pair& pair : fit.observed.pairs())
    if (pair.assumed) errors[pair.low] = errors[pair.high] = infinity;
}

/// Do messages bind any clock from both sides, by those of a pair or of a ring?
bool goes_both_ways(const Fit& fit) {
  std::vector<Arc> arcs;
  for (const Series& one : fit.observed.series())
    if (!one.points.empty()) arcs.push_back({one.from, one.to, 1});
  return smallest_mean_cycle(arcs, fit.curves.size()).has_value();
}

/// False: the fit has failed. Such clocks would seem to violate nothing, as all comparisons with them fail.
bool is_finite(const Fit& fit) {
  return std::all_of(fit.curves.begin(), fit.curves.end(),
                     [](const Curve& curve) { return std::isfinite(curve.offset) && std::isfinite(curve.rate); });
}

}  // namespace

Violations violations(const Fit& fit, bool mapped, const std::vector<double>& errors) {
  Violations result;
  fit.for_each_delay(mapped, [&](ClockIndex from, ClockIndex to, double delay) {
    const double room = errors.empty() ? 0 : errors[from] + errors[to];
    result.add((fit.observed.seen().min_delay - delay - room) * 1e6, fit.data.resolution.microseconds(1));
  });
  return result;
}

double broken_us(const Fit& fit, Violations of_messages, bool mapped) {
  const Seen& seen = fit.observed.seen();
  const auto add = [&](ClockIndex from, ClockIndex to, const std::vector<Point>& points) {
    for (const Point& point : points)
      of_messages.add((seen.min_delay - fit.delay(from, to, point, mapped)) * 1e6, fit.data.resolution.microseconds(1));
  };
  for (const Burst& burst : seen.bursts) {
    add(burst.low, burst.high, burst.up);
    add(burst.high, burst.low, burst.down);
  }
  return of_messages.sum_us + points_broken_us(fit, mapped);
}

SmallestDelays smallest_delays(const Fit& fit, bool mapped) {
  SmallestDelays result;
  fit.for_each_delay(mapped, [&](ClockIndex from, ClockIndex to, double delay) {
    result.add(same_node(from, to, fit.observed.seen().node), delay * 1e6);
  });
  return result;
}

SmallestDelays half_trips(const Fit& fit) {
  SmallestDelays result;
  for (const Pair& pair : fit.observed.pairs())
    if (!pair.stated) result.add(same_node(pair.low, pair.high, fit.observed.seen().node), pair.round_trip / 2 * 1e6);
  return result;
}

/// What rates may change by, and what is not known of them: the error of an offset by the length of the trace.
double rate_error(const Fit& fit) {
  const Windows& windows = fit.observed.windows();
  const std::vector<double> errors = is_published(fit.data.options.method)
                                         ? fit.published.errors
                                         : assumed_errors(fit.observed.pairs(), fit.observed.seen().clocks);
  double largest = 0;
  for (const double error : errors)
    if (std::isfinite(error)) largest = std::max(largest, error);
  return std::max(
      {1e-6, 3 * std::sqrt(2 * fit.rate_variance * windows.length), 3 * std::sqrt(12.0) * largest / windows.span()});
}

std::vector<double> offset_errors(const Fit& fit) {
  if (is_published(fit.data.options.method)) return fit.published.errors;
  std::vector<double> errors = offset_errors(fit.observed.pairs(), fit.observed.groups(),
                                             {fit.observed.windows().span(), fit.rate_variance, fit.grid.length});
  admit_rates(fit, errors);
  admit_violations(fit, errors);
  admit_assumptions(fit, errors);
  return errors;
}

bool is_worth_it(const Fit& fit, const Violations& recorded, const std::vector<double>& errors) {
  if (!is_finite(fit)) return false;
  if (fit.data.options.always) return true;
  const Seen& seen = fit.observed.seen();
  if (seen.bursts.empty() && seen.offsets.empty()) {
    std::vector<double> known = errors;
    std::erase_if(known, [](double error) { return !std::isfinite(error); });
    // Where all messages go one way, nothing but assumed delays tells how late the receivers were; the controlled clock
    // assumes none.
    const double clearly = goes_both_ways(fit) ? 1 : 2;
    if (!known.empty() && clearly * median(std::move(known)) * 1e6 > recorded.worst_us) return false;
  }
  if (!(broken_us(fit, fit.violations, true) < broken_us(fit, recorded, false))) return false;
  // The controlled clock meets recorded offsets once, at the begin. A map is wrong around each step, and beyond it, and
  // what the clock raises a process by for that goes away in 1/(1 - gamma_max) = 100 times as long. So much further
  // must recorded clocks be apart than a step leaves mapped ones.
  constexpr double clearly = 100;
  return fit.stepped.empty() || recorded.worst_us > clearly * fit.violations.worst_us;
}

bool tells_more(const Fit& fit, const Estimate& estimate) {
  // Of normal errors one in 16,000 is as large, and the stated ones are up to half as large as the true ones.
  constexpr double errors = 4;
  const double tick_us = fit.observed.seen().tick * 1e6;
  // Of fewer messages than these in each direction, the smallest delay says little about the network.
  constexpr std::size_t least_messages = 8;
  const Violations& recorded = estimate.recorded;
  if (!is_finite(fit) || is_published(fit.data.options.method) || !fit.stepped.empty()) return false;
  if (recorded.edges == 0 || recorded.edges < least_messages * fit.observed.series().size()) return false;
  if (broken_us(fit, recorded, false) > 0 || estimate.mapped.worst_us > tick_us) return false;
  bool any = false;
  for (const ClockEstimate& clock : estimate.clocks) {
    if (!is_known(clock.flag)) continue;
    if (clock.flag != Flag::ok && !clock.measured) return false;
    any |= std::max(std::abs(clock.first_us), std::abs(clock.last_us)) > errors * clock.error_us;
  }
  return any;
}

std::optional<ClockIndex> impossible_clock(const Fit& fit, const std::vector<ClockEstimate>& clocks) {
  const SmallestDelays way = half_trips(fit);
  const double least = std::min(way.between_us, way.within_us);
  double most = std::isfinite(least) ? least : 0;
  std::optional<ClockIndex> result;
  for (ClockIndex index = 0; index < clocks.size(); ++index) {
    const ClockEstimate& clock = clocks[index];
    const auto span = fit.data.records.span(index);
    if (!span || !is_known(clock.flag)) continue;
    const double length = fit.data.resolution.microseconds(static_cast<double>(ticks_between(span->first, span->last)));
    const double beyond = std::abs(clock.rate_ppm * 1e-6) * length + clock.deviation_us - fastest_rate * length;
    if (!(beyond > most)) continue;
    most = beyond;
    result = index;
  }
  return result;
}

}  // namespace clc::sync
