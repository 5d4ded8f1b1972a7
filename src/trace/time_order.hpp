// The order in which a trace must be read: by the running maxima of recorded times, C^.
//
// Purpose  The records of a process have the order of its events, even where its clock was set back. So a trace is
//          sorted if no record has a smaller C^ than a record before it, where C^ is the largest recorded time of the
//          clock so far. While no clock is set back, C^ is the recorded time C.
// Place    Sources check it, and the filter does.
// Cost     One comparison per event; memory per process.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "clc/event.hpp"
#include "clc/time.hpp"

namespace clc {

/// Of a trace that is read from its end. An involution that reverses the order of all times.
[[nodiscard]] constexpr Time negated(Time time) noexcept { return Time(~time.ticks()); }

/// The clocks that have reached the newest time, which is the largest one so far. An event with a smaller time is out
/// of order, unless its clock has reached the newest time: then the clock was set back, and C^ is the newest time.
class Reached {
 public:
  /// events: that were read last, of which the last ones may be at the newest time. Call it before `by`, and when
  /// a run of events ends. clock_of(process): its clock.
  template <class ClockOf>
  void note(std::span<const Event> events, Time newest, ClockOf clock_of) {
    for (std::size_t i = events.size(); i > 0 && events[i - 1].time == newest; --i) {
      const ClockIndex clock = clock_of(events[i - 1].process);
      if (clock >= times_.size()) times_.resize(clock + std::size_t{1}, Time::earliest());
      times_[clock] = newest;
    }
  }
  /// Whether the clock has reached that time, which is above Time::earliest().
  [[nodiscard]] bool by(ClockIndex clock, Time newest) const noexcept {
    return clock < times_.size() && times_[clock] == newest;
  }

 private:
  std::vector<Time> times_;  // by clock
};

/// The running maximum of each process, or of each clock: by these, traces are sorted.
class RunningMaxima {
 public:
  /// C^ of the next event.
  [[nodiscard]] Time next(const Event& event) { return next(event.process, event.time); }
  [[nodiscard]] Time next(std::size_t of, Time time) {
    if (of >= maxima_.size()) maxima_.resize(of + std::size_t{1}, Time::earliest());
    Time& maximum = maxima_[of];
    if (time > maximum) maximum = time;
    return maximum;
  }

 private:
  std::vector<Time> maxima_;
};

}  // namespace clc
