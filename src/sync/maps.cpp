#include "sync/maps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sync/records.hpp"
#include "sync/rounded.hpp"

namespace clc::sync {

namespace {

/// The curves such that no clock is mapped to before the earliest recorded time.
std::vector<Curve> lifted(const Fit& fit, const Means& means) {
  const Records& records = fit.data.records;
  const std::size_t clocks = fit.data.seen.in_trace;
  Time earliest = Time::latest();
  for (ClockIndex clock = 0; clock < clocks; ++clock)
    if (const auto span = records.span(clock)) earliest = std::min(earliest, span->first);
  double lowest = 0;
  for (ClockIndex clock = 0; clock < clocks; ++clock)
    if (const auto span = records.span(clock)) {
      const double later = fit.data.resolution.seconds(static_cast<double>(means.zero(clock) - earliest));
      lowest = std::min(lowest, later + fit.mapped(clock, fit.data.zeros.seconds(clock, span->first)));
    }
  std::vector<Curve> curves = fit.curves;
  if (lowest < 0)
    for (Curve& curve : curves) curve.shift(lowest);
  return curves;
}

}  // namespace

std::vector<OffsetLine> maps_of(const Fit& fit, const Means& means, const std::vector<double>& errors) {
  const Zeros& zeros = fit.data.zeros;
  const auto per_second = static_cast<double>(fit.data.resolution.per_second());
  const std::vector<Curve> curves = lifted(fit, means);
  const auto point_at = [&](ClockIndex clock, double time) {
    const Time at = zeros.time(clock, time);
    const double offset = -curves[clock].at(zeros.seconds(clock, at), fit.grid) * per_second;
    OffsetPoint point = rounded_point(at, means.zero(clock) - zeros.zero(clock), offset);
    if (!is_published(fit.data.options.method) && std::isfinite(errors[clock]))
      point.error = errors[clock] * per_second;
    return point;
  };
  std::vector<OffsetLine> maps(fit.data.seen.in_trace);
  for (ClockIndex clock = 0; clock < maps.size(); ++clock) {
    const auto span = fit.data.records.span(clock);
    if (!span) continue;
    const Curve& curve = curves[clock];
    const double first = zeros.seconds(clock, span->first);
    const double last = zeros.seconds(clock, span->last);
    std::vector<OffsetPoint> points{point_at(clock, first)};
    for (std::size_t knot = 0; knot < curve.knots.size(); ++knot) {
      const double time = curve.unmapped(fit.grid.centre(knot));
      if (time > first && time < last) points.push_back(point_at(clock, time));
    }
    if (last > first) points.push_back(point_at(clock, last));
    maps[clock] = OffsetLine(std::move(points));
  }
  return maps;
}

}  // namespace clc::sync
