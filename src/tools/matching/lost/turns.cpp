#include "matching/lost/turns.hpp"

#include <algorithm>

namespace clc::matching {

void Turns::add(ProcessIndex process, std::uint32_t nth, Side side) {
  OfSide& own = sides_[side];
  own.process = process;
  own.places.push_back(nth);
  orders_[process].emplace(nth, side);
}

std::optional<Turns::Side> Turns::neighbour(Side side, bool behind) const {
  const OfSide& own = sides_.at(side);
  const auto& order = orders_.at(own.process);
  std::map<Side, std::size_t> counts;
  for (const std::uint32_t place : own.places) {
    if (place == 0 && !behind) continue;
    if (const auto next = order.find(behind ? place + 1 : place - 1); next != order.end()) ++counts[next->second];
  }
  for (const auto& [other, count] : counts)
    if (other != side && count > own.places.size() - count) return other;
  return std::nullopt;
}

std::vector<std::uint32_t> Turns::since(const OfSide& own, const OfSide& other) {
  std::vector<std::uint32_t> counts;
  const auto ahead_of = [&](std::uint32_t place) {
    return std::lower_bound(other.places.begin(), other.places.end(), place) - other.places.begin();
  };
  for (std::size_t k = 1; k < own.places.size(); ++k)
    counts.push_back(static_cast<std::uint32_t>(ahead_of(own.places[k]) - ahead_of(own.places[k - 1])));
  return counts;
}

std::vector<std::uint32_t> Turns::of(Side side, const std::function<bool(Side)>& may_count) const {
  const auto own = sides_.find(side);
  if (own == sides_.end()) return {};
  std::vector<std::uint32_t> on(own->second.places.size(), 1);
  bool known = false;
  for (const bool behind : {false, true}) {
    const std::optional<Side> other = neighbour(side, behind);
    if (!other || !may_count(*other)) continue;
    const std::vector<std::uint32_t> counts = since(own->second, sides_.at(*other));
    std::size_t out_of_turn = 0;
    for (const std::uint32_t count : counts) out_of_turn += count != 1;
    if (8 * out_of_turn > counts.size()) continue;
    known = true;
    for (std::size_t k = 0; k < counts.size(); ++k) on[k + 1] = std::max(on[k + 1], counts[k]);
  }
  if (!known) return {};
  for (std::size_t k = 1; k < on.size(); ++k) on[k] += on[k - 1];
  return on;
}

}  // namespace clc::matching
