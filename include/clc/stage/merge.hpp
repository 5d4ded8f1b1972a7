// The merge: lets final events out of the queues of all clocks in one sorted stream [R 6.2]. Where the sink can
// do with the order of each process, one clock after the other.
//
// Place    Last stage before the sink.
// Formula  Written time = C + floor(LC^A - C), never above the limit of a tail, never at or below the event
//          before it in the clock (ties stay ties). Rounding can move these bounds only by fractions of a tick.
// Cost     O(1) expected per event: what lies below the watermark is gathered clock by clock, and put in order by
//          stage/gathered.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/event_sink.hpp"
#include "clc/stage/gathered.hpp"
#include "clc/stage/process_queue.hpp"

namespace clc {

/// Learns when watched events are written.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  virtual void written(ClockIndex clock, EventIndex index, const Node& node, Time time) = 0;
};

class Merge {
 public:
  /// distance: what distinct recorded times of a clock keep at least, in ticks: 1, or 0 when delta is 0.
  Merge(EventSink& sink, QueuePool& pool, Ticks distance, WriteObserver& observer, Analysis& analysis);
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
  ~Merge();

  void grow(std::size_t clocks) { written_.resize(clocks); }

  /// A line that stands before the event with this position. It waits for what stands ahead of it, and passes when
  /// nothing does.
  void note(std::uint64_t order, Body line);
  /// All notes leave, ahead of what should stand ahead of them when that is still at home. Returns how many.
  std::uint64_t let_notes_go();
  /// Bytes of notes that wait.
  [[nodiscard]] std::uint64_t memory() const noexcept { return note_memory_; }

  /// Lets out events in the order that the sink needs, as far as possible. queues: of all clocks. final_before[c]:
  /// events of c with a time before that are final. now, order: no event still to be read is smaller than that.
  void release(std::span<ProcessQueue> queues, std::span<const Time> final_before, Time now, std::uint64_t order);
  /// Notes after the last event.
  void finish();

 private:
  /// Place of an event in the output.
  struct Key {
    Time time;
    std::uint64_t order;
    friend bool operator<(const Key& a, const Key& b) noexcept {
      return a.time != b.time ? a.time < b.time : a.order < b.order;
    }
  };
  /// The last event of a clock that left; none: nothing is later than `recorded`, and all is than `corrected`.
  struct Written {
    Time recorded = Time::latest();
    Time corrected = Time::earliest();
  };
  static constexpr std::uint64_t batch_events = 16384;  // about that many at once, or 2 of each clock

  /// Nothing at or beyond that key may leave: a smaller event could still come.
  [[nodiscard]] static Key watermark(std::span<const ProcessQueue> queues, std::span<const Time> final_before,
                                     Key bound) noexcept;
  /// A smaller key than bound if more than about `most` events could lie below that.
  [[nodiscard]] Key batch_bound(std::span<const ProcessQueue> queues, Key bound, std::uint64_t most);
  /// Takes all events before the bound out of their queues.
  void gather(std::span<ProcessQueue> queues, Key bound, Gathered& gathered);
  /// Those of one clock. to_sort: notes their places, too; else stops when there is a run. False: there are no more.
  template <bool to_sort>
  bool take(ClockIndex clock, ProcessQueue& queue, Key bound, Gathered& gathered);
  /// Written time of the oldest event of a queue.
  [[nodiscard]] Time time_of(const Node& node, const Written& before) const noexcept;
  /// The oldest one, which the sink no longer holds.
  [[nodiscard]] Gathered& next_gathered();
  /// Hands what was gathered to the sink.
  void let_go(Gathered& gathered);
  /// Hands all events before the bound to the sink, clock by clock.
  void pass_on(std::span<ProcessQueue> queues, Key bound);

  EventSink& sink_;
  bool sorted_;
  QueuePool& pool_;
  Ticks distance_;
  WriteObserver& observer_;
  Analysis& analysis_;
  std::vector<Written> written_;
  std::deque<Gathered::Note> notes_;
  std::uint64_t note_memory_ = 0;
  std::vector<Gathered> gathered_;  // used in turn: one, and as many as the sink may hold
  std::size_t at_ = 0;              // the oldest of them
  bool finished_ = false;
  std::vector<Key> sampled_;
};

}  // namespace clc
