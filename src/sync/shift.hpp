// The smallest shifts of the estimated clocks for which they obey the messages.
//
// Method   Of all c with  c_i - c_k <= (lowest quarter over windows of the mapped delay of k -> i) - mu  those with the
//          least sum of squares, by Hildreth's method, 300 sweeps. Constants only: bending the
//          clocks until no message is violated makes offsets worse. Where clocks are straight, lines that obey all
//          messages.
// Gauge    Messages determine differences between clocks only. The sums of the shifts and of the changes of rate over
//          all clocks are 0, so mapped time keeps running like the mean of the recorded clocks. Slowing down all clocks
//          would also lengthen all delays, and messages below the minimum delay would seem to prove a rate that no
//          clock has.
#pragma once

#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

/// c of each clock, to be added to its offset.
[[nodiscard]] std::vector<double> shift_into_bounds(const std::vector<Direction>& directions, std::size_t clocks,
                                                    double min_delay);

/// A message that two clocks may not violate. It compares them at one moment: with the times of its two ends, a common
/// rate of all clocks would change its delay. The error is its delay times the change of rates, far below a tick.
struct Binding {
  ClockIndex from = 0;
  ClockIndex to = 0;
  double time = 0;  ///< midway between send and receive; -1 and 1 are the ends of the trace
  double room = 0;  ///< its mapped delay less the minimum
};

/// To be added to the offset of a clock: offset + change * time.
struct LineShift {
  double offset = 0;
  double change = 0;
};

/// The least lines, in the mean square over the trace, that leave no message below the minimum delay. If clocks are
/// straight, the true ones are among those that do, and the nearest of a convex set is nearer to all of its members.
/// Their sum over all clocks is 0.
[[nodiscard]] std::vector<LineShift> lines_into_bounds(const std::vector<Binding>& messages, std::size_t clocks);

}  // namespace clc::sync
