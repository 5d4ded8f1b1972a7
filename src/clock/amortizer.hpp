// The amortizer: spreads the jumps of the forward clock over the time before them [R alg. 5, 4.5, 6.2].
//
// Place    Between controller and merge, on the queue of each clock. The controller reports every jump; the amortizer
//          spreads jumps in event order, each as soon as no later event can limit a tail.
// Formula  For an event R with jump J: x_R = LC'(R) - J, interval [x_R - L_A, x_R], L_A = cldiff / A_def. A line
//          rises from 0 at its start to J at x_R; if the clock has no event before the interval, the line
//          starts at the first event, at the height of the lowest cross (at most J; without crosses J). Each
//          tail s has a cross at LC^b(s) with the height min over its heads (LC' - mu) - LC^b(s). Every event
//          of the interval moves by the lower convex hull of line ends and crosses.
// cldiff   Grows to the largest jump seen; a jump uses the value from before it. Events that were final
//          under the shorter interval stay final: the interval of a later jump begins no earlier than the
//          horizon at that moment, so results do not depend on how much is buffered. No interval is longer
//          than 2^62 ticks.
// Cost     O(log(interval)) per jump if no cross binds, otherwise proportional to the bent part (see ProcessQueue).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clock/offset.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"

namespace clc {

class Amortizer {
 public:
  /// cldiff in ticks, error = A_def as a fraction.
  Amortizer(double cldiff, double error, bool on, Recorder& analysis);

  void grow(std::size_t clocks) { of_.resize(clocks); }

  /// Current length of the longest amortization interval in ticks, rounded up; 0 if switched off.
  [[nodiscard]] Ticks interval() const noexcept { return std::max(interval_, longest_own_); }
  /// That of the next jump of a clock.
  [[nodiscard]] Ticks interval(ClockIndex clock) const noexcept {
    return has_own(of_[clock]) ? in_ticks(length(of_[clock].cldiff)) : interval_;
  }
  /// L_A in ticks before any clock difference has grown, also if switched off.
  [[nodiscard]] double first_length() const noexcept { return length(analysis_.clock_difference_start); }

  /// The event at `index` was processed with a jump from offset `local`.
  void jumped(ClockIndex clock, EventIndex index, double local, double jump) {
    if (!on_) return;
    OfClock& state = of_[clock];
    const double own = has_own(state) ? length(state.cldiff) : length_;
    state.waiting.push_back({index, local, jump, own, state.kept_from});
  }
  /// True if this jump increases cldiff; then call `lengthen`.
  [[nodiscard]] bool lengthens(double jump) const noexcept { return jump > cldiff_; }
  /// now: recorded time of the newest record read.
  void lengthen(double jump, Time now);
  /// The same of one clock alone: its jumps from now on, none of which precedes `earliest`, know of that clock
  /// difference. What has left then depends on the sequence of that clock only.
  [[nodiscard]] bool lengthens(ClockIndex clock, double cldiff) const noexcept {
    return on_ && cldiff > cldiff_ && cldiff > of_[clock].cldiff;
  }
  void lengthen(ClockIndex clock, double cldiff, Time earliest) {
    if (lengthens(clock, cldiff)) [[unlikely]]
      lengthen_own(clock, cldiff, earliest);
  }
  /// Events before horizon may already have been emitted: no later interval of this clock begins before it.
  void keep(ClockIndex clock, Time horizon) noexcept {
    if (horizon > of_[clock].kept_from) of_[clock].kept_from = horizon;
  }
  /// The same for the lengthenings not yet applied to this clock; `known`: the number already applied. earliest: no
  /// later jump of the clock precedes this time, and that has held since those lengthenings; none: no event of the
  /// clock is pending, so the time that the input had reached at each lengthening counts. Call it before `earliest`
  /// changes. Cost: O(log(lengthenings)).
  void keep(ClockIndex clock, std::uint32_t known, std::optional<Time> earliest) noexcept;
  /// Events before that index have been emitted: their jumps are discarded.
  void forget_jumps_before(ClockIndex clock, EventIndex first) noexcept {
    OfClock& state = of_[clock];
    while (state.done < state.waiting.size() && state.waiting[state.done].index < first) ++state.done;
  }
  /// Number of lengthenings since the last `forget_lengthenings`.
  [[nodiscard]] std::uint32_t lengthenings() const noexcept { return static_cast<std::uint32_t>(intervals_.size()); }
  /// There were any.
  [[nodiscard]] bool was_lengthened() const noexcept { return !intervals_.empty(); }
  /// All lengthenings have been applied to all clocks.
  void forget_lengthenings() noexcept;

  /// Spreads the jumps of a clock up to the first one that has to wait. A jump waits until `now`, the time that the
  /// input has reached, is at least LC'(R) + delay (later heads cannot bind then), and until all heads that have been
  /// read are processed; `stuck` is the first tail with an unprocessed head. now: none at the end of the input.
  void amortize(ClockIndex clock, ProcessQueue& queue, std::optional<Time> now, Ticks delay, EventIndex stuck);

  /// Pending jumps do not move events of the clock before this time; latest() without pending jumps. interval: the
  /// longest interval that they may have.
  [[nodiscard]] Time reach(ClockIndex clock, const ProcessQueue& queue, Ticks interval) const noexcept;

 private:
  struct Jump {
    EventIndex index;
    double local;  // D_local: x_R relative to C(R)
    double height;
    double length;   // L_A of this jump
    Time kept_from;  // its interval begins no earlier
  };
  struct OfClock {
    std::vector<Jump> waiting;  // jumps from `done` on
    std::size_t done = 0;
    Time kept_from = Time::earliest();
    EventIndex hint = 0;  // start of the last interval
    double cldiff = 0;    // of this clock alone
  };
  /// From that lengthening on: the time before which a clock without pending events has no later jump.
  struct Reached {
    std::uint32_t lengthening;
    Time time;
  };
  void set_difference(double jump) noexcept;
  void lengthen_own(ClockIndex clock, double cldiff, Time earliest);
  [[nodiscard]] bool has_own(const OfClock& state) const noexcept { return state.cldiff > cldiff_; }
  /// L_A in ticks where the largest clock difference is that.
  [[nodiscard]] double length(double cldiff) const noexcept { return std::min(cldiff / error_, offset_max); }
  [[nodiscard]] static Ticks in_ticks(double length) noexcept { return whole(std::ceil(length)); }
  void amortize(OfClock& state, ProcessQueue& queue, const Jump& jump);

  double cldiff_;
  double error_;
  bool on_;
  Recorder& analysis_;
  double length_ = 0;
  Ticks interval_ = 0;
  Ticks longest_own_ = 0;          // of the clocks that have intervals of their own
  std::vector<Ticks> intervals_;   // before each of the lengthenings
  std::vector<Reached> furthest_;  // maximum over each and all later ones, where it differs
  std::vector<OfClock> of_;
};

}  // namespace clc
