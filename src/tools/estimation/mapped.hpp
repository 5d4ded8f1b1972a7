// What the verdict has to know of a map that is applied before the correction.
//
// Units    Microseconds, but for the times of maps, which are ticks of the trace.
#pragma once

#include <span>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/report.hpp"
#include "clc/verdict.hpp"
#include "trace/offsets.hpp"

namespace clc::tool {

/// The clocks that a map changes.
[[nodiscard]] std::vector<MappedClock> mapped_clocks(const Offsets& maps, Resolution resolution);
/// The same of estimates.
[[nodiscard]] std::vector<MappedClock> mapped_clocks(std::span<const EstimatedClock> clocks);

}  // namespace clc::tool
