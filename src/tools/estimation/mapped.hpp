// What the verdict has to know of a map that is applied before the correction.
//
// Units    Microseconds, but for the times of maps, which are ticks of the trace.
#pragma once

#include <span>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/report.hpp"
#include "clc/verdict.hpp"
#include "trace/offsets.hpp"

namespace clc::tool {

/// The clocks that a map changes.
[[nodiscard]] std::vector<MappedClock> mapped_clocks(const Offsets& maps, Resolution resolution);
/// The same of estimates.
[[nodiscard]] std::vector<MappedClock> mapped_clocks(std::span<const EstimatedClock> clocks);

/// Adds by how much messages are received before they are sent. Measured offsets may be wrong by a minimum delay.
/// analysis: of the mapped times. Cost: in proportion to the points of the maps of both processes, for each pair of
/// them.
void add_early(MapFigures& figures, const Offsets& maps, const Analysis& analysis, const Definitions& definitions,
               double min_delay_us);

}  // namespace clc::tool
