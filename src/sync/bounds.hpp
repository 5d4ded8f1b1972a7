// What the messages prove of the estimated clocks: intervals that contain the truth.
//
// Method   Relative to a reference clock, the one with most observations of its group, whose error is taken as 0: the
//          error of clock i in a window is at most the length of a shortest path from the reference to i, and at least
//          that from i to the reference taken negative, over  e_i - e_k <= (smallest mapped delay of k -> i) - mu ;
//          from one window to the next a path goes on at the rate by which an error may change.
// Units    Seconds. An error is estimated minus true offset.
// Cost     A few times windows * pairs: only clocks whose distance changed are looked at again, and contradictions are
//          found where they go round.
#pragma once

#include <vector>

#include "sync/groups.hpp"
#include "sync/observations.hpp"

namespace clc::sync {

struct ErrorInterval {
  double low = 0;
  double high = 0;
};

struct ErrorBounds {
  std::vector<ClockIndex> reference;                ///< of each group
  std::vector<std::vector<ErrorInterval>> windows;  ///< [window][clock]; infinite where nothing is known
  bool contradiction = false;                       ///< no errors explain all messages: intervals may miss the truth
};

/// directions: their minima through the estimated curves. rate: by which the error of a clock may change. references:
/// of each group; empty: chosen.
[[nodiscard]] ErrorBounds error_bounds(const std::vector<Direction>& directions, const Groups& groups,
                                       const Windows& windows, double min_delay, double rate,
                                       const std::vector<ClockIndex>& references = {});

}  // namespace clc::sync
