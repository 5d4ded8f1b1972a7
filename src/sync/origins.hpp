// From where the windows of the first pass count for each clock, so that clocks with wrong dates need no longer windows
// than others.
//
// Place    In a collector, which divides edges among windows.
// Method   The first record of a clock that begins long after the others is where its times count from. That may be a
//          clock that is ahead, or a process that begins late: each pair of clocks has windows of its own, so all that
//          matters is how long a pair has messages.
// Units    Ticks as recorded.
#pragma once

#include <optional>
#include <vector>

#include "sync/kept_edges.hpp"

namespace clc::sync {

class Origins {
 public:
  /// Clocks that begin within so many seconds of the first one have the same origin.
  static constexpr double near_s = 60;

  [[nodiscard]] bool knows(ClockIndex clock) const noexcept { return clock < later_.size() && later_[clock]; }
  /// The first record of a clock that is not known yet. The clock that begins first comes first.
  void begin(ClockIndex clock, Time first, Resolution resolution) {
    if (clock >= later_.size()) later_.resize(clock + std::size_t{1});
    if (!earliest_) earliest_ = first;
    const Ticks later = first - *earliest_;
    const bool far = later >= resolution.ticks_of_seconds(near_s);
    later_[clock] = far ? later : 0;
    any_ = any_ || far;
  }

  [[nodiscard]] Time time_of(const Edge& edge) const noexcept {
    const Time middle = edge.times.middle();
    return any_ ? middle - (later(edge.from) / 2 + later(edge.to) / 2) : middle;
  }
  [[nodiscard]] Time time_of(const FirstSight& sight) const noexcept {
    return any_ ? sight.time - later(sight.latest) : sight.time;
  }

 private:
  [[nodiscard]] Ticks later(ClockIndex clock) const noexcept {
    return clock < later_.size() ? later_[clock].value_or(0) : 0;
  }

  std::optional<Time> earliest_;
  std::vector<std::optional<Ticks>> later_;  ///< of each clock; none: it has not begun
  bool any_ = false;                         ///< one that is not 0
};

}  // namespace clc::sync
