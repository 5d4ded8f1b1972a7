// The numbers of the threads of a process: those of threads that have ended are used again, so that a program which
// starts a thread for each piece of work has as many locations as it has threads at a time.
//
// Place    Part of Recorder, under its lock.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace clc::record {

class Locations {
 public:
  static constexpr int none = -1;

  /// most: the highest number.
  explicit Locations(int most) noexcept : most_(most) {}
  /// The lowest number that is free; the first is 0. none: there are as many threads.
  [[nodiscard]] int take() noexcept {
    if (free_.empty()) return next_ <= most_ ? next_++ : none;
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    const int lowest = free_.back();
    free_.pop_back();
    return lowest;
  }
  void give_back(int number) noexcept {
    free_.push_back(number);
    std::push_heap(free_.begin(), free_.end(), std::greater<>());
  }

 private:
  int most_;
  int next_ = 0;
  std::vector<int> free_;  ///< a heap, the lowest first
};

}  // namespace clc::record
