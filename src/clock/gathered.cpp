#include "clock/gathered.hpp"

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
  crowds_.clear();
  std::uint32_t start = 0;
  for (std::uint32_t& bucket : buckets_) {
    if (bucket > many) [[unlikely]]
      crowds_.push_back(places.subspan(start, bucket));
    start += std::exchange(bucket, start);
  }
  std::uint32_t index = 0;
  for (const Corrected& event : events) {
    const Time time = event.time;
    Place& place = places[buckets[ticks_from_first(time) >> shift]++];
    place.time = time;  // one by one: a whole one would be put together in memory first
    place.event = index++;
  }
  for (const std::span<Place> crowd : crowds_) sort_crowd(crowd, shift);
  sort_neighbours();
}

/// Sorts events that share a bucket of 2^shift ticks: by finer ones, and what is still crowded by comparisons.
void Gathered::sort_crowd(std::span<Place> crowd, int shift) {
  const int finer = std::min(shift, static_cast<int>(std::bit_width(crowd.size())));
  const auto bucket_of = [&](const Place& place) {
    return (ticks_between(first_, place.time) >> (shift - finer)) & ((std::uint64_t{1} << finer) - 1);
  };
  crowd_.assign(crowd.begin(), crowd.end());
  buckets_.assign(std::size_t{1} << finer, 0);
  std::uint32_t largest = 0;
  for (const Place& place : crowd_) largest = std::max(largest, ++buckets_[bucket_of(place)]);
  std::uint32_t start = 0;
  for (std::uint32_t& bucket : buckets_) start += std::exchange(bucket, start);
  for (const Place& place : crowd_) crowd[buckets_[bucket_of(place)]++] = place;
  if (largest > many) std::ranges::sort(crowd, [this](const Place& a, const Place& b) { return before(a, b); });
}

/// Sorts places that are nearly sorted, by insertion.
void Gathered::sort_neighbours() {
  Place* const first = places_.data();
  for (Place* at = first + 1; at < first + count_; ++at) {
    if (at[-1].time < at->time) [[likely]]
      continue;
    const Place place = *at;
    Place* to = at;
    for (; to > first && before(place, to[-1]); --to) *to = to[-1];
    *to = place;
  }
}

void Gathered::write(EventSink& sink) {
  sort();
  run_.resize(run_events);
  Corrected* const run = run_.data();
  Corrected* to = run;
  const auto write_run = [&] {
    if (to > run) sink.events({run, to});
    to = run;
  };
  const Corrected* const events = events_.data();
  bool has_notes = !notes.empty();
  for (const Place& place : std::span(places_).first(count_)) {
    if (has_notes && order_of(place.event) >= notes.front().order) [[unlikely]] {
      write_run();
      for (; !notes.empty() && order_of(place.event) >= notes.front().order; notes.pop_front())
        sink.note(notes.front().line);
      has_notes = !notes.empty();
    }
    *to++ = events[place.event];
    if (to == run + run_events) write_run();
  }
  write_run();
}

}  // namespace clc
