// A simulated clock: true time in, recorded time out.
//
// Model    C(t) = t + floor(o(t)), rounded down to the tick, never less than an earlier reading. The
//          offset o is a straight line between the events that change it: its frequency wanders or
//          follows the temperature, it is stepped, or a daemon slews it.
// Signs    Offset positive: the clock is ahead of true time. Rate positive: it runs fast.
// Laws     Depends on true time and seed only: additional readings change nothing. A clock without
//          errors returns its argument. Never decreasing, unless it may be set back: after a step backwards it stops
//          until true time has caught up, as a monotonic clock does.
// Cost     A multiplication and a floor per reading, plus a division if there is a tick.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clc/time.hpp"
#include "random.hpp"

namespace clc::tracegen {

/// Errors of the clocks; 0: no error. Each process draws its own values.
struct ClockErrors {
  double offset_us = 0;             ///< at the start, uniform within +-
  double drift_ppm = 0;             ///< constant, uniform within +-
  double wander_ppm = 0;            ///< random walk of the rate: standard deviation after one second
  double temperature_ppm = 0;       ///< amplitude of a sinusoidal change of the rate, random phase
  double temperature_period_s = 0;  ///< its period
  std::uint64_t steps = 0;          ///< number of sudden jumps during the run, at random times
  double step_us = 0;               ///< height of each, uniform within +-
  double resync_period_s = 0;       ///< set abruptly this often [R fig. 7.1] (0: never)
  double resync_us = 0;             ///< to within +- of true time
  double ntp_period_s = 0;          ///< compared this often and slewed over the next period (0: never)
  double ntp_us = 0;                ///< error of each comparison, uniform within +-
  bool set_back = false;            ///< after a step backwards, readings are earlier than those before
  double tick_us = 0;               ///< the clock advances in steps of this length (0: of one tick of the trace)
};

/// Values that a scenario sets instead of drawing them.
struct ClockPlan {
  double offset_ticks = 0;            ///< added to the offset at the start
  double rate = 0;                    ///< added to the rate, dimensionless
  std::optional<Ticks> tick_phase{};  ///< recorded times are phase + multiple of the tick; unset: drawn
};

class Clock {
 public:
  /// Fastest correction that a daemon applies, as adjtime does.
  static constexpr double slew_limit = 500e-6;

  /// duration: planned length of the run in ticks; the steps fall into it.
  Clock(const ClockErrors& errors, const ClockPlan& plan, Resolution resolution, Ticks duration, std::uint64_t seed,
        std::uint64_t process);

  /// Recorded time at true time t >= 0, in ticks; t never decreases from call to call.
  [[nodiscard]] Ticks read(Ticks t) noexcept {
    latest_ = t;
    if (t >= segment_end_) [[unlikely]]
      advance(t);
    Ticks now = t + floor(offset_ + rate_ * static_cast<double>(t - segment_start_));
    if (tick_ > 1) now = floor_to_tick(now);
    if (now < shown_.largest) return shown_.may_fall ? now : shown_.largest;
    shown_.largest = now;
    return now;
  }
  /// Lower bound of the largest reading so far, at t or later; t may precede the last reading. What a clock that may be
  /// set back would show at t is none, as it may not be read before it is set back.
  [[nodiscard]] Ticks read_no_earlier(Ticks t) noexcept {
    if (t > latest_ && !shown_.may_fall) static_cast<void>(read(t));
    return shown_.largest;
  }

 private:
  [[nodiscard]] static Ticks floor(double x) noexcept {
    const auto truncated = static_cast<Ticks>(x);
    return truncated - (static_cast<double>(truncated) > x);
  }
  [[nodiscard]] Ticks floor_to_tick(Ticks now) const noexcept {
    const Ticks since = now - tick_phase_;
    const Ticks rest = since % tick_;
    return now - (rest < 0 ? rest + tick_ : rest);
  }
  void advance(Ticks t) noexcept;
  void change() noexcept;

  // the segment
  Ticks segment_start_ = 0;
  Ticks segment_end_ = 0;
  double offset_ = 0;  // at segment_start_
  double rate_ = 0;
  Ticks tick_ = 1;
  Ticks tick_phase_ = 0;
  Ticks latest_ = -1;  // the last argument
  struct Shown {
    Ticks largest = ticks_min;
    bool may_fall = false;
  };
  Shown shown_;

  // what changes it
  Random random_;
  double drift_;
  double walk_ = 0;
  double slew_ = 0;
  double temperature_ = 0;
  double temperature_turns_ = 0;  // phase at true time 0
  double temperature_turns_per_tick_ = 0;
  std::vector<Ticks> steps_;  // latest first
  double step_ = 0;
  /// A change of some size that comes again and again.
  struct Periodic {
    Ticks interval = 0;
    Ticks next = ticks_max;  // never
    double size = 0;
    [[nodiscard]] bool is_due(Ticks now) const noexcept { return next <= now; }
    void pass() noexcept { next = add_saturating(next, interval); }
  };
  Periodic frequency_;  // of its rate, by wander and temperature
  Periodic resync_;
  Periodic ntp_;
};

}  // namespace clc::tracegen
