#include "matching/clock_map.hpp"

#include <algorithm>
#include <cmath>

namespace clc::matching {

namespace {

Ticks offset_at(const std::vector<OffsetPoint>& points, Time time) {
  if (points.size() == 1) return points[0].offset + (points[0].fraction >= 0.5 ? 1 : 0);
  std::size_t low = 0;
  std::size_t high = points.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (points[middle].time <= time ? low : high) = middle;
  }
  const OffsetPoint& a = points[low];
  const OffsetPoint& b = points[high];
  const double rise = static_cast<double>(b.offset - a.offset) + (b.fraction - a.fraction);
  const double part = static_cast<double>(time - a.time) / static_cast<double>(b.time - a.time);
  const double offset = std::floor(a.fraction + rise * part + 0.5);
  return a.offset + static_cast<Ticks>(std::clamp(offset, -9.2e18, 9.2e18));
}

}  // namespace

ClockMap::OfProcess& ClockMap::of(ProcessIndex process) {
  while (processes_.size() <= process) {
    const OffsetLine* const line = offsets_.line_of(definitions_.processes()[processes_.size()].number);
    processes_.push_back({line == nullptr ? nullptr : &line->points(), false, {}, {}});
  }
  return processes_[process];
}

Time ClockMap::at(ProcessIndex process, Time recorded) {
  if (!any()) return recorded;
  const OfProcess& own = of(process);
  return own.points == nullptr ? recorded : recorded + offset_at(*own.points, recorded);
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
  own.any = true;
  own.recorded = recorded;
  own.mapped = mapped;
  return mapped;
}

}  // namespace clc::matching
