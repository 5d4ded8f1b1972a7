// Measured offsets that messages contradict: of a fit to the messages alone, each offset claims where the common time
// is, and points.hpp judges the claims.
//
// Cost     That of bounds.hpp, and O(points * log points) for the times when messages bind the clocks.
#pragma once

#include <vector>

#include "sync/fit.hpp"

namespace clc::sync {

/// Of each point. fit: without measured offsets.
[[nodiscard]] std::vector<bool> contradicted(const Fit& fit, const std::vector<GivenPoint>& points);

}  // namespace clc::sync
