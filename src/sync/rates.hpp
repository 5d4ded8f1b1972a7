// How fast the rates of the clocks change.
//
// Method   A Kalman filter (offset, rate) over each pair's observations, with process noise 2q, gives the likelihood of
// q;
//          the most likely one of a grid, summed over at most 200 pairs, beyond 3 sigma as with Huber
//          [estimation A.3.6].
// Units    q is the variance of a clock's rate after one second: 1/s. 0: the clocks are straight.
#pragma once

#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

[[nodiscard]] double rate_variance(const std::vector<Pair>& pairs);

}  // namespace clc::sync
