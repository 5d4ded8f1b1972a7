// The smallest constant shifts of the estimated clocks for which they obey the messages.
//
// Method   Of all c with  c_i - c_k <= (lowest quarter over windows of the mapped delay of k -> i) - mu  those with the
//          least sum of squares, by Hildreth's method, 300 sweeps [estimation A.3.9]. Constants only: bending the
//          clocks until no message is violated makes offsets worse.
#pragma once

#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

/// c of each clock, to be added to its offset.
[[nodiscard]] std::vector<double> shift_into_bounds(const std::vector<Direction>& directions, std::size_t clocks,
                                                    double min_delay);

}  // namespace clc::sync
