#include "sync/stretch.hpp"

#include <cmath>

#include "sync/fit.hpp"
#include "sync/judgement.hpp"
#include "sync/records.hpp"

namespace clc::sync {

namespace {

/// Leaves out the messages of pairs that are matched wrongly.
void leave_out_wrong_pairs(Fit& fit, StretchEstimate& result) {
  result.trips = fit.data.stretch->trips;
  fit.observe(true);
  result.wrong =
      find_wrong_pairs(fit.observed.directions(), fit.observed.windows(), fit.observed.seen().tick, result.trips);
  if (!result.wrong.contradicting.empty() || !result.wrong.longer.empty()) fit.observed.leave_out(result.wrong);
}

}  // namespace

StretchEstimate estimate(const Collector& collector, const Records& records, std::size_t clocks, Resolution resolution,
                         const Options& options, const Stretch& stretch) {
  const Data data(collector, records, clocks, resolution, options, &stretch, {});
  Fit fit(data, 1);
  StretchEstimate result;
  result.groups.assign(clocks, Groups::none);
  if (data.seen.empty()) return result;
  leave_out_wrong_pairs(fit, result);
  find_curves(fit);
  if (fit.curves.empty()) return result;
  result.rates = fit.rates;
  result.groups = fit.observed.groups().of;
  result.applied = is_worth_it(fit, violations(fit, false), offset_errors(fit));
  for (const auto& [clock, time] : fit.stepped) result.steps.emplace_back(clock, data.zeros.time(clock, time));
  for (ClockIndex clock = 0; clock < clocks; ++clock) {
    const auto span = records.span(clock);
    result.begins.push_back(fit.mapped(clock, span ? data.zeros.seconds(clock, span->first) : 0));
  }
  for (const double time : stretch.moments) {
    Moment moment{time, {}};
    for (ClockIndex clock = 0; clock < clocks; ++clock) {
      const bool known = result.groups[clock] != Groups::none;
      moment.offsets.push_back(known ? fit.offset(clock, fit.curves[clock].unmapped(time)) : std::nan(""));
    }
    result.moments.push_back(std::move(moment));
  }
  return result;
}

}  // namespace clc::sync
