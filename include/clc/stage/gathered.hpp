// What the merge gathered process by process, to be put in order on its way to the sink.
//
// Place    Between merge and sink. The merge fills it in the thread of the clock; `write` may run in another one.
// Order    Time, then position in the input.
// Cost     O(1) expected per event: a counting sort on time. A heap over the processes (Boost.Heap, 4-ary) takes half
//          as long again: 38 ns an event against 25 in a halo exchange of 64 processes. It hops between queues and
//          cannot predict its compares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "clc/event_sink.hpp"
#include "clc/stage/process_queue.hpp"

namespace clc {

class Gathered final : public Leaving {
 public:
  static constexpr std::size_t run_events = 1024;

  struct Note {
    std::uint64_t order;  // it leaves before the event with this position
    std::string line;
  };

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  void clear() noexcept;
  void make_room(std::size_t events) {
    if (events_.size() - count_ < events) [[unlikely]]
      grow(events);
  }
  // Columns, with the room that was made.
  [[nodiscard]] Corrected* events() noexcept { return events_.data(); }
  [[nodiscard]] const Corrected* events() const noexcept { return events_.data(); }
  [[nodiscard]] std::uint64_t* orders() noexcept { return orders_.data(); }
  void resize(std::size_t count) noexcept { count_ = count; }
  /// The events from that index on are there: of one process.
  void added(std::size_t from) noexcept {
    first_ = std::min(first_, events_[from].time);
    last_ = std::max(last_, events_[count_ - 1].time);
    newest_ = std::max(newest_, orders_[count_ - 1]);
  }
  /// The newest position in the input.
  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }
  /// Notes that leave before the newest event, in input order.
  std::deque<Note> notes;
  /// Pages with the bodies, once all is gathered.
  QueuePool::Retired pages;

  void write(EventSink& sink) override;

 private:
  /// Where an event stands among those that leave with it.
  struct Place {
    Time time;
    std::uint32_t event;  // index
  };

  void grow(std::size_t events);
  void sort();
  [[nodiscard]] bool before(const Place& a, const Place& b) const noexcept {
    return a.time != b.time ? a.time < b.time : orders_[a.event] < orders_[b.event];
  }

  // Of equal sizes, of which count_ are in use.
  std::size_t count_ = 0;
  std::vector<Corrected> events_;
  std::vector<std::uint64_t> orders_;  // their positions in the input
  std::vector<Place> places_;          // sorted
  Time first_;                         // of their times
  Time last_;
  std::uint64_t newest_ = 0;
  std::vector<std::uint32_t> buckets_;
  std::vector<Corrected> run_;
};

}  // namespace clc
