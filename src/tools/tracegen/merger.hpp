// Merges the records of all processes by time.
//
// Assumes  Records of one process come with non-decreasing times.
// Cost     One comparison per level of a tournament tree, log2(processes) levels per record. Memory for
//          what waits: a ring per process, which grows to the most that ever waited.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/event.hpp"
#include "point.hpp"

namespace clc::tracegen {

class Merger {
 public:
  explicit Merger(std::uint32_t processes)
      : queues_(processes), leaves_(std::bit_ceil(std::size_t{processes})), tree_(2 * leaves_) {}

  void push(ProcessIndex process, const Point& point) {
    Queue& queue = queues_[process];
    if (queue.size == queue.ring.size()) [[unlikely]]
      queue.grow();
    queue.ring[(queue.first + queue.size++) & (queue.ring.size() - 1)] = point;
    ++waiting_;
    if (waiting_ > peak_) peak_ = waiting_;
  }

  /// Hands out all records with time <= horizon, sorted; ties by process, then in order.
  template <class Take>
  void drain(Ticks horizon, Take take) {
    if (waiting_ == 0) return;
    for (std::size_t i = 0; i < leaves_; ++i) tree_[leaves_ + i] = leaf(i);
    for (std::size_t i = leaves_ - 1; i > 0; --i) tree_[i] = earlier(tree_[2 * i], tree_[2 * i + 1]);
    while (waiting_ != 0 && tree_[1].time <= horizon) {
      const std::uint32_t process = tree_[1].process;
      Queue& queue = queues_[process];
      take(process, queue.ring[queue.first]);
      queue.first = (queue.first + 1) & (queue.ring.size() - 1);
      --queue.size;
      --waiting_;
      std::size_t node = leaves_ + process;
      Contender winner = leaf(process);
      tree_[node] = winner;
      for (; node > 1; node >>= 1) {
        winner = earlier(winner, tree_[node ^ 1]);
        tree_[node >> 1] = winner;
      }
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
  struct Contender {
    Ticks time = ticks_max;
    std::uint32_t process = no_process;
  };

  [[nodiscard]] Contender leaf(std::size_t process) const {
    if (process >= queues_.size()) return {};
    const Queue& queue = queues_[process];
    if (queue.size == 0) return {};
    return {queue.ring[queue.first].time, static_cast<std::uint32_t>(process)};
  }
  [[nodiscard]] static Contender earlier(Contender a, Contender b) noexcept {
    const bool first = a.time < b.time || (a.time == b.time && a.process < b.process);
    return first ? a : b;
  }

  std::vector<Queue> queues_;
  std::size_t leaves_;
  std::vector<Contender> tree_;  // node i has children 2i and 2i + 1
  std::size_t waiting_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace clc::tracegen
