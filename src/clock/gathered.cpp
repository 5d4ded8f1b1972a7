#include "clock/gathered.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace clc {

void Gathered::clear() noexcept {
  count_ = 0;
  first_ = Time::latest();
  last_ = Time::earliest();
  newest_ = 0;
}

void Gathered::grow(std::size_t events) {
  const std::size_t room = std::max<std::size_t>(1024, count_ + events + count_ / 4);
  events_.resize(room);
  orders_.resize(room);
  places_.resize(room);
}

void Gathered::sort() {
  const std::span<const Corrected> events = std::span(events_).first(count_);
  const std::span<Place> places = std::span(places_).first(count_);
  // About one bucket an event.
  const auto ticks_from_first = [first = first_](Time time) { return ticks_between(first, time); };
  const auto width = [](std::uint64_t n) { return static_cast<int>(std::bit_width(n)); };
  const int shift = std::max(0, width(ticks_from_first(last_)) - width(count_));
  buckets_.assign(static_cast<std::size_t>(ticks_from_first(last_) >> shift) + 1, 0);
  std::uint32_t* const buckets = buckets_.data();
  for (const Corrected& event : events) ++buckets[ticks_from_first(event.time) >> shift];
  constexpr std::uint32_t crowd = 32;
  std::uint32_t largest = 0;
  std::uint32_t start = 0;
  for (std::uint32_t& bucket : buckets_) {
    largest = std::max(largest, bucket);
    start += std::exchange(bucket, start);
  }
  for (std::uint32_t i = 0; i < events.size(); ++i)
    places[buckets[ticks_from_first(events[i].time) >> shift]++] = {events[i].time, i};
  if (largest > crowd) {
    start = 0;
    for (const std::uint32_t end : buckets_) {  // each stands at its end now
      if (end - start > crowd)
        std::sort(places.begin() + start, places.begin() + end,
                  [this](const Place& a, const Place& b) { return before(a, b); });
      start = end;
    }
  }
  Time newest = Time::earliest();
  for (std::size_t i = 0; i < count_; ++i) {
    const Place place = places[i];
    if (place.time > newest) [[likely]] {
      newest = place.time;
      continue;
    }
    std::size_t to = i;
    for (; to > 0 && before(place, places[to - 1]); --to) places[to] = places[to - 1];
    places[to] = place;
  }
}

void Gathered::write(EventSink& sink) {
  sort();
  run_.resize(run_events);
  std::size_t size = 0;
  const auto write_run = [&] {
    if (size > 0) sink.events(std::span(run_).first(size));
    size = 0;
  };
  for (const Place& place : std::span(places_).first(count_)) {
    if (!notes.empty() && order_of(place.event) >= notes.front().order) [[unlikely]] {
      write_run();
      for (; !notes.empty() && order_of(place.event) >= notes.front().order; notes.pop_front())
        sink.note(notes.front().line);
    }
    run_[size] = events_[place.event];
    if (++size == run_events) write_run();
  }
  write_run();
}

}  // namespace clc
