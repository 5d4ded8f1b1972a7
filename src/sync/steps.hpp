// Detects clocks that were set. The time of a step is known only to lie between two messages, and each message on the
// wrong side of it would make the controlled clock jump. Steps are therefore reported, and clocks are not mapped beyond
// their first step, if it is so large that curves could not follow it.
//
// Method   Across a step, the smallest delays of both directions contradict each other: their sum is negative. A change
//          of rate has the same effect, but no more than the largest slew rate explains. A step is attributed to the
//          clock for which at least half of the pairs are contradictory, the clock with most of them first; these
//          pairs no longer count for others.
#pragma once

#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

/// Change of the offset of two clocks: adjtime and NTP slew each by up to 500 ppm, and clocks drift.
inline constexpr double fastest_slew = 1.1e-3;

struct Step {
  ClockIndex clock = 0;
  std::size_t window = 0;
};

/// By window. pairs: observed from the directions. beside: for how long before and after its message a minimum may be
/// that of a slewed clock, in seconds; 0: all steps that messages prove.
[[nodiscard]] std::vector<Step> find_steps(const std::vector<Direction>& directions, const std::vector<Pair>& pairs,
                                           const Windows& windows, const Seen& seen, double beside);

}  // namespace clc::sync
