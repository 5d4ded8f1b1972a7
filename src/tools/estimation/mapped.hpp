// What the verdict has to know of a map that is applied before the correction.
//
// Units    Microseconds, but for the times of maps, which are ticks of the trace.
#pragma once

#include <array>
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

/// Messages of one process to another one, by mapped times.
struct MappedPair {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  Ticks smallest_delay = 0;
  std::array<Time, 3> ends;  ///< times between which both are mapped, in any order
};

/// Adds by how much messages are received before they are sent. Measured offsets may be wrong by a minimum delay.
/// Cost: in proportion to the points of the maps of both processes.
void add_early(MapFigures& figures, const Offsets& maps, const MappedPair& pair, const Definitions& definitions,
               double min_delay_us);
/// The same of all pairs. analysis: of the mapped times.
void add_early(MapFigures& figures, const Offsets& maps, const Analysis& analysis, const Definitions& definitions,
               double min_delay_us);

}  // namespace clc::tool
