// The controller: the forward step of the controlled logical clock LC' beside the simple clock LC.
//
// Place    Between input buffer and amortizer; called once per event in the fixed processing order.
// Formula  [R eq. 4.10, 4.11] in offset form, D = LC' - C:
//              D_local = max(0, D_prev - (1 - gamma) dC, D_prev + delta - dC)     first event: 0
//              D       = max(D_local, D_edge)          jump = max(0, D_edge - D_local)
//          with D_edge = max over edges (s, e) of (C(s) - C(e)) + D(s) + mu. LC is the same with gamma = 0.
// Units    Ticks. D and jump are never negative.
// Cost     O(1) while D = 0; else that of the regulators.
#pragma once

#include <algorithm>
#include <cstddef>

#include "clc/analysis.hpp"
#include "clc/stage/collectives.hpp"
#include "clc/stage/fetch.hpp"
#include "clc/stage/large_pages.hpp"
#include "clc/stage/offset.hpp"
#include "clc/stage/regulators.hpp"

namespace clc {

class Controller {
 public:
  /// delta in ticks; negative: automatic, min(1, dC).
  Controller(const Parameters& parameters, Ticks delta, Analysis& analysis)
      : a_(parameters),
        b_(parameters),
        c_(parameters),
        d_(parameters),
        unregulated_(std::max(a_.gamma(), d_.gamma())),
        delta_(delta),
        analysis_(analysis) {}

  void grow(std::size_t processes) {
    clocks_.resize(processes);
    b_.grow(processes);
  }

  /// Asks for the memory of a process that soon has an event.
  [[gnu::always_inline]] void fetch(ProcessIndex process) const noexcept {
    clc::fetch(&clocks_[process]);
    b_.fetch(process);
  }

  struct Step {
    double offset = 0;         ///< D
    double simple_offset = 0;  ///< E = LC - C
    double local = 0;          ///< D_local
    double jump = 0;
  };
  /// The next event of a process. bound: the edges it is head of; communicates: it is a send, receive, begin
  /// or end (regulator B looks at processes that have communicated).
  [[gnu::always_inline]] Step step(ProcessIndex process, Time recorded, const Bound& bound, bool communicates) {
    Clock& clock = clocks_[process];
    Ticks advance = recorded - clock.recorded;
    Ticks distance = delta_ < 0 ? std::min<Ticks>(1, advance) : delta_;
    if (!clock.started) [[unlikely]] {
      clock.started = true;
      analysis_.gamma_course.start(recorded);
      advance = distance = 0;
    }
    const Ticks carried = distance - advance;
    Step step;
    if (clock.offset > 0) {
      const double slowed = clock.offset - (1 - gamma(clock.offset, recorded)) * static_cast<double>(advance);
      step.offset = std::max(0.0, std::max(slowed, plus(clock.offset, carried)));
    } else {
      step.offset = static_cast<double>(std::max<Ticks>(0, carried));
    }
    step.simple_offset = std::max(0.0, plus(clock.simple_offset, carried));
    step.local = step.offset;
    if (bound.any) {
      const double edge = plus(bound.offset, bound.ticks);
      if (edge > step.local) {
        step.jump = edge - step.local;
        step.offset = edge;
      }
      step.simple_offset = std::max(step.simple_offset, plus(bound.simple_offset, bound.simple_ticks));
    }
    clock.recorded = recorded;
    clock.offset = step.offset;
    clock.simple_offset = step.simple_offset;
    b_.observe(process, step.offset, communicates);
    c_.observe(recorded, step.simple_offset);
    return step;
  }

  /// LC' of the last processed event, rounded down; earliest() when there is none.
  [[nodiscard]] Time newest(ProcessIndex process) const noexcept {
    const Clock& clock = clocks_[process];
    return clock.started ? clock.recorded + whole(clock.offset) : Time::earliest();
  }

 private:
  struct Clock {
    Time recorded;
    double offset = 0;
    double simple_offset = 0;
    bool started = false;
  };

  [[nodiscard, gnu::always_inline]] double gamma(double offset, Time recorded) {
    double gamma = unregulated_;
    if (!b_.idle() || !c_.idle(offset)) [[unlikely]]
      gamma = regulated(offset);
    analysis_.gamma_course.add(recorded, gamma);
    return gamma;
  }
  [[nodiscard, gnu::noinline]] double regulated(double offset) {
    const double a = a_.gamma();
    const double b = b_.gamma();
    const double c = c_.gamma(offset);
    const double gamma = std::max(std::min(a, std::min(b, c)), d_.gamma());
    if (b < a) observe(analysis_.regulator_b, b);
    if (c < a) observe(analysis_.regulator_c, c);
    if (gamma < a) ++analysis_.events_below_gamma_max;
    return gamma;
  }
  static void observe(RegulatorStatistics& statistics, double gamma) noexcept {
    ++statistics.below;
    if (gamma < statistics.lowest) statistics.lowest = gamma;
  }

  RegulatorA a_;
  RegulatorB b_;
  RegulatorC c_;
  RegulatorD d_;
  double unregulated_;  // gamma while B and C are idle
  Ticks delta_;
  Analysis& analysis_;
  LargeVector<Clock> clocks_;
};

}  // namespace clc
