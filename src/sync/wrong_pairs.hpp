// Pairs of clocks whose messages say nothing, because they were matched wrongly: where a record is lost, the messages
// of a channel belong to the next ones from there on.
//
// Place    With look-ahead, where messages are matched once, in the order of their times.
// Rule     A lost send makes delays smaller by the time to the next message: the smallest delays of both directions add
//          up to less than nothing, in two windows at least. A clock that is set does that in the window of the step
//          only, so one that is set twice counts as well. A lost receive makes them larger: the shortest round trip of
//          the pair, in all windows of late, is four times as long as it has been. That also happens if receivers come
//          late; then the messages say little.
// Units    Seconds.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

using ClockPair = std::pair<ClockIndex, ClockIndex>;  ///< the smaller one first

struct WrongPairs {
  std::set<ClockPair> contradicting;  ///< themselves
  std::set<ClockPair> longer;         ///< than they have been
};

/// directions: by lines, or as recorded. trips: the shortest round trips so far, which are updated.
[[nodiscard]] WrongPairs find_wrong_pairs(const std::vector<Direction>& directions, const Windows& windows, double tick,
                                          std::map<ClockPair, double>& trips);

}  // namespace clc::sync
