#include "ranks/channels.hpp"

namespace clc::ranks {

std::uint64_t ReceiveNumbers::among_overtaken(std::uint64_t overtakes) {
  std::size_t i = 0;
  for (;; ++i) {
    if (i == taken_.size()) taken_.push_back(0);
    if (taken_[i] != 0) continue;
    if (overtakes == 0) break;
    --overtakes;
  }
  taken_[i] = 1;
  const std::uint64_t number = first_ + i;
  for (; !taken_.empty() && taken_.front() != 0; ++first_) taken_.pop_front();
  return number;
}

Line::Place& Line::at(std::uint64_t number_of) {
  const auto place = static_cast<std::size_t>(number_of - first_);
  while (place >= places_.size()) places_.push_back({});
  return places_[place];
}

/// There is a place for its receive, or it is past.
bool Line::arrive_late(const Value& value) {
  const std::uint64_t number_of = arrived_++;
  if (number_of < first_) return true;
  Place& place = at(number_of);
  place.arrived = true;
  place.value = value;
  return place.done;
}

void Line::processed_among_others(std::uint64_t receive) {
  at(receive).done = true;
  for (; !places_.empty() && places_.front().done; ++first_) places_.pop_front();
}

}  // namespace clc::ranks
