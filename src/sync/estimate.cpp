#include "sync/estimate.hpp"

#include <memory>
#include <utility>

#include "sync/contradicted.hpp"
#include "sync/description.hpp"
#include "sync/errors.hpp"
#include "sync/judgement.hpp"
#include "sync/points.hpp"
#include "sync/records.hpp"

namespace clc::sync {

namespace {

/// Are there messages that tell how well these windows suit, and do shorter ones hardly suit better? A step that
/// shorter windows may show violates messages by more than they take.
bool leaves_doubts(const Fit& fit) {
  const SmallestDelays least = half_trips(fit);
  return fit.steps != 0 || !fit.rates || fit.violations.violated == 0 || fit.violations.are_frequent() ||
         fit.violations.worst_us > std::min(least.between_us, least.within_us);
}

using Solved = std::unique_ptr<const Fit>;

Solved solve(const Data& data, double fineness) {
  auto fit = std::make_unique<Fit>(data, fineness);
  find_curves(*fit);
  return fit;
}

/// Longer windows have smaller delays; in shorter ones clocks are straighter. Those are kept in which messages are
/// violated least: if longer ones than usual leave doubts, they are compared with usual ones, and these with shorter
/// ones if more than a hundredth of the messages that bind are violated. From there on ever longer ones are tried, as
/// long as messages are violated clearly less.
Solved with_best_windows(const Data& data) {
  constexpr double clearly = 0.9;
  constexpr double shorter = 2;
  constexpr double longer = 0.25;
  constexpr double least_left = 2;
  const auto can_be_longer = [&](const Solved& of) {
    return longer * static_cast<double>(of->observed.windows().count) >= least_left;
  };
  Solved best = solve(data, longer);
  const auto improve = [&](Solved other) {
    const bool better = other->steps == 0 && other->rates == best->rates &&
                        other->violations.sum_us < clearly * best->violations.sum_us;
    if (better) best = std::move(other);
    return better;
  };
  // Of few messages, some windows show rates and others do not.
  constexpr std::array other_windows{0.5, shorter, 4.0};
  const auto shows_rates = [&](const Fit& fit) {
    return fit.steps == 0 && fit.rates && fit.violations.sum_us < best->violations.sum_us / 2;
  };
  if (leaves_doubts(*best)) {
    Solved long_ones = std::exchange(best, solve(data, 1));
    if (best->steps != 0) return best;
    if (!can_be_longer(best) || !improve(std::move(long_ones))) {
      long_ones.reset();
      bool may_show = true;  // the shorter ones
      if (best->violations.are_frequent()) {
        Solved other = solve(data, shorter);
        may_show = shows_rates(*other);
        improve(std::move(other));
      }
      for (const double fineness : other_windows) {
        if (best->rates || best->violations.violated == 0) break;
        if (fineness == shorter && !may_show) continue;
        if (Solved other = solve(data, fineness); shows_rates(*other)) best = std::move(other);
      }
      return best;
    }
  }
  double fineness = longer * longer;
  while (can_be_longer(best) && improve(solve(data, fineness))) fineness *= longer;
  return best;
}

/// Of the constant errors of pairs, by the observations of a fit.
double bias_scale(const Fit& fit) { return bias_scale(fit.observed.pairs(), fit.observed.seen().clocks); }

/// The same from messages alone, if there are round trips beside them. Leaves out those that messages contradict.
ContradictedTrips find_bias_scale(Data& data) {
  Seen& seen = data.seen;
  if (seen.bursts.empty() || (seen.series.empty() && seen.meetings.empty())) return {};
  std::vector<Burst> bursts = std::exchange(seen.bursts, {});
  const Solved messages = with_best_windows(data);
  seen.bias_scale = bias_scale(*messages);
  ContradictedTrips contradicted = take_contradicted(*messages, bursts);
  seen.bursts = std::move(bursts);
  return contradicted;
}

/// Of the records of each clock.
ClockSpans spans_of(const Records& records, std::size_t clocks) {
  ClockSpans spans;
  for (ClockIndex clock = 0; clock < clocks; ++clock) spans.push_back(records.span(clock));
  return spans;
}

/// Of each clock: how far its points may be off, in seconds.
std::vector<double> errors_of(const std::vector<GivenPoint>& points, const Data& data) {
  std::vector<double> errors(data.seen.clocks, 0.0);
  for (const auto& [clock, point] : points)
    errors[clock] = std::max(errors[clock], most_errors * data.resolution.seconds(point.error));
  return errors;
}

/// With the points that no message contradicts, unless messages contradict the result by more than the points may be
/// off.
Estimate with_points(Data& data, Solved messages, const std::vector<GivenPoint>& points) {
  const std::vector<bool> contradicted = sync::contradicted(*messages, points);
  const auto only_messages = [&] {
    Estimate found = describe(*messages);
    found.measured.offsets_contradicting = points.size();
    for (const GivenPoint& point : points) found.measured.contradicting_offsets_of.insert(point.clock);
    return found;
  };
  std::vector<GivenPoint> used;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!contradicted[i]) used.push_back(points[i]);
  if (!tell_something(used)) return only_messages();
  const Violations before = messages->violations;
  const double fineness = messages->fineness;
  const double scale = data.seen.bursts.empty() ? bias_scale(*messages) : data.seen.bias_scale;
  Estimate found = only_messages();
  messages.reset();
  data.add(used, scale);
  const Solved both = solve(data, fineness);
  if (does_harm(violations(*both, true, errors_of(used, data)), before)) return found;
  found = describe(*both);
  found.measured.offsets_contradicting = points.size() - used.size();
  for (std::size_t i = 0; i < points.size(); ++i)
    if (contradicted[i]) found.measured.contradicting_offsets_of.insert(points[i].clock);
  return found;
}

}  // namespace

Estimate estimate(const Collector& collector, const Records& records, std::size_t clocks, Resolution resolution,
                  const Options& options, const Measurements& measurements) {
  Data data(collector, records, clocks, resolution, options, nullptr, measurements.samples);
  if (is_published(options.method)) return describe(*solve(data, 1));
  const std::vector<GivenPoint> points = usable_points(measurements, spans_of(records, clocks));
  ContradictedTrips left_out = find_bias_scale(data);
  Solved messages = with_best_windows(data);
  Estimate found = points.empty() ? describe(*messages) : with_points(data, std::move(messages), points);
  found.measured.round_trips_contradicting = left_out.count;
  found.measured.contradicting_trips_of = std::move(left_out.clocks);
  return found;
}

}  // namespace clc::sync
