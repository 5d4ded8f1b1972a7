// Events that the merge has gathered process by process; sorts them and passes them to the sink.
//
// Place    Between merge and sink. The merge fills it in the clock's thread; `write` may run in another one.
// Order    Time, then position in the input.
// Cost     O(1) expected per event: a counting sort by time. A heap over the processes (Boost.Heap, 4-ary) takes half
//          as long again, 38 instead of 25 ns per event in a halo exchange of 64 processes: it alternates between
//          queues, and its comparisons are unpredictable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "clock/process_queue.hpp"
#include "trace/group_sink.hpp"

namespace clc {

class Gathered final : public Leaving {
 public:
  static constexpr std::size_t run_events = 256;  // 10 KiB: they stay in the first-level cache

  struct Note {
    std::uint64_t order;  // emitted before the event with this position
    std::string line;
  };

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  void clear() noexcept;
  void make_room(std::size_t events) {
    if (events_.size() - count_ < events) [[unlikely]]
      grow(events);
  }
  // Columns of the reserved room.
  [[nodiscard]] Corrected* events() noexcept { return events_.data(); }
  [[nodiscard]] const Corrected* events() const noexcept { return events_.data(); }
  /// Node::order_and_role.
  [[nodiscard]] std::uint64_t* orders() noexcept { return orders_.data(); }
  void resize(std::size_t count) noexcept { count_ = count; }
  /// The events from that index on have been filled in; all are of one process.
  void added(std::size_t from) noexcept {
    first_ = std::min(first_, events_[from].time);
    last_ = std::max(last_, events_[count_ - 1].time);
    newest_ = std::max(newest_, order_of(count_ - 1));
  }
  /// The largest position in the input.
  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }
  /// Notes to be emitted before the newest event, in input order.
  std::deque<Note> notes;
  /// The pages that hold the bodies, once everything is gathered.
  QueuePool::Retired pages;

  void write(EventSink& sink) override;

 private:
  /// The place of an event in the order of emission.
  struct Place {
    Time time;
    std::uint32_t event;  // index
  };
  static constexpr std::uint32_t many = 32;  // events of one bucket

  [[nodiscard]] std::uint64_t order_of(std::size_t event) const noexcept { return orders_[event] >> 4; }
  void grow(std::size_t events);
  void sort();
  void sort_crowd(std::span<Place> crowd, int shift);
  void sort_neighbours();
  [[nodiscard]] bool before(const Place& a, const Place& b) const noexcept {
    return a.time != b.time ? a.time < b.time : orders_[a.event] < orders_[b.event];
  }

  // Arrays of equal size, of which count_ entries are in use.
  std::size_t count_ = 0;
  std::vector<Corrected> events_;
  std::vector<std::uint64_t> orders_;  // their positions in the input, with their roles
  std::vector<Place> places_;          // sorted
  Time first_;                         // smallest of their times
  Time last_;
  std::uint64_t newest_ = 0;
  std::vector<std::uint32_t> buckets_;
  std::vector<std::span<Place>> crowds_;  // of places_: in buckets with many events
  std::vector<Place> crowd_;              // one of them, while it is sorted
  std::vector<Corrected> run_;
};

}  // namespace clc
