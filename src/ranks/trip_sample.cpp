#include "ranks/trip_sample.hpp"

#include <iterator>

#include "trace/round_trips.hpp"

namespace clc::ranks {

std::vector<TripSample::Message>& TripSample::messages_of(std::uint64_t hash, ProcessIndex sender,
                                                          ProcessIndex receiver) {
  Pair& pair = pairs_[hash];
  pair.smaller = std::min(sender, receiver);
  pair.larger = std::max(sender, receiver);
  return pair.messages[sender == pair.smaller ? 0 : 1];
}

void TripSample::add_to(std::uint64_t hash, ProcessIndex sender, ProcessIndex receiver, const Message& message) {
  std::vector<Message>& messages = messages_of(hash, sender, receiver);
  if (messages.size() < most_messages) messages.push_back(message);
  drop_surplus();
}

void TripSample::drop_surplus() {
  while (pairs_.size() > most_pairs) pairs_.erase(std::prev(pairs_.end()));
  if (pairs_.size() == most_pairs) largest_ = pairs_.rbegin()->first;
}

void TripSample::join(const TripSample& other) {
  for (const auto& [hash, pair] : other.pairs_)
    for (const bool from_smaller : {true, false})
      for (const Message& message : pair.messages[from_smaller ? 0 : 1])
        add_to(hash, from_smaller ? pair.smaller : pair.larger, from_smaller ? pair.larger : pair.smaller, message);
  drop_surplus();
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

std::vector<std::int64_t> TripSample::numbers() const {
  std::vector<std::int64_t> numbers;
  for (const auto& [hash, pair] : pairs_)
    for (const bool from_smaller : {true, false})
      for (const Message& message : pair.messages[from_smaller ? 0 : 1])
        numbers.insert(numbers.end(),
                       {from_smaller ? pair.smaller : pair.larger, from_smaller ? pair.larger : pair.smaller,
                        message.sent.ticks(), message.received.ticks(), message.min_delay});
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
