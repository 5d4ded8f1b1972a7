// Heads that are held until their cut was looked at (Parameters::Order::epochs, epochs.hpp).
//
// Place    A part of the heads, which asks before it processes one, and lets it look further when nothing else goes on.
// Rule     The next cut is K, the smallest that a head asks for. It may be looked at when every event that is not
//          processed has LC' in an epoch from K + 2 on: then all events up to K are processed, and whatever is
//          processed later asks for K or a later cut. Records that were not read have C >= C_now. A head that waits for
//          a record that was not read may be given up by the wait limit, so it counts with the later one of its C and
//          LC' of the event before. A head that waits for a record that was read cannot be earlier than that. All
//          others asked for K or a later cut.
// Cost     A comparison per event while C_now or a head that waits, the witness, forbids it; O(clocks) per cut. The
//          search for the next witness goes on where the last one was found.
#pragma once

#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clock/epochs.hpp"
#include "clock/process_queue.hpp"

namespace clc {

class Heads;

class Held {
 public:
  /// Keeps a reference.
  explicit Held(Heads& heads) noexcept : heads_(heads) {}

  /// Before the first event is processed, which has that time.
  void begin(Time origin);
  void end_input() noexcept { ended_ = true; }

  /// The head of a clock must not be processed before its cut was looked at.
  [[nodiscard]] bool holds(ClockIndex clock, const Node& head);
  /// It waits for nothing else: wakes the clock then.
  void hold(ClockIndex clock) { held_.push_back(clock); }
  /// Looks at the next cut, if that is possible, and wakes the clocks that are held.
  bool look_further();
  /// After the last event: what the trace has proved.
  void finish();

 private:
  static constexpr Epoch none = ticks_max;

  void ask(Epoch cut);
  [[nodiscard]] bool holds_back(ClockIndex clock) const;
  [[nodiscard]] bool is_held_back();

  Heads& heads_;
  Epochs epochs_;
  Epoch next_ = none;           // the cut to be looked at next
  Time from_ = Time::latest();  // all events that are not processed must have LC' from then on
  ClockIndex witness_ = 0;      // held back by it, when that was last asked
  bool ended_ = false;          // no record is still to come
  std::vector<ClockIndex> held_;
};

}  // namespace clc
