#include "matching/clock_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clc::matching {

namespace {

__extension__ using Wide = __int128;  // what a sum or difference of times needs

double apart(Ticks a, Ticks b) { return static_cast<double>(Wide{a} - b); }

Time moved(Time time, const OffsetPoint& by, double fraction) {
  const double rounded = std::clamp(std::floor(fraction + 0.5), -1e37, 1e37);
  return Time(static_cast<Ticks>(
      std::clamp<Wide>(Wide{time.ticks()} + by.offset + static_cast<Wide>(rounded), ticks_min, ticks_max)));
}

Time mapped(const std::vector<OffsetPoint>& points, Time time) {
  if (points.size() == 1) return moved(time, points[0], points[0].fraction);
  std::size_t low = 0;
  std::size_t high = points.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (points[middle].time <= time ? low : high) = middle;
  }
  const OffsetPoint& a = points[low];
  const OffsetPoint& b = points[high];
  const double rise = apart(b.offset, a.offset) + (b.fraction - a.fraction);
  const double part = apart(time.ticks(), a.time.ticks()) / apart(b.time.ticks(), a.time.ticks());
  return moved(time, a, a.fraction + rise * part);
}

}  // namespace

ClockMap::OfProcess& ClockMap::of(ProcessIndex process) {
  while (processes_.size() <= process) {
    const Process& own = definitions_.processes()[processes_.size()];
    const OffsetLine* line = offsets_.line_of(own.number);
    // Defined too late to be among the processes of the map.
    if (line == nullptr) line = offsets_.line_of(definitions_.processes()[own.clock].number);
    processes_.push_back({line == nullptr ? nullptr : &line->points(), false, {}, {}});
  }
  return processes_[process];
}

Time ClockMap::at(ProcessIndex process, Time recorded) {
  if (!any()) return recorded;
  const OfProcess& own = of(process);
  return own.points == nullptr ? recorded : mapped(*own.points, recorded);
}

Time ClockMap::next(ProcessIndex process, Time recorded) {
  Time mapped = at(process, recorded);
  if (!any()) return mapped;
  OfProcess& own = of(process);
  if (own.points != nullptr && own.any) {
    if (recorded < own.recorded)
      mapped = std::min(mapped, own.mapped - 1);
    else
      mapped = std::max(mapped, recorded > own.recorded ? own.mapped + 1 : own.mapped);
  }
  if (own.any && granularity_ != 1)
    granularity_ =
        std::gcd(granularity_, ticks_between(std::min(recorded, own.recorded), std::max(recorded, own.recorded)));
  own.any = true;
  own.recorded = recorded;
  own.mapped = mapped;
  return mapped;
}

}  // namespace clc::matching
