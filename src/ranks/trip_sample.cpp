#include "ranks/trip_sample.hpp"

#include <iterator>

#include "trace/round_trips.hpp"

namespace clc::ranks {

void TripSample::add_to(std::uint64_t hash, ProcessIndex sender, ProcessIndex receiver, const Message& message) {
  Pair& pair = pairs_[hash];
  pair.smaller = std::min(sender, receiver);
  pair.larger = std::max(sender, receiver);
  std::vector<Message>& messages = pair.messages[sender == pair.smaller ? 0 : 1];
  if (messages.size() < most_messages) messages.push_back(message);
  if (pairs_.size() > most_pairs) pairs_.erase(std::prev(pairs_.end()));
  if (pairs_.size() == most_pairs) largest_ = pairs_.rbegin()->first;
}

/// take(sender, receiver, message)
template <class Take>
void TripSample::for_each(Take take) const {
  for (const auto& [hash, pair] : pairs_) {
    for (const Message& message : pair.messages[0]) take(pair.smaller, pair.larger, message);
    for (const Message& message : pair.messages[1]) take(pair.larger, pair.smaller, message);
  }
}

void TripSample::join(const TripSample& other) {
  other.for_each([this](ProcessIndex sender, ProcessIndex receiver, const Message& message) {
    add(sender, receiver, message.sent, message.received, message.min_delay);
  });
}

RoundTripStatistics TripSample::trips() const {
  RoundTripStatistics trips;
  const auto add = [&trips](const std::vector<Message>& there, const std::vector<Message>& back) {
    for (const Message& message : there) {
      const Message* newest = nullptr;
      for (const Message& other : back)
        if (other.sent <= message.received && (newest == nullptr || other.sent > newest->sent)) newest = &other;
      if (newest == nullptr) continue;
      RoundTripRecorder::add(trips, add_saturating(message.received - message.sent, newest->received - newest->sent),
                             message.received - newest->sent, add_saturating(message.min_delay, newest->min_delay));
    }
  };
  for (const auto& [hash, pair] : pairs_) {
    add(pair.messages[0], pair.messages[1]);
    add(pair.messages[1], pair.messages[0]);
  }
  return trips;
}

std::vector<TripSample::Direction> TripSample::directions(const Recorded& recorded) const {
  std::vector<Direction> all;
  for_each([&](ProcessIndex sender, ProcessIndex receiver, const Message& message) {
    if (all.empty() || all.back().sender != sender || all.back().receiver != receiver)
      all.push_back({sender, receiver});
    Direction& own = all.back();
    const Ticks delay = message.received - message.sent;
    own.smallest_delay = std::min(own.smallest_delay, delay);
    own.smallest_recorded = std::min(own.smallest_recorded, recorded(sender, receiver, message.received, delay));
  });
  return all;
}

std::vector<std::int64_t> TripSample::numbers() const {
  std::vector<std::int64_t> numbers;
  for_each([&](ProcessIndex sender, ProcessIndex receiver, const Message& message) {
    numbers.insert(numbers.end(),
                   {sender, receiver, message.sent.ticks(), message.received.ticks(), message.min_delay});
  });
  return numbers;
}

TripSample TripSample::of(std::span<const std::int64_t> numbers) {
  TripSample sample;
  for (; numbers.size() >= 5; numbers = numbers.subspan(5))
    sample.add(static_cast<ProcessIndex>(numbers[0]), static_cast<ProcessIndex>(numbers[1]), Time(numbers[2]),
               Time(numbers[3]), numbers[4]);
  return sample;
}

}  // namespace clc::ranks
