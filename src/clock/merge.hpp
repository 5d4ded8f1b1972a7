// The merge: emits the final events from the queues of all clocks as one sorted stream [R 6.2]. If the sink needs only
// the order of each process, it emits one clock after the other.
//
// Place    Last stage before the sink.
// Formula  Corrected time = C + floor(LC^A - C), at most the limit of a tail, and later than the previous event of the
//          clock (ties stay ties). Rounding moves these bounds only by fractions of a tick.
// Cost     O(1) expected per event: events below the watermark are gathered clock by clock; gathered.hpp sorts
//          them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "clc/event_sink.hpp"
#include "clock/distances.hpp"
#include "clock/gathered.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"
#include "clock/set_back.hpp"

namespace clc {

/// Is told when watched events are emitted. Knows which of them are tails that it judges by the times that are written;
/// the merge judges the others by their limits.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  virtual void written(ClockIndex clock, EventIndex index, const Node& node, Time time) = 0;
  [[nodiscard]] virtual bool judges(ClockIndex clock, EventIndex index, const Node& node) const = 0;
};

class Merge {
 public:
  Merge(EventSink& sink, QueuePool& pool, const Distances& distances, SetBack& set_back, WriteObserver& observer,
        Recorder& analysis);
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
  ~Merge();

  void grow(std::size_t clocks) { written_.resize(clocks); }

  /// A line before the event with this position. It is pending until all earlier events are emitted.
  void note(std::uint64_t order, Body line);
  /// Emits all pending notes, even before buffered events that precede them. Returns their number.
  std::uint64_t let_notes_go();
  /// Bytes of pending notes.
  [[nodiscard]] std::uint64_t memory() const noexcept { return note_memory_; }

  /// Emits events in the order that the sink needs, as many as possible. queues: of all clocks. final_before[c]: events
  /// of c before this time are final. now, order: no event still to be read is smaller than this key.
  void release(std::span<ProcessQueue> queues, std::span<const Time> final_before, Time now, std::uint64_t order);
  /// Notes after the last event.
  void finish();

 private:
  /// Sort key of an event in the output.
  struct Key {
    Time time;
    std::uint64_t order;
    friend bool operator<(const Key& a, const Key& b) noexcept {
      return a.time != b.time ? a.time < b.time : a.order < b.order;
    }
  };
  /// The last emitted event of a clock; `recorded` is its C^. Initially `recorded` is the latest and `corrected` the
  /// earliest time.
  struct Written {
    Time recorded = Time::latest();
    Time corrected = Time::earliest();
  };
  static constexpr std::uint64_t batch_events = 16384;  // approximate number per batch, or 2 of each clock

  /// Events at or beyond this key must wait: a smaller one could still come.
  [[nodiscard]] static Key watermark(std::span<const ProcessQueue> queues, std::span<const Time> final_before,
                                     Key bound) noexcept;
  /// How many events at most are recorded before or at that time and have not been emitted.
  [[nodiscard]] std::uint64_t most_until(Time time);
  /// The bound, lowered if more than about `most` events could be below it.
  [[nodiscard]] Key batch_bound(std::span<const ProcessQueue> queues, Key bound, std::uint64_t most);
  /// Takes all events before the bound out of their queues.
  void gather(std::span<ProcessQueue> queues, Key bound, Gathered& gathered);
  /// The same for one clock. to_sort: also notes their places; otherwise stops at a full run. False: there are no more.
  template <bool to_sort>
  bool take(ClockIndex clock, ProcessQueue& queue, Key bound, Gathered& gathered);
  template <bool to_sort, bool set_back>
  bool take_of(ClockIndex clock, ProcessQueue& queue, Key bound, Gathered& gathered);
  /// An event that is watched, or whose body begins with its process: returns whether that does.
  bool take_unusual(ClockIndex clock, EventIndex index, const Node& node, Corrected& event);
  /// A tail is written above its limit.
  void left_above(ClockIndex clock, EventIndex index, const Node& node);
  /// Corrected time of an event, before it is told apart from the one before it.
  [[nodiscard]] static Time time_of(const Node& node) noexcept;
  /// The oldest group, which the sink no longer holds.
  [[nodiscard]] Gathered& next_gathered();
  /// Waits until the sink holds no groups.
  void drain() noexcept {
    if (groups_ != nullptr) groups_->drain();
  }
  /// Passes the gathered events to the sink.
  void let_go(Gathered& gathered);
  /// Passes all events before the bound to the sink, clock by clock.
  void pass_on(std::span<ProcessQueue> queues, Key bound);

  EventSink& sink_;
  GroupSink* groups_;  // the sink, if it takes groups
  bool sorted_;
  QueuePool& pool_;
  const Distances& distances_;
  SetBack& set_back_;
  WriteObserver& observer_;
  Recorder& analysis_;
  std::vector<Written> written_;
  std::deque<Gathered::Note> notes_;
  std::uint64_t note_memory_ = 0;
  std::vector<Gathered> gathered_;  // used in turn: one more than the sink may hold
  std::size_t at_ = 0;              // the oldest one
  bool finished_ = false;
  std::deque<Key> reached_;  // how far the input was at the releases since the time of the bound
  std::vector<Key> sampled_;
};

}  // namespace clc
