// Measured offsets as a trace has them: round trips, and points of the map.
//
// Units    Ticks as recorded.
#pragma once

#include <vector>

#include "sync/collector.hpp"
#include "trace/offsets.hpp"

namespace clc::sync {

/// A round trip: the reference sends at t1, the clock receives at t2 and answers at t3, the reference receives at t4.
struct Sample {
  ClockIndex clock = 0;
  ClockIndex reference = 0;
  Time t1;
  Time t2;
  Time t3;
  Time t4;

  [[nodiscard]] Ticks round_trip() const noexcept { return (t4 - t1) - (t3 - t2); }
  /// Its times are possible.
  [[nodiscard]] bool usable() const noexcept { return t4 >= t1 && t3 >= t2 && round_trip() >= 0; }
};

/// A point of the map itself, as recorded in the trace.
struct GivenPoint {
  ClockIndex clock = 0;
  OffsetPoint point;
};

struct Measurements {
  std::vector<Sample> samples;
  std::vector<GivenPoint> points;  ///< of clocks without samples, which have precedence
};

}  // namespace clc::sync
