// The controller: the forward step of the controlled logical clock LC' beside the simple clock LC.
//
// Place    Between input buffer and amortizer; called once per event, in the fixed processing order.
// Formula  [R eq. 4.10, 4.11] in offset form, D = LC' - C:
//              D_local = max(0, D_prev - (1 - gamma) dC, D_prev + delta - dC)     first event: 0
//              D       = max(D_local, D_edge)          jump = max(0, D_edge - D_local)
//          with D_edge = max over edges (s, e) of (C(s) - C(e)) + D(s) + mu. LC is the same with gamma = 0.
// Units    Ticks. D and jump are never negative.
// Cost     O(1) while D = 0, otherwise that of the regulators.
#pragma once

#include <algorithm>
#include <cstddef>

#include "clock/collectives.hpp"
#include "clock/distances.hpp"
#include "clock/offset.hpp"
#include "clock/recorder.hpp"
#include "clock/regulators.hpp"
#include "trace/fetch.hpp"
#include "trace/large_pages.hpp"

namespace clc {

class Controller {
 public:
  /// Keeps references to distances and analysis.
  Controller(const Parameters& parameters, const Distances& distances, Recorder& analysis)
      : quartz_(parameters.quartz_at_first()),
        any_clock_(parameters.bounds(false)),
        a_(parameters.bounds(quartz_)),
        b_(parameters, parameters.bounds(quartz_)),
        c_(parameters, parameters.bounds(quartz_), quartz_),
        d_(parameters.bounds(quartz_)),
        unregulated_(std::max(a_.gamma(), d_.gamma())),
        distances_(distances),
        analysis_(analysis) {
    analysis_.quartz_at_first = quartz_;
  }

  void grow(std::size_t clocks) {
    clocks_.resize(clocks);
    b_.grow(clocks);
  }

  /// Prefetches the state of a clock that will soon have an event.
  [[gnu::always_inline]] void fetch(ClockIndex clock) const noexcept {
    clc::fetch(&clocks_[clock]);
    b_.fetch(clock);
  }

  struct Step {
    double offset = 0;         ///< D
    double simple_offset = 0;  ///< E = LC - C
    double local = 0;          ///< D_local
    double jump = 0;
  };
  /// Processes the next event of a clock. bound: the edges of which it is the head; communicates: it is a send,
  /// receive, begin or end (regulator B considers only clocks whose processes have communicated).
  [[gnu::always_inline]] Step step(ClockIndex index, Time recorded, const Bound& bound, bool communicates) {
    Clock& state = clocks_[index];
    Ticks advance = recorded - state.recorded;
    Ticks distance = distances_.between(index, advance);
    if (!state.started) [[unlikely]] {
      state.started = true;
      GammaRecorder::start(analysis_.gamma_course, recorded);
      advance = distance = 0;
    }
    const Ticks carried = distance - advance;
    Step step;
    if (state.offset > 0) {
      const double slowed = state.offset - (1 - gamma(state.offset, recorded)) * static_cast<double>(advance);
      step.offset = std::max(0.0, std::max(slowed, plus(state.offset, carried)));
    } else {
      step.offset = static_cast<double>(std::max<Ticks>(0, carried));
    }
    step.simple_offset = std::max(0.0, plus(state.simple_offset, carried));
    step.local = step.offset;
    if (bound.any) {
      const double edge = plus(bound.offset, bound.ticks);
      if (edge > step.local) {
        step.jump = edge - step.local;
        step.offset = edge;
        if (!state.jumped) [[unlikely]] {
          state.jumped = true;
          c_.another_hop();
        }
      }
      step.simple_offset = std::max(step.simple_offset, plus(bound.simple_offset, bound.simple_ticks));
    }
    state.recorded = recorded;
    state.offset = step.offset;
    state.simple_offset = step.simple_offset;
    b_.observe(index, step.offset, communicates);
    c_.observe(recorded, step.simple_offset);
    return step;
  }

  /// LC' of the last processed event, rounded down; earliest() before the first one.
  [[nodiscard]] Time newest(ClockIndex index) const noexcept {
    const Clock& clock = clocks_[index];
    return clock.started ? clock.recorded + whole(clock.offset) : Time::earliest();
  }

 private:
  struct Clock {
    Time recorded;
    double offset = 0;
    double simple_offset = 0;
    bool started = false;
    bool jumped = false;
  };

  [[nodiscard, gnu::always_inline]] double gamma(double offset, Time recorded) {
    double gamma = unregulated_;
    if (!b_.idle() || !c_.idle(offset)) [[unlikely]]
      gamma = regulated(offset, recorded);
    GammaRecorder::add(analysis_.gamma_course, recorded, gamma);
    return gamma;
  }
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
    if (b < a) observe(analysis_.regulator_b, b);
    if (c < a) observe(analysis_.regulator_c, c);
    if (gamma < a) ++analysis_.events_below_gamma_max;
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
    analysis_.not_quartz = NotQuartz{recorded, all_ahead};
  }
  static void observe(RegulatorStatistics& statistics, double gamma) noexcept {
    ++statistics.below;
    if (gamma < statistics.lowest) statistics.lowest = gamma;
  }

  bool quartz_;  // clocks count as quartz clocks
  Parameters::Bounds any_clock_;
  RegulatorA a_;
  RegulatorB b_;
  RegulatorC c_;
  RegulatorD d_;
  double unregulated_;  // gamma while B and C are idle
  const Distances& distances_;
  Recorder& analysis_;
  LargeVector<Clock> clocks_;
};

}  // namespace clc
