// The merge: lets final events out of the queues of all processes in one sorted stream [R 6.2].
//
// Place    Last stage before the sink.
// Formula  Written time = C + floor(LC^A - C), never above the limit of a tail, never at or below the event
//          before it in the process (ties stay ties). Rounding can move these bounds only by fractions of a tick.
// Order    Time, then position in the input.
// Cost     O(log(processes)) per event: a 4-ary heap (Boost.Heap) of the processes' oldest events, left alone while
//          one process has the smallest several times in a row. Why not the standard heap: it is binary, and
//          replacing the top costs two passes.
#pragma once

#include <array>
#include <boost/heap/d_ary_heap.hpp>
#include <deque>
#include <string>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/filter.hpp"
#include "clc/stage/process_queue.hpp"

namespace clc {

class Merge {
 public:
  /// distance: what distinct recorded times of a process keep at least, in ticks: 1, or 0 when delta is 0.
  Merge(EventSink& sink, QueuePool& pool, Ticks distance, Analysis& analysis)
      : sink_(sink), pool_(pool), distance_(distance), analysis_(analysis) {}

  void grow(std::size_t processes) { written_.resize(processes); }

  /// A line that stands before the event with this position.
  void note(std::uint64_t order, Body line);

  /// Lets out events in order, as far as possible. queues: all processes. final_before[p]: events of p with a
  /// time before that are final. now, order: no event still to be read is smaller than that.
  void release(std::vector<ProcessQueue>& queues, const std::vector<Time>& final_before, Time now, std::uint64_t order);
  /// Notes after the last event.
  void finish();

 private:
  /// Time and position in one number, so that comparing takes no branch.
  struct Key {
    __extension__ using Both = unsigned __int128;
    Both both;
    ProcessIndex process;
    Key(Time time, std::uint64_t order, ProcessIndex p) noexcept
        : both(Both{static_cast<std::uint64_t>(time.ticks()) ^ std::uint64_t{1} << 63} << 64 | order), process(p) {}
    [[nodiscard]] Time time() const noexcept {
      return Time(static_cast<std::int64_t>(static_cast<std::uint64_t>(both >> 64) ^ std::uint64_t{1} << 63));
    }
    /// Boost.Heap keeps the largest on top: turn around.
    friend bool operator<(const Key& a, const Key& b) noexcept { return a.both > b.both; }
  };
  struct Written {
    Time recorded;
    Time corrected;
    bool any = false;
  };
  struct Note {
    std::uint64_t order;
    std::string line;
  };
  static constexpr std::size_t run_events = 1024;
  static constexpr std::uint64_t no_note = ~std::uint64_t{0};

  /// Written time of the oldest event of a queue.
  [[nodiscard]] Time time_of(const Node& node, const Written& before) noexcept;
  /// Lets the oldest event of a queue out.
  void write(ProcessIndex process, ProcessQueue& queue, Time time);
  void write_notes(std::uint64_t order);
  void write_run();

  EventSink& sink_;
  QueuePool& pool_;
  Ticks distance_;
  Analysis& analysis_;
  std::vector<Written> written_;
  std::deque<Note> notes_;
  std::uint64_t next_note_ = no_note;  // order of the oldest note
  std::array<Corrected, run_events> run_;
  std::size_t run_size_ = 0;
  boost::heap::d_ary_heap<Key, boost::heap::arity<4>> heap_;
};

}  // namespace clc
