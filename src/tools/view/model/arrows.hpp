// Messages to draw: a sample of them, and those that go back furthest.
//
// Memory   Tables of fixed size, whatever the number of messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "view/model/edges_drawn.hpp"

namespace clc::view {

void sort_by_sending(std::vector<Arrow>& arrows);

/// Of the arrows whose measure, as recorded, is below 0 those with the smallest ones.
template <Ticks (Arrow::*measure)(Column) const noexcept>
class WorstArrows {
 public:
  static constexpr std::size_t most = 1000;

  void add(const Arrow& arrow) {
    const auto worse = [](const Arrow& a, const Arrow& b) { return (a.*measure)(recorded) < (b.*measure)(recorded); };
    if ((arrow.*measure)(recorded) >= 0) return;
    if (arrows_.size() == most) {
      if (!worse(arrow, arrows_.front())) return;
      std::pop_heap(arrows_.begin(), arrows_.end(), worse);
      arrows_.pop_back();
    }
    arrows_.push_back(arrow);
    std::push_heap(arrows_.begin(), arrows_.end(), worse);
  }
  void finish() { sort_by_sending(arrows_); }
  [[nodiscard]] const std::vector<Arrow>& arrows() const noexcept { return arrows_; }

 private:
  std::vector<Arrow> arrows_;  // a heap until finish, the least bad on top
};

/// Those that violate the clock condition by the most.
using Violations = WorstArrows<&Arrow::margin>;

/// All messages, or a sample with those that go back furthest.
class Arrows {
 public:
  using Worst = WorstArrows<&Arrow::delay>;
  static constexpr std::size_t most = 14000;
  static constexpr std::size_t sampled = 3000;

  void add(const Arrow& arrow);
  void finish();
  [[nodiscard]] bool all() const noexcept { return seen_ <= most; }
  [[nodiscard]] const std::vector<Arrow>& arrows() const noexcept { return arrows_; }

 private:
  std::vector<Arrow> arrows_;
  Worst worst_;
  std::uint64_t seen_ = 0;
  std::uint64_t random_ = 1;
};

}  // namespace clc::view
