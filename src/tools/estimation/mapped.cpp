#include "estimation/mapped.hpp"

#include <cmath>

namespace clc::tool {

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

}  // namespace clc::tool
