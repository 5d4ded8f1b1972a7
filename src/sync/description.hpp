// The description of a fit: of each clock its offsets, their uncertainty and its map; of all, what the messages say of
// recorded and mapped times, and whether clocks are mapped at all.
//
// Place    Last, once the windows and the measured offsets are chosen.
// Units    Microseconds; maps in ticks.
// Cost     That of bounds.hpp and errors.hpp.
#pragma once

#include "sync/fit.hpp"

namespace clc::sync {

/// fit: as find_curves left it.
[[nodiscard]] Estimate describe(const Fit& fit);

}  // namespace clc::sync
