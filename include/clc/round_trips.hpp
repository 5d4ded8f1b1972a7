// Round trips of messages, which limit the minimum message delay from above.
//
// Formula  Two messages between processes a and b that cross, or of which one answers the other, take together
//          (received_b - sent_a) + (received_a - sent_b) = (received_a - sent_a) - (sent_b - received_b).
//          Clock offsets cancel; drift matters only for the time between the two messages. The minimum delay is
//          therefore at most half of this sum. The same holds for the durations of two members of a collective
//          operation that orders all begins before all ends, and for messages around a cycle of processes.
// Units    Ticks.
// Cost     A few operations per message.
#pragma once

#include <cstdint>
#include <numeric>

#include "clc/time.hpp"

namespace clc {

class RoundTripStatistics {
 public:
  /// A trip counts if the time between its messages is at most 2^short_shift times as long as the trip. At a drift of
  /// 2e-5, which regulator A allows, the error is then at most 2 % of the trip.
  static constexpr unsigned short_shift = 10;
  /// A trip contradicts the minimum delays if their sum exceeds the trip by more than near_factor; drift of 1e-4 and
  /// clock jitter can explain less. Beyond far_factor they are far too large.
  static constexpr double near_factor = 1.25;
  static constexpr double far_factor = 2;

  /// span: time between the two messages on one clock. delays: sum of their minimum delays.
  [[gnu::always_inline]] void add(Ticks trip, Ticks span, Ticks delays, std::uint32_t messages = 2) noexcept {
    const auto apart = static_cast<std::uint64_t>(span);
    const std::uint64_t length = span < 0 ? 0 - apart : apart;
    if (trip <= 0) [[unlikely]]
      return add_impossible(trip, length);
    if (length >> short_shift >= static_cast<std::uint64_t>(trip)) return;
    if (granularity_ != 1) [[unlikely]]
      refine(trip, length);
    ++trips_;
    const Ticks of_two = messages == 2 ? trip : trip / messages * 2;
    if (of_two < shortest_) shortest_ = of_two;
    if (delays > trip) [[unlikely]]
      contradict(trip, delays, messages);
  }

  [[nodiscard]] std::uint64_t trips() const noexcept { return trips_; }
  /// Trips that prove their minimum delays too large, by more than near_factor and the clock's tick.
  [[nodiscard]] std::uint64_t near() const noexcept { return near_; }
  /// Those that do so by more than far_factor.
  [[nodiscard]] std::uint64_t far() const noexcept { return far_; }
  /// Trips of negative length: a clock was set in between. About as many others are then too short.
  [[nodiscard]] std::uint64_t impossible() const noexcept { return impossible_; }
  /// Smallest trip, divided by the number of its messages, ticks; 0: no trips.
  [[nodiscard]] double smallest() const noexcept { return trips_ == 0 ? 0 : static_cast<double>(shortest_) / 2; }
  /// Greatest common divisor of all durations: the granularity of the clocks.
  [[nodiscard]] std::uint64_t granularity() const noexcept { return granularity_; }

 private:
  [[gnu::noinline]] void add_impossible(Ticks trip, std::uint64_t span) noexcept {
    const std::uint64_t size = 0 - static_cast<std::uint64_t>(trip);
    impossible_ += size > 2 * granularity_ && span >> short_shift < size;
  }
  [[gnu::noinline]] void contradict(Ticks trip, Ticks delays, std::uint32_t messages) noexcept {
    // Each timestamp may be wrong by a tick of a coarse clock.
    const double longest = static_cast<double>(trip) + messages * static_cast<double>(granularity_);
    near_ += near_factor * longest < static_cast<double>(delays);
    far_ += far_factor * longest < static_cast<double>(delays);
  }
  [[gnu::noinline]] void refine(Ticks trip, std::uint64_t span) noexcept {
    granularity_ = std::gcd(granularity_, span);
    granularity_ = std::gcd(granularity_, static_cast<std::uint64_t>(trip));
  }

  std::uint64_t trips_ = 0;
  std::uint64_t near_ = 0;
  std::uint64_t far_ = 0;
  std::uint64_t impossible_ = 0;
  Ticks shortest_ = ticks_max;  // scaled to two messages
  std::uint64_t granularity_ = 0;
};

}  // namespace clc
