#include "view/model/corridors.hpp"

#include <algorithm>
#include <tuple>

namespace clc::view {

void Corridor::Bounds::merge(const Bounds& other) noexcept {
  for (const Column s : sides) {
    forth[s] = std::min(forth[s], other.forth[s]);
    back[s] = std::min(back[s], other.back[s]);
  }
}

void Corridors::add(const Arrow& arrow, const Shown& shown) {
  const ProcessIndex first = std::min(arrow.from, arrow.to);
  const ProcessIndex second = std::max(arrow.from, arrow.to);
  const std::uint64_t key = std::uint64_t{first} << 32 | second;
  auto entry = index_.find(key);
  if (entry == index_.end()) {
    if (pairs_.size() >= most) {
      all_ = false;
      return;
    }
    entry = index_.emplace(key, static_cast<std::uint32_t>(pairs_.size())).first;
    pairs_.emplace_back();
    pairs_.back().first = first;
    pairs_.back().second = second;
  }
  Corridor& pair = pairs_[entry->second];
  ++pair.messages;
  pair.backward += arrow.delay(recorded) < 0;
  Corridor::Bounds bounds;
  (arrow.from == first ? bounds.forth : bounds.back) = {arrow.delay(recorded), arrow.delay(corrected)};
  pair.all.merge(bounds);
  if (shown.contains(arrow.received[corrected])) pair.course.at(0, arrow.received[corrected]).merge(bounds);
}

std::vector<const Corridor*> Corridors::in_order() const {
  std::vector<const Corridor*> order;
  order.reserve(pairs_.size());
  for (const Corridor& pair : pairs_) order.push_back(&pair);
  std::stable_sort(order.begin(), order.end(), [](const Corridor* a, const Corridor* b) {
    return std::tuple(b->backward, b->messages) < std::tuple(a->backward, a->messages);
  });
  return order;
}

}  // namespace clc::view
