#include "estimation/mapped.hpp"

#include <cmath>
#include <tuple>

namespace clc::tool {

namespace {

/// The mapped time of a point, relative to that of another one.
double mapped_since(const OffsetPoint& from, const OffsetPoint& point) {
  return static_cast<double>(subtract_saturating(point.time.ticks(), from.time.ticks())) +
         static_cast<double>(subtract_saturating(point.offset, from.offset));
}

}  // namespace

Ticks Unmapping::offset_at(ProcessIndex process, Time mapped) {
  for (std::size_t next = processes_.size(); next <= process; ++next)
    processes_.push_back({line_of_clock(maps_, definitions_, static_cast<ProcessIndex>(next)), 1});
  auto& [line, after] = processes_[process];
  if (line == nullptr) return 0;
  const std::vector<OffsetPoint>& points = line->points();
  if (points.size() == 1) return points.front().offset;
  const auto mapped_of = [](const OffsetPoint& point) { return point.time + point.offset; };
  after = line->point_behind(after, [&](const OffsetPoint& point) { return mapped_of(point) <= mapped; });
  const OffsetPoint& from = points[after - 1];
  const OffsetPoint& to = points[after];
  const double length = mapped_since(from, to);
  if (!(length > 0)) return from.offset;
  const auto since = static_cast<double>(subtract_saturating(mapped.ticks(), mapped_of(from).ticks()));
  const double rise = static_cast<double>(subtract_saturating(to.offset, from.offset));
  constexpr double most = 4e18;
  return add_saturating(from.offset,
                        static_cast<Ticks>(std::clamp(std::floor(rise * since / length + 0.5), -most, most)));
}

std::vector<MappedClock> mapped_clocks(const Offsets& maps, Resolution resolution) {
  std::vector<MappedClock> clocks;
  for (const auto& [process, line] : maps) {
    if (line.points().empty()) continue;
    const OffsetPoint& first = line.points().front();
    const OffsetPoint& last = line.points().back();
    const double change =
        static_cast<double>(subtract_saturating(last.offset, first.offset)) + (last.fraction - first.fraction);
    clocks.push_back({process, resolution.microseconds(change),
                      resolution.microseconds(static_cast<double>(last.time - first.time))});
  }
  return clocks;
}

std::vector<MappedClock> mapped_clocks(std::span<const EstimatedClock> clocks) {
  std::vector<MappedClock> mapped;
  for (const EstimatedClock& clock : clocks)
    if (const double change = clock.first_us - clock.last_us; std::isfinite(change) && clock.rate_ppm != 0)
      mapped.push_back({clock.process, change, std::abs(change / clock.rate_ppm) * 1e6});
  return mapped;
}

void add_early(MapFigures& figures, Ticks mapped, Ticks recorded, Resolution resolution, double min_delay_us) {
  const auto early = [&](Ticks delay) { return -resolution.microseconds(static_cast<double>(delay)); };
  if (early(mapped) > min_delay_us) figures.early_us += early(mapped);
  figures.early_recorded_us += std::max(0.0, early(recorded));
}

void add_early(MapFigures& figures, const Analysis& analysis, std::span<const Ticks> recorded, Resolution resolution,
               double min_delay_us) {
  const std::size_t known = std::min(recorded.size(), analysis.pairs().size());
  for (std::size_t pair = 0; pair < known; ++pair)
    if (analysis.pairs()[pair].messages != 0)
      add_early(figures, analysis.pairs()[pair].smallest_delay, recorded[pair], resolution, min_delay_us);
}

void add_binding(MapFigures& figures, const sync::Estimate& estimate, double min_delay_us) {
  const auto& [mapped, recorded] = std::tie(estimate.mapped, estimate.recorded);
  if (!does_harm(mapped, recorded) || mapped.worst_us <= 2 * min_delay_us) return;
  const auto edges = static_cast<double>(mapped.edges);
  figures.below_mapped = static_cast<double>(mapped.violated) / edges;
  figures.below_recorded = static_cast<double>(recorded.violated) / edges;
  figures.below_worst_us = mapped.worst_us;
}

}  // namespace clc::tool
