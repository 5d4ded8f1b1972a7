// The amortizer: spreads the jumps of the forward clock over the time before them [R alg. 5, 4.5, 6.2].
//
// Place    Between controller and merge, on the queue of each clock. Told of every jump; carries them out
//          in event order once no event that is still to come can hold a tail back.
// Formula  For an event R with jump J: x_R = LC'(R) - J, interval [x_R - L_A, x_R], L_A = cldiff / A_def. A line
//          rises from 0 at its start to J at x_R; if the clock has no event before the interval, it
//          starts at the first event at the lowest cross (at most J; without crosses at J). A cross stands at
//          each tail s at LC^b(s), min over its heads (LC' - mu) - LC^b(s). Every event of the interval moves
//          by the lower convex hull of line ends and crosses.
// cldiff   Grows to the largest jump seen; a jump uses the value from before it. Events that were final
//          under the shorter interval stay so: the interval of a later jump begins at `horizon` of that moment.
//          No interval is longer than 2^62 ticks. Results therefore do not depend on how much is buffered.
// Cost     O(log(interval)) per jump where no cross binds, and in proportion to the bent part where one does
//          (see ProcessQueue).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/stage/process_queue.hpp"

namespace clc {

class Amortizer {
 public:
  /// cldiff in ticks, error = A_def as a fraction.
  Amortizer(double cldiff, double error, bool on, Analysis& analysis);

  void grow(std::size_t clocks) { of_.resize(clocks); }

  /// Length of the amortization interval now, in ticks, rounded up; 0 when switched off.
  [[nodiscard]] Ticks interval() const noexcept { return interval_; }

  /// The event at `index` was processed with a jump, up from offset `local`.
  void jumped(ClockIndex clock, EventIndex index, double local, double jump) {
    if (on_) of_[clock].waiting.push_back({index, local, jump, length_, of_[clock].kept_from});
  }
  /// True when this jump makes cldiff grow: then call `lengthen`.
  [[nodiscard]] bool lengthens(double jump) const noexcept { return jump > cldiff_; }
  /// now: how far the input is.
  void lengthen(double jump, Time now);
  /// What lay before horizon may have left: no later interval of this clock reaches there.
  void keep(ClockIndex clock, Time horizon) noexcept {
    if (horizon > of_[clock].kept_from) of_[clock].kept_from = horizon;
  }
  /// The same for the lengthenings of which the clock does not know yet: `known` is how many it does. earliest: no
  /// later jump of it stands before that, and this has been so since; none: nothing of it waits, so that it is what the
  /// input had reached. Call it before that changes. Cost: O(log(lengthenings)).
  void keep(ClockIndex clock, std::uint32_t known, std::optional<Time> earliest) noexcept;
  /// Events before that index have left: what jumped there is not carried out any more.
  void forget_jumps_before(ClockIndex clock, EventIndex first) noexcept {
    OfClock& state = of_[clock];
    while (state.done < state.waiting.size() && state.waiting[state.done].index < first) ++state.done;
  }
  /// How many there were since the last `forget_lengthenings`.
  [[nodiscard]] std::uint32_t lengthenings() const noexcept { return static_cast<std::uint32_t>(intervals_.size()); }
  /// All clocks know of them.
  void forget_lengthenings() noexcept;

  /// Carries out the jumps of a clock up to the first one that has to wait: a jump waits until the input, now, has
  /// reached LC'(R) + delay (heads still to be read cannot bind then), and for heads that were read and are not
  /// processed, whose tails begin at `stuck`. now: none when no event is still to come.
  void amortize(ClockIndex clock, ProcessQueue& queue, std::optional<Time> now, Ticks delay, EventIndex stuck);

  /// Events of the clock with a time before this are not reached by the jumps that still wait; latest()
  /// when none waits. interval: the longest that they are allowed.
  [[nodiscard]] Time reach(ClockIndex clock, const ProcessQueue& queue, Ticks interval) const noexcept;

 private:
  struct Jump {
    EventIndex index;
    double local;  // D_local: x_R relative to C(R)
    double height;
    double length;   // L_A of this jump
    Time kept_from;  // its interval does not begin before
  };
  struct OfClock {
    std::vector<Jump> waiting;  // jumps from `done` on
    std::size_t done = 0;
    Time kept_from = Time::earliest();
    EventIndex hint = 0;  // where the last interval began
  };
  /// Where no later jump of a clock stood of which nothing waited, from that lengthening on.
  struct Reached {
    std::uint32_t lengthening;
    Time time;
  };
  void set_difference(double jump) noexcept;
  void amortize(OfClock& state, ProcessQueue& queue, const Jump& jump);

  double cldiff_;
  double error_;
  bool on_;
  Analysis& analysis_;
  double length_ = 0;
  Ticks interval_ = 0;
  std::vector<Ticks> intervals_;   // before each of the lengthenings
  std::vector<Reached> furthest_;  // of each and all behind it, as far as they differ
  std::vector<OfClock> of_;
};

}  // namespace clc
