#include "ranks/channels.hpp"

namespace clc::ranks {

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
