// What is final: spreads jumps over the events before them, and lets events leave.
//
// Place     Between the loop of the filter, which processes events, and the sink. Runs every few thousand events.
// Final     An event of a clock is final before the horizon of the clock, less the interval of the amortization: no
//           jump that is still to come reaches it. The horizon is C of the oldest event that waits to be processed, or
//           the time that the input has reached. Jumps that are not spread yet hold back what they will move.
// Cost      O(clocks) per release, and what amortizer and merge cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clc/event_sink.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"
#include "clock/amortizer.hpp"
#include "clock/controllers.hpp"
#include "clock/merge.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"
#include "trace/large_pages.hpp"

namespace clc {

/// How far the input was read.
struct InputPosition {
  Time now = Time::earliest();  ///< recorded time of the newest record
  std::uint64_t order = 0;      ///< position of the next record
};

/// The clocks as the loop of the filter leaves them.
struct Clocks {
  QueuePool& pool;
  LargeVector<ProcessQueue>& queues;
  const Controllers& controllers;
  const InputPosition& input;
  SetBack& set_back;
};

class Release {
 public:
  /// cldiff in ticks. Keeps references to distances, sink, observer and analysis.
  Release(const Clocks& clocks, const Parameters& parameters, double cldiff, const Distances& distances,
          EventSink& sink, WriteObserver& observer, Recorder& analysis)
      : clocks_(clocks),
        analysis_(analysis),
        amortizer_(cldiff, parameters.max_error_percent / 100, parameters.amortization, analysis),
        merge_(sink, clocks.pool, distances, clocks.set_back, observer, analysis) {}

  void grow(std::size_t clocks);

  /// Call it before the horizon of a clock changes.
  [[gnu::always_inline]] void before_change(ClockIndex clock) {
    if (amortizer_.was_lengthened()) [[unlikely]]
      keep_horizon(clock);
  }
  /// An event was processed with a jump.
  void jumped(ClockIndex clock, EventIndex index, const ForwardStep& step) {
    amortizer_.jumped(clock, index, step.local, step.jump);
    if (amortizer_.lengthens(step.jump)) amortizer_.lengthen(step.jump, clocks_.input.now);
  }
  /// The same by epochs: the interval of the clock may have grown before that, see `lengthen`.
  void jumped_by_epochs(ClockIndex clock, EventIndex index, const ForwardStep& step) {
    amortizer_.jumped(clock, index, step.local, step.jump);
    analysis_.clock_difference = std::max(analysis_.clock_difference, step.jump);
  }
  /// By epochs: jumps of the clock from now on, none of which precedes `earliest`, know of that clock difference.
  void lengthen(ClockIndex clock, double cldiff, Time earliest) { amortizer_.lengthen(clock, cldiff, earliest); }
  /// L_A in ticks before any clock difference has grown.
  [[nodiscard]] double first_length() const noexcept { return amortizer_.first_length(); }
  /// Longest interval of an amortization.
  [[nodiscard]] Ticks interval() const noexcept { return amortizer_.interval(); }

  /// Call it once before `spread`.
  void keep_horizons();
  /// Spreads the jumps of a clock, as far as no later head can bind; see Amortizer::amortize.
  void spread(ClockIndex clock, bool all, Ticks delay, EventIndex stuck);
  /// Lets out what jumps with that interval, or that of their clock if it is shorter, cannot reach; all: everything,
  /// because no event is still to come.
  void let_out(Ticks interval, bool all);
  /// The same with a shorter interval than jumps that are still to come would have: they move less.
  void let_out_early(Ticks interval);
  /// Lets out everything up to the newest record. No event is still to come before that, and jumps that are still to
  /// come do not reach what is recorded at its time.
  void let_out_up_to_now();
  /// Events are held back that would leave if nothing waited.
  [[nodiscard]] bool waits_hold_back() const;

  /// A line before the next record. True if it has not left yet.
  bool note(Body line) {
    merge_.note(clocks_.input.order, line);
    return merge_.memory() != 0;
  }
  /// Lets all lines out, even before events that precede them; their number.
  std::uint64_t let_notes_go() { return merge_.let_notes_go(); }
  void finish() { merge_.finish(); }
  /// Bytes of lines that wait.
  [[nodiscard]] std::uint64_t memory() const noexcept { return merge_.memory(); }

 private:
  void keep_horizon(ClockIndex clock);
  [[nodiscard]] std::optional<Time> earliest_waiting(ClockIndex clock) const;
  [[nodiscard]] Time horizon(ClockIndex clock, Ticks interval) const;
  void let_out_before(Time now, std::uint64_t order);
  [[nodiscard]] Time earliest_to_come() const;

  Clocks clocks_;
  Recorder& analysis_;
  Amortizer amortizer_;
  Merge merge_;
  std::vector<Time> final_before_;           // by clock
  std::vector<std::uint32_t> lengthenings_;  // of the interval, that the clock knows of
};

}  // namespace clc
