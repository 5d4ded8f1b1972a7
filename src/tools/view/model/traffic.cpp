#include "view/model/traffic.hpp"

#include <algorithm>
#include <utility>

namespace clc::view {

void Traffic::add(const Arrow& arrow) noexcept {
  ++messages;
  bytes += static_cast<double>(arrow.bytes);
  for (const Column s : sides) {
    const Ticks delay = arrow.delay(s);
    side[s].backward += delay < 0;
    side[s].delays += static_cast<double>(delay);
    side[s].smallest = std::min(side[s].smallest, delay);
  }
}

void Traffic::merge(const Traffic& other) noexcept {
  messages += other.messages;
  bytes += other.bytes;
  for (const Column s : sides) {
    side[s].backward += other.side[s].backward;
    side[s].delays += other.side[s].delays;
    side[s].smallest = std::min(side[s].smallest, other.side[s].smallest);
  }
}

Traffic& TrafficMatrix::at(std::size_t from, std::size_t to) {
  if (cells_.empty()) cells_.resize(most * most);
  while (std::max(from, to) / group_ >= most) {
    std::vector<Traffic> joined(most * most);
    for (std::size_t i = 0; i < most; ++i)
      for (std::size_t k = 0; k < most; ++k) joined[i / 2 * most + k / 2].merge(cells_[i * most + k]);
    cells_ = std::move(joined);
    size_ = (size_ + 1) / 2;
    group_ *= 2;
  }
  size_ = std::max({size_, from / group_ + 1, to / group_ + 1});
  return cells_[from / group_ * most + to / group_];
}

}  // namespace clc::view
