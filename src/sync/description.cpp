#include "sync/description.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sync/bounds.hpp"
#include "sync/judgement.hpp"
#include "sync/maps.hpp"
#include "sync/means.hpp"
#include "sync/records.hpp"

namespace clc::sync {

namespace {

/// What is known without the curves.
Estimate figures_of(const Fit& fit) {
  Estimate result;
  const Seen& seen = fit.data.seen;
  result.clocks.resize(seen.in_trace);
  result.edges = seen.edges;
  for (const Burst& burst : seen.bursts) result.measured.round_trips += burst.up.size();
  for (const MeasuredOffsets& of : seen.offsets) result.measured.offsets += of.points.size();
  result.windows = fit.observed.windows().count;
  result.steps = fit.steps;
  result.rate_variance = fit.rate_variance;
  result.rates = fit.rates;
  result.intervals = fit.published.intervals;
  result.unsolved = fit.published.unsolved;
  result.failure = fit.published.failure;
  return result;
}

/// Of each clock.
void find_bounds(const Fit& fit, Estimate& result) {
  const ErrorBounds bounds =
      error_bounds(fit.observed.minima(fit.curves, fit.grid), fit.observed.groups(), fit.observed.windows(),
                   fit.observed.seen().least_delay(), rate_error(fit), fit.published.references);
  result.references = bounds.reference;
  result.contradiction = bounds.contradiction;
  for (ClockIndex clock = 0; clock < result.clocks.size(); ++clock) {
    double bound = 0;
    for (const std::vector<ErrorInterval>& window : bounds.windows)
      bound = std::max({bound, window[clock].high, -window[clock].low});
    if (is_known(result.clocks[clock].flag)) result.clocks[clock].bound_us = bound * 1e6;
  }
}

/// Also after a step.
bool has_messages(const Fit& fit, ClockIndex clock) {
  const std::vector<Series>& all = fit.observed.uncut();
  return std::any_of(all.begin(), all.end(),
                     [&](const Series& one) { return (one.from == clock || one.to == clock) && !one.points.empty(); });
}

/// But for what its pairs say, and what messages prove.
ClockEstimate clock_of(const Fit& fit, const Means& means, ClockIndex index, double error) {
  ClockEstimate result;
  const Zeros& zeros = fit.data.zeros;
  if (const auto step = fit.stepped.find(index); step != fit.stepped.end())
    result.step = zeros.time(index, step->second);
  result.group = fit.observed.groups().of[index];
  const auto span = fit.data.records.span(index);
  if (!span) return result;
  if (result.group == Groups::none) {
    if (fit.steps != 0 && has_messages(fit, index)) result.flag = Flag::after_step;
    return result;
  }
  const Curve& curve = fit.curves[index];
  const double first = zeros.seconds(index, span->first);
  const double last = zeros.seconds(index, span->last);
  const double at_first = fit.offset(index, first);
  const double at_last = fit.offset(index, last);
  const double slope = last > first ? (at_last - at_first) / (last - first) : 0;
  result.first_us = means.ahead(index, first) * 1e6;
  result.last_us = means.ahead(index, last) * 1e6;
  result.rate_ppm = slope * 1e6;
  for (std::size_t knot = 0; knot < curve.knots.size(); ++knot) {
    const double time = curve.unmapped(fit.grid.centre(knot));
    if (time < first || time > last) continue;
    const double beside = fit.offset(index, time) - (at_first + slope * (time - first));
    result.deviation_us = std::max(result.deviation_us, std::abs(beside) * 1e6);
  }
  result.error_us = error * 1e6;
  result.flag = Flag::never_waited;
  return result;
}

/// Of all clocks that are described: what their pairs say, the best of them.
void describe_pairs(const Fit& fit, Estimate& result) {
  const auto flag_of = [](Kind kind) {
    return kind == Kind::both_ways ? Flag::ok : kind == Kind::one_way ? Flag::one_way : Flag::never_waited;
  };
  for (const Pair& pair : fit.observed.pairs())
    for (const ClockIndex index : {pair.low, pair.high}) {
      if (index >= result.clocks.size()) continue;  // the common time of measured offsets
      ClockEstimate& clock = result.clocks[index];
      if (!is_known(clock.flag)) continue;
      clock.partners += pair.measured ? 0 : 1;
      clock.measured |= pair.measured;
      clock.flag = std::min(clock.flag, flag_of(pair.kind));
    }
}

/// What a step leaves of a group: its mean, and what messages prove through the clock, hold before it only.
void describe_steps(Estimate& result, std::vector<double>& errors) {
  std::set<std::uint32_t> groups;
  for (const ClockEstimate& clock : result.clocks)
    if (clock.step && is_known(clock.flag)) groups.insert(clock.group);
  for (ClockIndex index = 0; index < result.clocks.size(); ++index) {
    ClockEstimate& clock = result.clocks[index];
    if (!is_known(clock.flag) || !groups.contains(clock.group)) continue;
    clock.bound_us = clock.error_us = errors[index] = infinity;
    if (clock.step)
      clock.flag = Flag::step;
    else
      clock.beside_step = true;
  }
}

}  // namespace

Estimate describe(const Fit& fit) {
  Estimate result = figures_of(fit);
  if (fit.curves.empty() || result.failure) return result;
  result.groups = static_cast<std::uint32_t>(fit.observed.groups().first.size());
  result.recorded = violations(fit, false);
  result.mapped = fit.violations;
  result.recorded_delays = smallest_delays(fit, false);
  result.mapped_delays = smallest_delays(fit, true);
  result.half_trips = half_trips(fit);
  std::vector<double> errors = offset_errors(fit);
  const Means means(fit);
  for (ClockIndex clock = 0; clock < result.clocks.size(); ++clock)
    result.clocks[clock] = clock_of(fit, means, clock, errors[clock]);
  find_bounds(fit, result);
  describe_pairs(fit, result);
  describe_steps(result, errors);
  result.applied = is_worth_it(fit, result.recorded, errors) || tells_more(fit, result);
  if (result.applied && !fit.data.options.always) result.impossible = impossible_clock(fit, result.clocks);
  result.applied = result.applied && !result.impossible;
  if (!result.applied) return result;
  std::vector<OffsetLine> maps = maps_of(fit, means, errors);
  for (ClockIndex clock = 0; clock < maps.size(); ++clock) result.clocks[clock].map = std::move(maps[clock]);
  return result;
}

}  // namespace clc::sync
