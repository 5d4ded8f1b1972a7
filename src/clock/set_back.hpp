// Clocks that are set back: the recorded times of events behind such a step.
//
// Place    Beside the queues. All stages use C^, the largest recorded time of the process so far, as the time of an
//          event: C^ never falls, so events keep the order of their process, and what is final stays final. Only the
//          recursion of the controller and the figures of the report need C where it is below C^; they find it here.
// Units    Ticks.
// Cost     None while no clock was set back. Else a hash lookup and a binary search per event of a clock that was;
//          16 bytes per buffered event that is behind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clock/process_queue.hpp"
#include "trace/hash.hpp"

namespace clc {

class SetBack {
 public:
  /// True once a clock was set back.
  [[nodiscard]] bool any() const noexcept { return any_; }
  /// True once this clock was.
  [[nodiscard]] bool of(ClockIndex clock) const { return any_ && clocks_.contains(clock); }

  // ---- reading --------------------------------------------------------------------------------
  /// An event is read with C < C^. Returns C of the one before it.
  Time read(ClockIndex clock, EventIndex index, Time recorded, Time maximum) {
    any_ = true;
    OfClock& state = clocks_[clock];
    state.behind.push_back({index, recorded});
    ++behind_;
    const Behind latest = std::exchange(state.latest, {index, recorded});
    reading_ = recorded;
    return latest.index + 1 == index ? latest.recorded : maximum;
  }
  /// C of an event that is read: `maximum`, C^, unless it is the one that was just passed to `read`.
  [[nodiscard]] Time recorded(Time maximum) const noexcept { return reading_ ? *reading_ : maximum; }
  void reading(std::optional<Time> recorded) noexcept { reading_ = recorded; }

  // ---- buffered events ------------------------------------------------------------------------
  /// C of a buffered event. maximum: its C^.
  [[nodiscard]] Time recorded(ClockIndex clock, EventIndex index, Time maximum) const {
    if (!any_) [[likely]]
      return maximum;
    const auto found = clocks_.find(clock);
    return found == clocks_.end() ? maximum : found->second.at(index, maximum);
  }
  /// An event is processed. Returns C of the one before it; before: C^ of that.
  Time processed(ClockIndex clock, Time recorded, Time before) {
    OfClock& state = clocks_[clock];
    return std::exchange(state.processed, recorded).value_or(before);
  }
  /// True if no event of the clock from that one on is behind.
  [[nodiscard]] bool caught_up(ClockIndex clock, EventIndex index) {
    OfClock& state = clocks_[clock];
    if (!state.behind.empty() && state.behind.back().index >= index) return false;
    state.processed.reset();
    return true;
  }
  /// C of the event of a clock that was emitted last; set it when events are emitted.
  [[nodiscard]] std::optional<Time>& written(ClockIndex clock) { return clocks_[clock].written; }
  /// The same; none: its C^.
  [[nodiscard]] std::optional<Time> last_written(ClockIndex clock) const {
    const auto found = any_ ? clocks_.find(clock) : clocks_.end();
    return found == clocks_.end() ? std::nullopt : found->second.written;
  }
  /// Events before that index have been emitted.
  void forget(ClockIndex clock, EventIndex before) {
    OfClock& state = clocks_[clock];
    for (; !state.behind.empty() && state.behind.front().index < before; --behind_) state.behind.pop_front();
  }

  // ---- messages -------------------------------------------------------------------------------
  /// The send that is read is that of the message with this number.
  void send(std::uint32_t message) {
    if (reading_)
      sent_.insert_or_assign(message, *reading_);
    else
      sent_.erase(message);
  }
  /// C of a message's send. maximum: its C^.
  [[nodiscard]] Time sent(std::uint32_t message, Time maximum) const {
    if (!any_) [[likely]]
      return maximum;
    const auto found = sent_.find(message);
    return found == sent_.end() ? maximum : found->second;
  }

  [[nodiscard]] std::uint64_t memory() const noexcept {
    constexpr std::uint64_t of_send = 48;  // with its place in the table
    return behind_ * sizeof(Behind) + sent_.size() * of_send;
  }

 private:
  /// An event with C < C^.
  struct Behind {
    EventIndex index = no_event;
    Time recorded;
  };
  struct OfClock {
    Behind latest;                  // the one read last
    std::deque<Behind> behind;      // buffered ones, by index
    std::optional<Time> processed;  // C of the event processed last; none: its C^
    std::optional<Time> written;    // the same of the event emitted last
    [[nodiscard]] Time at(EventIndex index, Time maximum) const {
      const auto found = std::lower_bound(behind.begin(), behind.end(), index,
                                          [](const Behind& event, EventIndex wanted) { return event.index < wanted; });
      return found == behind.end() || found->index != index ? maximum : found->recorded;
    }
  };

  bool any_ = false;
  std::uint64_t behind_ = 0;  // buffered events with C < C^
  std::optional<Time> reading_;
  HashMap<ClockIndex, OfClock> clocks_;
  HashMap<std::uint32_t, Time> sent_;  // by message
};

}  // namespace clc
