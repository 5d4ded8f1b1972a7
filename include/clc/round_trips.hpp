// Round trips between neighbouring messages: what they prove about the minimum message delay.
//
// Formula  Two messages that pass each other, or one that answers the other, between processes a and b:
//          (received_b - sent_a) + (received_a - sent_b) = (received_a - sent_a) - (sent_b - received_b).
//          Offsets of the clocks cancel, and drift counts only while the two are apart. So no minimum delay exceeds
//          half of it, wherever the clocks are. The same holds for the durations of a collective operation that
//          orders all begins before all ends, by two members, and for messages around a cycle of processes.
// Units    Ticks.
// Cost     A few operations per message.
#pragma once

#include <cstdint>
#include <numeric>

#include "clc/time.hpp"

namespace clc {

class RoundTripStatistics {
 public:
  /// A trip tells something when what lies between its messages is at most that many times (2^10) as long: at 2e-5,
  /// what regulator A allows clocks to drift apart, drift then makes 2 % of it.
  static constexpr unsigned short_shift = 10;
  /// A minimum delay contradicts a trip when it is larger by more than this, as drift of 1e-4 and jitter of clocks can
  /// explain the rest; it is far too large from twice the half trip on.
  static constexpr double near_factor = 1.25;
  static constexpr double far_factor = 2;

  /// span: how long the two messages are apart, on one clock. delays: the sum of their minimum delays.
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
  /// Trips that prove that their minimum delays are too large, by more than the clock's tick and near_factor.
  [[nodiscard]] std::uint64_t near() const noexcept { return near_; }
  /// Those of them that do by far_factor.
  [[nodiscard]] std::uint64_t far() const noexcept { return far_; }
  /// Short trips that ended before they began: a clock was set meanwhile. Then about as many others are too fast.
  [[nodiscard]] std::uint64_t impossible() const noexcept { return impossible_; }
  /// Smallest trip by the number of its messages, ticks; 0: there is none.
  [[nodiscard]] double smallest() const noexcept { return trips_ == 0 ? 0 : static_cast<double>(shortest_) / 2; }
  /// What the durations of all trips are multiples of: how coarse the clocks are.
  [[nodiscard]] std::uint64_t granularity() const noexcept { return granularity_; }

 private:
  [[gnu::noinline]] void add_impossible(Ticks trip, std::uint64_t span) noexcept {
    const std::uint64_t size = 0 - static_cast<std::uint64_t>(trip);
    impossible_ += size > 2 * granularity_ && span >> short_shift < size;
  }
  [[gnu::noinline]] void contradict(Ticks trip, Ticks delays, std::uint32_t messages) noexcept {
    // Each stamp may be off by a tick of a coarse clock.
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
  Ticks shortest_ = ticks_max;  // of two messages
  std::uint64_t granularity_ = 0;
};

}  // namespace clc
