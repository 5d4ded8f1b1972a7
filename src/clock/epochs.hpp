// Regulators that see whole epochs: gamma does not depend on the order in which events are processed.
//
// Purpose  What is processed in several places, or in any order that messages allow, shall give the same times. So an
//          event does not see "all events before it", but all events of epochs that are over for everybody.
// Terms    The time since the first event of the trace is divided into epochs of W ticks, 1/16 of L_A. The epoch n of
//          an event is that of the lower bound of its LC' that is known when it is read: the larger one of LC' of the
//          event before in its clock and of its own C^. Its *cut* is n - 2: gamma, and the growth of cldiff, come from
//          all events with LC' in epochs up to the cut. The cut is a consistent one: LC' keeps the clock condition.
// Formula  gamma = max(min(gamma_A, gamma_B, gamma_C), gamma_D), see regulators.hpp. B: min_i D_i and |D| of the last
//          events in the cut. C: m is the largest E in the cut while clocks count as quartz clocks, then max(0, v -
//          slope L), where v = max(E + slope (LC - origin)), L = max(LC - origin). C compares D of the event before
//          with the larger one of m and of m of the clock's own events, which need no cut: the clock's own jump counts
//          at once. An event that finds proof that they are none belongs to the epoch of its LC'.
// Place    A part of the controller, as `PerEvent`. Whoever runs the clocks tells each head (`read`), does not process
//          one that is not `ready`, sums up all clocks when all of them wait (`sum_up`, `powers`), and then lets the
//          cut advance (`advance`). Before an event with D = 0 that has no jump nothing depends on the cut.
// Progress The unprocessed event with the smallest LC' waits for no other event. If its epoch is n, all events of
//          epochs before n are processed. So a cut can always advance to the smallest one that any clock needs, and
//          nobody's is passed over.
// Cost     A comparison or two per event; a division per clock and epoch. Memory: some 300 bytes a clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"
#include "clock/forward_step.hpp"
#include "clock/offset.hpp"
#include "clock/recorder.hpp"
#include "clock/regulators.hpp"
#include "trace/fetch.hpp"
#include "trace/short_queue.hpp"

namespace clc {

using Epoch = std::int64_t;

/// Times and epochs of a trace.
class Epochs {
 public:
  static constexpr Epoch behind = 2;          ///< epochs between an event and its cut
  static constexpr Epoch most_ahead = 16;     ///< so many more for events before which nothing depends on the cut
  static constexpr double per_interval = 16;  ///< epochs in L_A

  Epochs() = default;
  /// length: L_A in ticks.
  Epochs(Time origin, double length)
      : origin_(origin), width_(std::max<Ticks>(1, whole(std::min(length, offset_max) / per_interval))) {}

  [[nodiscard]] Time origin() const noexcept { return origin_; }
  [[nodiscard]] Epoch of(Time time) const noexcept { return (time - origin_) / width_; }
  /// The first time that is behind it.
  [[nodiscard]] Time end(Epoch epoch) const noexcept {
    Ticks since = 0;
    const bool is_last = epoch == ticks_max || __builtin_mul_overflow(epoch + 1, width_, &since);
    return is_last ? Time::latest() : origin_ + since;
  }

 private:
  Time origin_;
  Ticks width_ = 1;
};

/// What is known of the events up to a cut, of some clocks. `join` is exact, associative and commutative.
struct EpochSummary {
  double smallest = HUGE_VAL;   ///< D of clocks that have communicated; infinite: none has
  double largest = 0;           ///< the same
  std::uint64_t powers = 0;     ///< sum of their (D / largest of all clocks)^16, in units of 2^-40
  double simple_offset = 0;     ///< largest E
  double decaying = -HUGE_VAL;  ///< v
  double simple_time = 0;       ///< largest LC - origin
  double jump = 0;              ///< the largest one
  std::uint64_t jumped = 0;     ///< clocks that had any
  Time proof = Time::latest();  ///< C of the first event that proved that clocks are no quartz clocks; latest: none
  bool all_ahead = false;       ///< by that; else by a chain

  void join(const EpochSummary& other) noexcept;
};

/// What a clock takes from a cut.
struct EpochResult {
  double gamma = 1;  ///< while regulator C is idle
  double gamma_max = 1;
  double gamma_min = 0;
  double gamma_b = 1;
  double m = 0;            ///< that of regulator C
  double calm = HUGE_VAL;  ///< regulator C is idle up to this D
  double jump = 0;         ///< the largest one
  bool is_regulated = false;
  bool proves = false;  ///< who asks for gamma has found proof that clocks are no quartz clocks
  bool all_ahead = false;
};

class PerEpoch {
 public:
  /// Keeps a reference to analysis.
  PerEpoch(const Parameters& parameters, Recorder& analysis);

