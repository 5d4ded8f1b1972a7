// The traces that are being merged, by the time of their next record: a binary heap.
//
// Cost     replace and pop O(log(traces)); first and second O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "clc/time.hpp"

namespace clc::formats {

struct Head {
  Time time;
  std::size_t input = 0;

  /// Equal times: in the order of the traces.
  [[nodiscard]] bool before(const Head& other) const noexcept {
    const bool earlier = time < other.time;
    const bool same = time == other.time;
    return earlier | (same & (input < other.input));
  }
};

class Heads {
 public:
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] const Head& first() const noexcept { return heap_.front(); }
  /// The next one after the first. Null: there is none.
  [[nodiscard]] const Head* second() const noexcept {
    if (heap_.size() < 2) return nullptr;
    return heap_.size() > 2 && heap_[2].before(heap_[1]) ? &heap_[2] : &heap_[1];
  }
  /// Those that become first or second next, once two others have been replaced: the third level of the heap.
  [[nodiscard]] std::span<const Head> soon() const noexcept {
    const std::size_t begin = std::min<std::size_t>(3, heap_.size());
    return std::span(heap_).subspan(begin, std::min<std::size_t>(4, heap_.size() - begin));
  }
  void push(Head head) {
    heap_.push_back(head);
    for (std::size_t at = heap_.size() - 1; at > 0 && heap_[at].before(heap_[(at - 1) / 2]); at = (at - 1) / 2)
      std::swap(heap_[at], heap_[(at - 1) / 2]);
  }
  /// The first gets a later time.
  void replace(Time time) noexcept { sink({time, heap_.front().input}); }
  void pop() noexcept {
    const Head last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }

 private:
  /// Down to a leaf along the earlier children, and up from there: the head of a trace that was just read is late.
  void sink(Head head) noexcept {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
      child += static_cast<std::size_t>(child + 1 < size && heap_[child + 1].before(heap_[child]));
      heap_[at] = heap_[child];
      at = child;
    }
    for (; at > 0 && head.before(heap_[(at - 1) / 2]); at = (at - 1) / 2) heap_[at] = heap_[(at - 1) / 2];
    heap_[at] = head;
  }

  std::vector<Head> heap_;
};

}  // namespace clc::formats
