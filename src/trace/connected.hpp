// Sets of connected clocks or processes, joined pair by pair. The first one of a set stands for it.
//
// Cost     Nearly constant for each join and question.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace clc {

class Connected {
 public:
  explicit Connected(std::size_t count = 0) { grow(count); }
  /// More of them, each alone.
  void grow(std::size_t count) {
    while (above_.size() < count) above_.push_back(static_cast<std::uint32_t>(above_.size()));
  }
  [[nodiscard]] std::uint32_t first_of(std::uint32_t one) noexcept {
    while (above_[one] != one) one = above_[one] = above_[above_[one]];
    return one;
  }
  /// False: they were connected already.
  bool join(std::uint32_t a, std::uint32_t b) noexcept {
    a = first_of(a);
    b = first_of(b);
    above_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::uint32_t> above_;
};

}  // namespace clc
