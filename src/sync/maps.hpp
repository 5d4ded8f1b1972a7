// The maps of clocks: the curves of a fit as points in ticks, as a file has them.
//
// Rule     No clock is mapped to before the earliest recorded time: not all formats have times below their first.
// Units    Errors in seconds.
#pragma once

#include <vector>

#include "sync/means.hpp"

namespace clc::sync {

/// Of each clock of the trace; no points: it has no records. errors: of its offsets.
[[nodiscard]] std::vector<OffsetLine> maps_of(const Fit& fit, const Means& means, const std::vector<double>& errors);

}  // namespace clc::sync
