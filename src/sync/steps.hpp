// Clocks that were set: a step can only be placed between two messages, and each message on the wrong side of it makes
// the controlled clock jump. So steps are found and told, and clocks are not mapped beyond the first one.
//
// Method   Before a step the corridor of a pair lies where it does not lie behind it: around the step the
//          smallest delays of both directions contradict each other, and their sum is negative. A clock whose rate
//          changes does so, too, but by less than what clocks are slewed by. Blamed is the clock of which at least half
//          of the pairs contradict themselves, most first, and those pairs count no more [estimation A.3.8].
#pragma once

#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

struct Step {
  ClockIndex clock = 0;
  std::size_t window = 0;
};

/// By window. pairs: observed from the directions.
[[nodiscard]] std::vector<Step> find_steps(const std::vector<Direction>& directions, const std::vector<Pair>& pairs,
                                           const Windows& windows, const Seen& seen);

}  // namespace clc::sync
