// Matching of messages: the n-th send of a channel belongs to its n-th receive.
//
// Place    Each rank knows the channels of which an end is on it. The numbers of sends and receives are known before
//          the first event is processed, so that a message without its other end is recognised at once, whatever the
//          order in which ranks proceed. Values go to the rank of the receiver.
// Cost     One lookup per message end. O(1), or O(overtaken receives) for a receive that was posted earlier. Memory for
//          channels, and for values that are ahead of their receives.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "clock/process_queue.hpp"
#include "ranks/exchange.hpp"
#include "trace/channel.hpp"
#include "trace/flat_map.hpp"
#include "trace/hash.hpp"
#include "trace/heap.hpp"
#include "trace/short_queue.hpp"

namespace clc::ranks {

/// Values by channel. They are never moved.
template <class Value>
class ChannelTable {
 public:
  struct Entry {
    Channel channel;
    Value value;
    std::array<Entry*, 2> next{};  ///< used behind this one the last time, by its sender and by its receiver
  };
  /// A sequence of lookups, as one clock makes them: most programs do the same over and over, so that the next channel
  /// is usually the one that came next the last time.
  struct Trail {
    Entry* entry = nullptr;
    bool is_receiver = false;
  };

  [[nodiscard]] Value& operator[](const Channel& channel) { return find(channel).value; }
  /// The same, by the sender or the receiver of the channel, whose last one `trail` is.
  [[nodiscard]] Value& next(Trail& trail, const Channel& channel, bool is_receiver) {
    Entry*& next = trail.entry == nullptr ? first_ : trail.entry->next[trail.is_receiver ? 1 : 0];
    if (next == nullptr || next->channel != channel) [[unlikely]]
      next = &find(channel);
    trail = {next, is_receiver};
    return next->value;
  }
  [[nodiscard]] auto begin() noexcept { return entries_.begin(); }
  [[nodiscard]] auto end() noexcept { return entries_.end(); }
  [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }
  [[nodiscard]] auto end() const noexcept { return entries_.end(); }
  /// Bytes of the table; without what its values have elsewhere.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return entries_.size() * sizeof(Entry) + on_heap(places_.capacity() * sizeof(void*)) + numbers_.memory();
  }

 private:
  [[nodiscard]] Entry& find(const Channel& channel) {
    const std::uint64_t hash = HashOfChannel()(channel);
    const std::uint32_t number = numbers_.find(hash, [&](std::uint32_t i) { return places_[i]->channel == channel; });
    return number != NumberTable::none ? *places_[number] : add(hash, channel);
  }
  [[nodiscard]] Entry& add(std::uint64_t hash, const Channel& channel) {
    const auto count = static_cast<std::uint32_t>(places_.size());
    if (!numbers_.holds(count + 1))
      numbers_.rebuild(count, [&](std::uint32_t i) { return HashOfChannel()(places_[i]->channel); });
    places_.push_back(&entries_.emplace_back());
    places_.back()->channel = channel;
    numbers_.add(hash, count);
    return *places_.back();
  }

  NumberTable numbers_{2};
  std::vector<Entry*> places_;
  std::deque<Entry> entries_;
  Entry* first_ = nullptr;  // of trails that begin
};

/// A channel of which an end is on this rank.
class Line {
 public:
  /// Of a send that was processed.
  struct Value {
    Time time;      ///< C^
    Time recorded;  ///< C
    double offset = 0;
    Ticks delay = 0;
    EventIndex index = 0;
    double simple_offset = 0;
  };

  std::uint64_t sends = 0;
  std::uint64_t receives = 0;  ///< 1 more than the number of the last one: later sends have none
  std::uint64_t sent = 0;      ///< sends that were processed, on the rank of the sender
  std::uint64_t number = 0;    ///< by which values name it, on the rank of the receiver
  /// Of the messages that were received, on the rank of the receiver; ticks_max: of none.
  Ticks smallest_delay = ticks_max;

  // ---- on the rank of the receiver ----
  /// Beforehand, of each receive.
  void count_receive(std::uint64_t overtakes) { receives = std::max(receives, numbers_.take(false, overtakes) + 1); }
  void all_counted() noexcept { numbers_ = {}; }
  /// A receive is read. Returns its number; overtakes: see Event.
  [[nodiscard]] std::uint64_t receive(std::uint64_t overtakes) {
    const std::uint64_t number_of = numbers_.take(false, overtakes);
    if (is_sent(number_of)) ++received_;
    return number_of;
  }
  /// The value of the next send arrived. True: its receive, which was given up, is past; the caller answers.
  [[nodiscard]] bool arrive(const Value& value) {
    if (arrived_ != first_ + places_.size()) return arrive_late(value);
    ++arrived_;
    places_.push_back({value, true, false});
    return false;
  }
  /// Number of values that have arrived.
  [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }
  [[nodiscard]] bool is_sent(std::uint64_t receive) const noexcept { return receive < sends; }
  /// The value for a receive that was read and not processed; null: not there yet.
  [[nodiscard]] const Value* value(std::uint64_t receive) noexcept {
    const auto place = static_cast<std::size_t>(receive - first_);
    return place < places_.size() && places_[place].arrived ? &places_[place].value : nullptr;
  }
  /// That receive is processed, or given up.
  void processed(std::uint64_t receive) {
    if (receive != first_ || places_.size() != 1) return processed_among_others(receive);
    places_.clear();
    ++first_;
  }
  /// Number of sends that no receive belongs to.
  [[nodiscard]] std::uint64_t not_received() const noexcept { return sends - received_; }
  /// Bytes of values that are ahead of their receives.
  [[nodiscard]] std::uint64_t memory() const noexcept { return places_.memory(); }

 private:
  struct Place {
    Value value;
    bool arrived = false;
    bool done = false;
  };
  [[nodiscard]] Place& at(std::uint64_t number_of);
  [[nodiscard]] bool arrive_late(const Value& value);
  void processed_among_others(std::uint64_t receive);

  ChannelNumbers numbers_;    // of receives
  ShortQueue<Place> places_;  // from first_ on
  std::uint64_t first_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t received_ = 0;  // of the sends
};

using Lines = ChannelTable<Line>;

}  // namespace clc::ranks