  /// Before the first event is read.
  void begin(const Epochs& epochs) noexcept { epochs_ = epochs; }
  /// Something depends on epochs. False: nothing needs to be called but what the controller calls.
  [[nodiscard]] bool is_on() const noexcept { return is_on_; }

  // ---- as the controller needs it ----
  void grow(std::size_t clocks);
  [[gnu::always_inline]] void fetch(ClockIndex clock) const noexcept { clc::fetch(&of_[clock]); }
  [[nodiscard, gnu::always_inline]] double gamma(ClockIndex clock, const BeforeStep& before) {
    OfClock& state = of_[clock];
    state.asks = true;
    double gamma = state.result.gamma;
    if (state.result.is_regulated || before.offset > state.result.calm) [[unlikely]]
      gamma = regulated(state, before.offset);
    sum_.add(gamma);
    return gamma;
  }
  void another_hop() noexcept {}
  [[gnu::always_inline]] void observe(ClockIndex clock, const AfterStep& after) {
    if (is_on_) [[likely]]
      note(of_[clock], after);
  }

  // ---- heads ----
  /// The next event of a clock is read, the one before is processed. recorded: its C^.
  void read(ClockIndex clock, Time recorded) {
    const OfClock& state = of_[clock];
    const Time bound = std::max(state.corrected, recorded);
    if (bound >= state.cut_end) [[unlikely]]
      enter(clock, bound);
  }
  /// It need not wait for its cut. asks: something depends on the cut.
  [[nodiscard]] bool ready(ClockIndex clock, bool asks) const noexcept {
    const OfClock& state = of_[clock];
    return state.is_taken || (!asks && state.cut <= reached_ + Epochs::most_ahead);
  }
  /// The cut that it still needs: above `reached`. Pre: it has not taken its result.
  [[nodiscard]] Epoch needs(ClockIndex clock) const noexcept { return of_[clock].cut; }
  [[nodiscard]] bool is_taken(ClockIndex clock) const noexcept { return of_[clock].is_taken; }
  /// The head was given up: it does not wait for its cut, but takes the one that was reached.
  void give_up(ClockIndex clock) {
    if (!of_[clock].is_taken) take(of_[clock]);
  }
  /// The largest jump in the cut of the event that was processed last, if that asked for gamma or had a jump; else 0.
  [[nodiscard]] double jump_in_cut(ClockIndex clock) const noexcept { return of_[clock].jump_in_cut; }

  // ---- cuts, while no event can be processed ----
  [[nodiscard]] Epoch reached() const noexcept { return reached_; }
  /// Of the clocks that were read here, and of the events processed so far.
  [[nodiscard]] EpochSummary sum_up(Epoch cut) const;
  /// The same, only `powers`, if the norm needs them; all: joined.
  [[nodiscard]] std::uint64_t powers(Epoch cut, const EpochSummary& all) const;
  [[nodiscard]] bool needs_powers() const noexcept { return parameters_.norm == Norm::sixteenth; }
  /// cut: the smallest one that a clock needs, of all clocks; all: what was summed up, of all clocks.
  void advance(Epoch cut, const EpochSummary& all);

  /// Bytes. O(clocks).
  [[nodiscard]] std::uint64_t memory() const noexcept;

  // ---- figures, of the clocks that were read here ----
  /// Of gamma, exact in any order.
  struct Sum {
    static constexpr double units = 0x1p30;
    std::uint64_t events = 0;
    std::uint64_t below = 0;  ///< sum of 1 - gamma, in units of 2^-30, rounded down
    double lowest = 1;
    [[gnu::always_inline]] void add(double gamma) noexcept {
      ++events;
      below += static_cast<std::uint64_t>(static_cast<std::int64_t>((1 - gamma) * units));
      if (gamma < lowest) lowest = gamma;
    }
    void join(const Sum& other) noexcept {
      events += other.events;
      below += other.below;
      lowest = std::min(lowest, other.lowest);
    }
    /// 1 without events.
    [[nodiscard]] double mean() const noexcept {
      return events == 0 ? 1 : 1 - static_cast<double>(below) / units / static_cast<double>(events);
    }
  };
  [[nodiscard]] const Sum& gammas() const noexcept { return sum_; }
  /// Of all events. After the last one.
  [[nodiscard]] EpochSummary total() const;

