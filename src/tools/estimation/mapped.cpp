#include "estimation/mapped.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace clc::tool {

namespace {

/// By how much a map moves that time of a process. line: or null.
Ticks offset_at(const OffsetLine* line, Time time) { return line == nullptr ? 0 : line->at(time) - time; }

/// The most by which a map moves the receiver further than the sender. Maps are straight between their points. ends:
/// mapped times up to which they are needed.
Ticks largest_shift(const OffsetLine* sender, const OffsetLine* receiver, std::span<const Time> ends) {
  std::vector<Time> times;
  for (const OffsetLine* const line : {sender, receiver}) {
    for (const Time end : ends) times.push_back(end - offset_at(line, end));
    if (line != nullptr)
      for (const OffsetPoint& point : line->points()) times.push_back(point.time);
  }
  Ticks largest = ticks_min;
  for (const Time time : times)
    largest = std::max(largest, subtract_saturating(offset_at(receiver, time), offset_at(sender, time)));
  return largest;
}

}  // namespace

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

void add_early(MapFigures& figures, const Offsets& maps, const MappedPair& pair, const Definitions& definitions,
               double min_delay_us) {
  const auto us = [&](Ticks ticks) { return definitions.resolution.microseconds(static_cast<double>(ticks)); };
  const OffsetLine* const sender = maps.line_of(definitions.processes()[pair.sender].number);
  const OffsetLine* const receiver = maps.line_of(definitions.processes()[pair.receiver].number);
  const Ticks recorded = subtract_saturating(pair.smallest_delay, largest_shift(sender, receiver, pair.ends));
  if (const double early = -us(pair.smallest_delay); early > min_delay_us) figures.early_us += early;
  figures.early_recorded_us += std::max(0.0, -us(recorded));
}

void add_early(MapFigures& figures, const Offsets& maps, const Analysis& analysis, const Definitions& definitions,
               double min_delay_us) {
  for (const PairStatistics& pair : analysis.pairs()) {
    if (pair.messages == 0) continue;
    const std::array ends{analysis.first_recorded(), analysis.processes()[pair.sender].last_recorded,
                          analysis.processes()[pair.receiver].last_recorded};
    add_early(figures, maps, {pair.sender, pair.receiver, pair.smallest_delay, ends}, definitions, min_delay_us);
  }
}

}  // namespace clc::tool
