// Merges the records of all processes by time.
//
// Assumes  The records of each process come with non-decreasing times. Where they decrease, the records keep their
//          order in the process and count with its largest time so far.
// Cost     O(log(processes)) per record (Boost.Heap). Memory: a ring per process, which grows to the largest number
//          of records that ever waited.
#pragma once

#include <boost/heap/d_ary_heap.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/indexes.hpp"
#include "point.hpp"

namespace clc::tracegen {

class Merger {
 public:
  explicit Merger(std::uint32_t processes) : queues_(processes) {}

  void push(ProcessIndex process, const Point& point) {
    Queue& queue = queues_[process];
    if (queue.size == queue.ring.size()) [[unlikely]]
      queue.grow();
    queue.ring[(queue.first + queue.size++) & (queue.ring.size() - 1)] = point;
    ++waiting_;
    if (waiting_ > peak_) peak_ = waiting_;
  }

  /// Hands out all records with time <= horizon, sorted; ties by process, then in order. No later record may count with
  /// an earlier time.
  template <class Take>
  void drain(Ticks horizon, Take take) {
    if (waiting_ == 0) return;
    oldest_.clear();
    for (ProcessIndex process = 0; process < queues_.size(); ++process) offer(process);
    while (!oldest_.empty() && oldest_.top().time <= horizon) {
      const ProcessIndex process = oldest_.top().process;
      oldest_.pop();
      Queue& queue = queues_[process];
      take(process, queue.ring[queue.first]);
      queue.first = (queue.first + 1) & (queue.ring.size() - 1);
      --queue.size;
      --waiting_;
      offer(process);
    }
  }

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  /// Most records that ever waited.
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }

 private:
  struct Queue {
    std::vector<Point> ring;  // size is a power of two, or 0
    std::size_t first = 0;
    std::size_t size = 0;

    void grow() {
      std::vector<Point> larger(ring.empty() ? 16 : ring.size() * 2);
      for (std::size_t i = 0; i < size; ++i) larger[i] = ring[(first + i) & (ring.size() - 1)];
      ring.swap(larger);
      first = 0;
    }
  };
  /// The oldest record of a process.
  struct Oldest {
    Ticks time;
    ProcessIndex process;
    /// Boost.Heap keeps the largest on top: turn around.
    friend bool operator<(const Oldest& a, const Oldest& b) noexcept {
      return a.time != b.time ? a.time > b.time : a.process > b.process;
    }
  };

  void offer(ProcessIndex process) {
    const Queue& queue = queues_[process];
    if (queue.size > 0) oldest_.push({queue.ring[queue.first].time, process});
  }

  std::vector<Queue> queues_;
  boost::heap::d_ary_heap<Oldest, boost::heap::arity<4>> oldest_;
  std::size_t waiting_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace clc::tracegen
