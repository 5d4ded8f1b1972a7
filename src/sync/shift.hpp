// The smallest shifts of the estimated clocks for which they obey the messages.
//
// Method   Of all c with  c_i - c_k <= (lowest quarter over windows of the mapped delay of k -> i) - mu  those with the
//          least sum of squares, by Hildreth's method, 300 sweeps [estimation A.3.9]. Constants only: bending the
//          clocks until no message is violated makes offsets worse. Where clocks are straight, lines that obey all
//          messages.
#pragma once

#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

/// c of each clock, to be added to its offset.
[[nodiscard]] std::vector<double> shift_into_bounds(const std::vector<Direction>& directions, std::size_t clocks,
                                                    double min_delay);

/// A message that two clocks may not violate. Times are between -1 and 1, the ends of the trace.
struct Binding {
  ClockIndex from = 0;
  ClockIndex to = 0;
  double sent = 0;
  double received = 0;
  double room = 0;  ///< its mapped delay less the minimum
};

/// To be added to the offset of a clock: offset + change * time.
struct LineShift {
  double offset = 0;
  double change = 0;
};

/// The least lines, in the mean square over the trace, that leave no message below the minimum delay. If clocks are
/// straight, the true ones are among those that do, and the nearest of a convex set is nearer to all of its members.
[[nodiscard]] std::vector<LineShift> lines_into_bounds(const std::vector<Binding>& messages, std::size_t clocks);

}  // namespace clc::sync
