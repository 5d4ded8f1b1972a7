// Merges the records of all processes by time.
//
// Assumes  The records of each process come with non-decreasing times. Where they decrease, the records keep their
//          order in the process and count with its largest time so far.
// Cost     O(log(processes)) per record (Boost.Heap). Memory: a queue per process, which grows to twice the largest
//          number of records that ever waited.
#pragma once

#include <boost/heap/d_ary_heap.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "clc/indexes.hpp"
#include "point.hpp"
#include "trace/short_queue.hpp"

namespace clc::tracegen {

class Merger {
 public:
  explicit Merger(std::uint32_t processes) : queues_(processes) {}

  void push(ProcessIndex process, const Point& point) {
    queues_[process].push_back(point);
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
    while (!oldest_.empty() && oldest_.top().first <= horizon) {
      const ProcessIndex process = oldest_.top().second;
      oldest_.pop();
      take(process, queues_[process].front());
      queues_[process].pop_front();
      --waiting_;
      offer(process);
    }
  }

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  /// Most records that ever waited.
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }

 private:
  /// The oldest record of a process.
  using Oldest = std::pair<Ticks, ProcessIndex>;

  void offer(ProcessIndex process) {
    if (!queues_[process].empty()) oldest_.push({queues_[process].front().time, process});
  }

  std::vector<ShortQueue<Point>> queues_;
  /// The earliest on top.
  boost::heap::d_ary_heap<Oldest, boost::heap::arity<4>, boost::heap::compare<std::greater<>>> oldest_;
  std::size_t waiting_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace clc::tracegen
