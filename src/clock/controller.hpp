// The controller: the forward step of the controlled logical clock LC' beside the simple clock LC.
//
// Place    Between input buffer and amortizer; called once per event, in the fixed processing order.
// Formula  [R eq. 4.10, 4.11] in offset form, D = LC' - C:
//              D_local = max(0, D_prev - (1 - gamma) dC, D_prev + delta - dC)     first event: 0
//              D       = max(D_local, D_edge)          jump = max(0, D_edge - D_local)
//          with D_edge = max over edges (s, e) of (C(s) - C(e)) + D(s) + mu. LC is the same with gamma = 0.
//          Where a clock was set back, offsets are relative to C^, the largest C so far: F = LC' - C^ = D - (C^ - C),
//              F_local = max(0, F_prev + gamma dC - dC^, F_prev + delta - dC^)
//          and regulators see D [R 4.2, A3].
// Units    Ticks. D and jump are never negative.
// Cost     O(1) while D = 0, otherwise that of the regulators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "clock/bound.hpp"
#include "clock/distances.hpp"
#include "clock/forward_step.hpp"
#include "clock/offset.hpp"
#include "clock/per_event.hpp"
#include "clock/recorder.hpp"
#include "clock/set_back.hpp"
#include "trace/fetch.hpp"
#include "trace/large_pages.hpp"

namespace clc {

/// Regulation: what gamma depends on, `PerEvent` or the same interface.
template <class Regulation>
class ControllerOf {
 public:
  /// Keeps references to distances, set_back and analysis.
  ControllerOf(const Parameters& parameters, const Distances& distances, SetBack& set_back, Recorder& analysis)
      : regulation_(parameters, analysis), distances_(distances), set_back_(set_back), analysis_(analysis) {}

  void grow(std::size_t clocks) {
    clocks_.resize(clocks);
    regulation_.grow(clocks);
  }

  /// Prefetches the state of a clock that will soon have an event.
  [[gnu::always_inline]] void fetch(ClockIndex clock) const noexcept {
    clc::fetch(&clocks_[clock]);
    regulation_.fetch(clock);
  }

  /// An event was read that is behind a step back.
  void set_back(ClockIndex clock) noexcept {
    Phase& phase = clocks_[clock].phase;
    const bool first = phase == Phase::before_first || phase == Phase::set_back_at_first;
    phase = first ? Phase::set_back_at_first : Phase::set_back;
  }

  /// Processes the next event of a clock, which has that index in its queue. recorded: C, or C^ where the clock was set
  /// back, to which offsets are relative. bound: the edges of which it is the head; communicates: it is a send,
  /// receive, begin or end (regulator B considers only clocks whose processes have communicated).
  [[gnu::always_inline]] ForwardStep step(ClockIndex index, EventIndex event, Time recorded, const Bound& bound,
                                          bool communicates) {
    Clock& state = clocks_[index];
    Ticks advance = recorded - state.recorded;
    Ticks distance = distances_.between(index, advance);
    if (state.phase != Phase::usual) [[unlikely]] {
      if (state.phase != Phase::before_first) {
        // In variables of their own: the other ones stay in registers.
        const Bound edges = bound;
        const ForwardStep back = step_back(index, event, recorded, edges, communicates);
        return {back.offset, back.simple_offset, back.local, back.jump};
      }
      state.phase = Phase::usual;
      GammaRecorder::start(analysis_.regulation.gamma_course, recorded);
      advance = distance = 0;
    }
    const Ticks carried = distance - advance;
    ForwardStep step;
    if (state.offset > 0) {
      const double slowed = state.offset - (1 - gamma(index, state.offset, recorded)) * static_cast<double>(advance);
      step.offset = std::max(std::max(slowed, plus(state.offset, carried)), 0.0);
    } else {
      step.offset = static_cast<double>(std::max<Ticks>(0, carried));
    }
    step.simple_offset = std::max(0.0, plus(state.simple_offset, carried));
    bind(state, recorded, bound, step);
    regulation_.observe(index, {recorded, recorded, step.offset, step.simple_offset, step, communicates});
    return step;
  }

