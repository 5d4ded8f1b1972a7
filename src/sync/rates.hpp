// Estimates how fast the rates of the clocks change.
//
// Method   A Kalman filter (offset, rate) with process noise 2q over each pair's observations gives the likelihood of
//          q. The most likely q of a grid is chosen, summed over at most 1,000 pairs, with Huber's weights
//          beyond 3 sigma; 0 unless that is clearly more likely than constant rates with white noise, whose size is
//          fitted for each pair: of all pairs together, or of those of one clock, each with a q of its own of up to
//          10 ppm in a second. Messages that wait look like larger changes.
// Units    q is the variance of a clock's rate after one second, 1/s. 0: rates are constant.
#pragma once

#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

[[nodiscard]] double rate_variance(const std::vector<Pair>& pairs);

}  // namespace clc::sync