 private:
  /// The events of a clock in an epoch of LC'.
  struct Entry {
    Epoch epoch = 0;
    double offset = 0;  // D of the last one
    Time maximum;       // C^ of the last one
    double simple = 0;  // LC - C^ of the last one
    double largest_simple = 0;
    double decaying = -HUGE_VAL;
    double jump = 0;
    Time proof = Time::latest();
    bool all_ahead = false;
    bool communicates = false;
  };
  /// A clock at a cut.
  struct InCut {
    bool has_event = false;
    bool has_communicated = false;
    bool has_jumped = false;
    double offset = 0;  // D of its last event
    void add(const Entry& entry) noexcept {
      has_event = true;
      has_communicated |= entry.communicates;
      has_jumped |= entry.jump > 0;
      offset = entry.offset;
    }
  };
  struct OfClock {
    Time cut_end = Time::earliest();    // a head whose bound is before that has the same cut
    Time entry_end = Time::earliest();  // an event whose LC' is before that belongs to the newest entry
    Time corrected = Time::earliest();  // LC' of the last event, rounded down
    Epoch cut = 0;
    EpochResult result;
    double decaying = -HUGE_VAL;  // v of all events of the clock
    double jump_in_cut = 0;
    bool is_taken = false;
    bool asks = false;
    bool is_read = false;       // once
    bool is_processed = false;  // once
    InCut in_cut;               // that was reached
    Entry newest;
    ShortQueue<Entry> older;  // behind the cut
  };
  /// The same for all clocks.
  struct Result {
    Parameters::Bounds bounds;
    double gamma_b = 1;
    double m = 0;
    double longest_chain = HUGE_VAL;
    double jump = 0;
    bool is_quartz = false;
    bool all_ahead = false;
  };

  [[gnu::always_inline]] void note(OfClock& state, const AfterStep& after) {
    const Time corrected = after.maximum + whole(after.step.offset);
    if (corrected >= state.entry_end) [[unlikely]]
      begin_entry(state, corrected);
    state.corrected = corrected;
    Entry& entry = state.newest;
    entry.offset = after.offset;
    entry.maximum = after.maximum;
    entry.simple = after.step.simple_offset;
    entry.communicates |= after.communicates;
    if (after.simple_offset > 0) note_simple(state, after);
    if (after.step.jump > entry.jump) entry.jump = after.step.jump;
    if (state.asks && state.result.proves) [[unlikely]]
      prove(entry, after.recorded, state.result.all_ahead);
    state.jump_in_cut = state.asks || after.step.jump > 0 ? state.result.jump : 0;
    state.asks = false;
  }
  void note_simple(OfClock& state, const AfterStep& after) const noexcept {
    Entry& entry = state.newest;
    entry.largest_simple = std::max(entry.largest_simple, after.simple_offset);
    const double time = simple_time(after.maximum, after.step.simple_offset);
    entry.decaying = std::max(entry.decaying, after.simple_offset + slope_ * time);
    state.decaying = std::max(state.decaying, entry.decaying);
  }
  /// LC - origin.
  [[nodiscard]] double simple_time(Time maximum, double simple) const noexcept {
    return static_cast<double>(maximum - epochs_.origin()) + simple;
  }
  void enter(ClockIndex clock, Time bound);
  void begin_entry(OfClock& state, Time corrected);
  [[nodiscard, gnu::noinline]] double regulated(const OfClock& state, double offset);
  static void prove(Entry& entry, Time recorded, bool all_ahead) noexcept;
  void take(OfClock& state) const noexcept;
  template <class Visit>
  static InCut visit(const OfClock& state, Epoch cut, Visit visit);
  void add(EpochSummary& events, const Entry& entry) const noexcept;
  [[nodiscard]] Result result_of(const EpochSummary& all) const;

  Parameters parameters_;
  bool is_on_;
  double slope_;
  Recorder& analysis_;
  Epochs epochs_;
  Epoch reached_ = -1;
  Result result_;        // of the cut that was reached
  EpochSummary passed_;  // of entries up to it that are no longer kept: what never decreases
  Sum sum_;
  std::vector<OfClock> of_;
  std::vector<ClockIndex> read_;  // those that were read here
};

}  // namespace clc
