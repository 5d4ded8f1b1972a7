#include "ranks/channels.hpp"

namespace clc::ranks {

Messages::OfChannel::Place& Messages::OfChannel::at(std::uint64_t number) {
  const auto place = static_cast<std::size_t>(number - first_);
  while (place >= places_.size()) places_.push_back({});
  return places_[place];
}

std::uint64_t Messages::OfChannel::receive(std::uint64_t overtakes) {
  std::uint64_t number = first_;
  for (;; ++number) {
    if (at(number).is_read) continue;
    if (overtakes == 0) break;
    --overtakes;
  }
  at(number).is_read = true;
  if (is_sent(number)) ++received_;
  return number;
}

bool Messages::OfChannel::arrive(const Item& value) {
  const std::uint64_t number = arrived_++;
  if (number < first_) return true;
  Place& place = at(number);
  place.arrived = true;
  place.value = {value.time, value.offset, value.delay, value.index};
  return place.done;
}

const Messages::Value* Messages::OfChannel::value(std::uint64_t number) noexcept {
  const Place& place = places_[static_cast<std::size_t>(number - first_)];
  return place.arrived ? &place.value : nullptr;
}

void Messages::OfChannel::processed(std::uint64_t number) {
  at(number).done = true;
  for (; !places_.empty() && places_.front().done; ++first_) places_.pop_front();
}

std::uint64_t Messages::not_received() const noexcept {
  std::uint64_t sends = 0;
  for (const auto& [channel, state] : channels_) sends += state.not_received();
  return sends;
}

std::uint64_t Messages::memory() const noexcept {
  std::uint64_t bytes = 0;
  for (const auto& [channel, of] : channels_) bytes += of.memory();
  return bytes;
}

}  // namespace clc::ranks
