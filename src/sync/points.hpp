// Measured offsets as data of the estimator, beside the messages of the program.
//
// Idea     The time that offsets were measured against is one more clock, of which nothing else is known. A point is an
//          observation of a clock against it, with the error that it states.
// Errors   What measures a clock often errs in the same way each time, and points may come from one estimate. So half
//          of the variance that they state is taken for an error that the points of a clock have in common, that of the
//          best of them; the rest is different in each. One point is as good as it states, many are better by a
//          root of 2 at most.
// Doubts   Messages prove how far a clock can be from the reference of its group. Points that were measured at about
//          the same time must leave a common time that all of these intervals permit; those that do not contain the
//          one that most clocks agree on are not used [Marzullo and Owicki, 1983]. Without a majority none is.
#pragma once

#include <optional>
#include <vector>

#include "sync/clock_span.hpp"
#include "sync/observations.hpp"
#include "sync/samples.hpp"

namespace clc::sync {

/// Points that can be observations: they have an error, their clock has no round trips, and they are not further from
/// its records than the trace is long. Empty if they tell nothing.
[[nodiscard]] std::vector<GivenPoint> usable_points(const Measurements& measurements, const ClockSpans& spans);

/// Those of a single clock do not: of the common time nothing else is known.
[[nodiscard]] bool tell_something(const std::vector<GivenPoint>& points);

/// By clock and time. common: the clock that stands for the common time.
[[nodiscard]] std::vector<MeasuredOffsets> offsets_of(std::vector<GivenPoint> points, const Zeros& zeros,
                                                      Resolution resolution, ClockIndex common);

/// The pair of each clock with the common time, which has the higher number.
[[nodiscard]] std::vector<Pair> observe(const std::vector<MeasuredOffsets>& offsets, const std::vector<Curve>& curves,
                                        const Windows& grid, const Seen& seen);

/// Where a point puts the common time, if the messages are right.
struct Claim {
  std::uint32_t group = 0;  ///< of clocks that messages connect; each has a reference
  ClockIndex clock = 0;
  double time = 0;    ///< mapped
  double ahead = 0;   ///< by how much the common time is ahead of the mapped one
  double before = 0;  ///< it may be less by so much, as messages and the error of the point permit
  double after = 0;   ///< or more
};

/// Of each claim: it contradicts the others. rate: by how much the common time may be faster than the reference at
/// one time than at another.
[[nodiscard]] std::vector<bool> contradicting(const std::vector<Claim>& claims, double rate);

}  // namespace clc::sync
