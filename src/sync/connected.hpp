// Sets of connected clocks, joined pair by pair. The first clock of a set stands for it.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "sync/collector.hpp"

namespace clc::sync {

class Connected {
 public:
  explicit Connected(std::size_t clocks) : above_(clocks) { std::iota(above_.begin(), above_.end(), ClockIndex{0}); }
  [[nodiscard]] ClockIndex first_of(ClockIndex clock) noexcept {
    while (above_[clock] != clock) clock = above_[clock] = above_[above_[clock]];
    return clock;
  }
  /// False: they were connected already.
  bool join(ClockIndex a, ClockIndex b) noexcept {
    a = first_of(a);
    b = first_of(b);
    above_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<ClockIndex> above_;
};

}  // namespace clc::sync