  /// False: nothing that the regulation knows matters for the next event of a clock, which has neither gamma nor a
  /// jump.
  [[nodiscard]] bool may_ask(ClockIndex index, const Bound& bound) const noexcept {
    const Clock& state = clocks_[index];
    if (!state.is_started()) return false;
    if (state.phase != Phase::usual || state.offset > 0) return true;
    return bound.any && plus(bound.offset, bound.ticks) > 0;
  }
  /// Bytes. O(clocks).
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return clocks_.capacity() * sizeof(Clock) + regulation_.memory();
  }
  [[nodiscard]] Regulation& regulation() noexcept { return regulation_; }
  [[nodiscard]] const Regulation& regulation() const noexcept { return regulation_; }

  /// LC' of the last processed event, rounded down; earliest() before the first one.
  [[nodiscard]] Time newest(ClockIndex index) const noexcept {
    const Clock& clock = clocks_[index];
    return clock.is_started() ? clock.recorded + whole(clock.offset) : Time::earliest();
  }

 private:
  enum class Phase : std::uint8_t {
    usual,
    before_first,       // no event was processed
    set_back,           // the last event, or one that was read and is not processed, is behind a step back
    set_back_at_first,  // the same before any was processed
  };
  struct Clock {
    Time recorded;  // C^
    double offset = 0;
    double simple_offset = 0;
    Phase phase = Phase::before_first;
    bool jumped = false;
    [[nodiscard]] bool is_started() const noexcept { return phase == Phase::usual || phase == Phase::set_back; }
  };

  /// After the local step.
  [[gnu::always_inline]] void bind(Clock& state, Time recorded, const Bound& bound, ForwardStep& step) {
    step.local = step.offset;
    if (bound.any) {
      const double edge = plus(bound.offset, bound.ticks);
      if (edge > step.local) {
        step.jump = edge - step.local;
        step.offset = edge;
        if (!state.jumped) [[unlikely]] {
          state.jumped = true;
          regulation_.another_hop();
        }
      }
      step.simple_offset = std::max(step.simple_offset, plus(bound.simple_offset, bound.simple_ticks));
    }
    state.recorded = recorded;
    state.offset = step.offset;
    state.simple_offset = step.simple_offset;
  }
  /// The same step where the clock was set back.
  [[nodiscard, gnu::noinline]] ForwardStep step_back(ClockIndex index, EventIndex event, Time maximum,
                                                     const Bound& bound, bool communicates) {
    Clock& state = clocks_[index];
    const Time recorded = set_back_.recorded(index, event, maximum);
    const Time before = set_back_.processed(index, recorded, state.recorded);
    const auto behind = static_cast<double>(maximum - recorded);
    Ticks advance = maximum - state.recorded;
    Ticks elapsed = recorded - before;
    Ticks distance = distances_.between(index, Ticks{elapsed != 0});
    if (!state.is_started()) {
      GammaRecorder::start(analysis_.regulation.gamma_course, recorded);
      advance = elapsed = distance = 0;
    }
    const Ticks carried = subtract_saturating(distance, advance);
    ForwardStep step;
    step.offset = std::max(0.0, plus(state.offset, carried));
    if (const double ahead = state.offset + static_cast<double>(state.recorded - before); ahead > 0) {
      const double lost = (1 - gamma(index, ahead, recorded)) * static_cast<double>(elapsed);
      step.offset =
          std::max(step.offset, state.offset - lost + static_cast<double>(subtract_saturating(elapsed, advance)));
    }
    step.simple_offset = std::max(0.0, plus(state.simple_offset, carried));
    bind(state, maximum, bound, step);
    regulation_.observe(index,
                        {recorded, maximum, step.offset + behind, step.simple_offset + behind, step, communicates});
    state.phase = recorded == maximum && set_back_.caught_up(index, event) ? Phase::usual : Phase::set_back;
    return step;
  }

  /// offset: D of the event before.
  [[nodiscard, gnu::always_inline]] double gamma(ClockIndex index, double offset, Time recorded) {
    const Clock& state = clocks_[index];
    const double gamma = regulation_.gamma(index, {offset, state.recorded, state.simple_offset, recorded});
    GammaRecorder::add(analysis_.regulation.gamma_course, recorded, gamma);
    return gamma;
  }

  Regulation regulation_;
  const Distances& distances_;
  SetBack& set_back_;
  Recorder& analysis_;
  LargeVector<Clock> clocks_;
};

using Controller = ControllerOf<PerEvent>;

}  // namespace clc
