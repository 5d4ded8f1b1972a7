#include "matching/lost/waiting_ends.hpp"

namespace clc::matching {

void WaitingEnds::put(std::uint32_t end, bool is_send, std::size_t overtakes) {
  const std::uint32_t place = is_send ? sends_++ : place_receive(overtakes);
  if (place >= slots_.size()) slots_.resize(place + std::size_t{1});
  (is_send ? slots_[place].send : slots_[place].receive) = end;
  while (!slots_.empty() && slots_.front().send != none && slots_.front().receive != none) drop_first();
}

/// In the slot without receive behind so many others.
std::uint32_t WaitingEnds::place_receive(std::size_t overtakes) {
  if (in_order() && overtakes == 0) return receives_++;
  std::uint32_t place = receives_++ + static_cast<std::uint32_t>(gaps_.size());
  if (overtakes >= gaps_.size()) {
    for (; gaps_.size() < overtakes; ++place) gaps_.push_back(dropped_ + place);
    return place;
  }
  place = gaps_[overtakes] - dropped_;
  gaps_.erase(overtakes);
  return place;
}

void WaitingEnds::drop_first() {
  sends_ -= slots_.front().send != none;
  receives_ -= slots_.front().receive != none;
  ++dropped_;
  slots_.pop_front();
}

}  // namespace clc::matching
