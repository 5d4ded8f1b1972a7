// The regulators as they are by default: each event sees what all events processed before it have left.
//
// Place    A part of the controller (its parameter), which asks for gamma before an event and tells what came of it
//          afterwards. The order of processing decides what the regulators see, so it must be fixed.
// Formula  gamma = max(min(gamma_A, gamma_B, gamma_C), gamma_D), see regulators.hpp
// Cost     O(1) while B and C are idle, otherwise theirs.
#pragma once

#include <algorithm>
#include <cstddef>

#include "clc/indexes.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"
#include "clock/forward_step.hpp"
#include "clock/recorder.hpp"
#include "clock/regulators.hpp"

namespace clc {

class PerEvent {
 public:
  /// Keeps a reference to analysis.
  PerEvent(const Parameters& parameters, Recorder& analysis)
      : quartz_(parameters.quartz_at_first()),
        any_clock_(parameters.bounds(false)),
        a_(parameters.bounds(quartz_)),
        b_(parameters, parameters.bounds(quartz_)),
        c_(parameters, parameters.bounds(quartz_), quartz_),
        d_(parameters.bounds(quartz_)),
        unregulated_(std::max(a_.gamma(), d_.gamma())),
        analysis_(analysis) {
    analysis_.regulation.quartz_at_first = quartz_;
  }

  void grow(std::size_t clocks) { b_.grow(clocks); }
  /// Prefetches the state of a clock that will soon have an event.
  [[gnu::always_inline]] void fetch(ClockIndex clock) const noexcept { b_.fetch(clock); }

  /// Of the next event of a clock, before it is processed.
  [[nodiscard, gnu::always_inline]] double gamma(ClockIndex /*clock*/, const BeforeStep& before) {
    if (!b_.idle() || !c_.idle(before.offset)) [[unlikely]]
      return regulated(before.offset, before.recorded);
    return unregulated_;
  }
  /// A clock was advanced for the first time, by the event that is processed.
  void another_hop() noexcept { c_.another_hop(); }
  /// An event was processed.
  [[gnu::always_inline]] void observe(ClockIndex clock, const AfterStep& after) {
    b_.observe(clock, after.offset, after.communicates);
    c_.observe(after.recorded, after.simple_offset);
  }

 private:
  [[nodiscard, gnu::noinline]] double regulated(double offset, Time recorded) {
    double b = b_.gamma();
    if (quartz_) {
      const bool all_ahead = !b_.idle() && c_.far_ahead(b_.smallest());
      if (all_ahead || c_.beyond_chains(offset)) {
        any_clock(recorded, all_ahead);
        b = b_.gamma();
      }
    }
    const double a = a_.gamma();
    const double c = c_.gamma(offset);
    const double gamma = std::max(std::min(a, std::min(b, c)), d_.gamma());
    if (b < a) Recorder::regulated(analysis_.regulation.regulator_b, b);
    if (c < a) Recorder::regulated(analysis_.regulation.regulator_c, c);
    if (gamma < a) ++analysis_.regulation.events_below_gamma_max;
    return gamma;
  }
  /// The trace has proved that clocks are not driven by their quartz alone.
  void any_clock(Time recorded, bool all_ahead) {
    quartz_ = false;
    a_ = RegulatorA(any_clock_);
    b_.any_clock(any_clock_);
    c_.any_clock(any_clock_);
    d_ = RegulatorD(any_clock_);
    unregulated_ = std::max(a_.gamma(), d_.gamma());
    analysis_.regulation.not_quartz = NotQuartz{recorded, all_ahead};
  }

  bool quartz_;  // clocks count as quartz clocks
  Parameters::Bounds any_clock_;
  RegulatorA a_;
  RegulatorB b_;
  RegulatorC c_;
  RegulatorD d_;
  double unregulated_;  // gamma while B and C are idle
  Recorder& analysis_;
};

}  // namespace clc
