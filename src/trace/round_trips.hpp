// Records round trips of messages, which limit the minimum message delay from above.
//
// Formula  Two messages between processes a and b that cross, or of which one answers the other, take together
//          (received_b - sent_a) + (received_a - sent_b) = (received_a - sent_a) - (sent_b - received_b).
//          Clock offsets cancel; drift matters only for the time between the two messages, their span. The minimum
//          delay is therefore at most half of this sum. The same holds for the durations of two members of a collective
//          operation that orders all begins before all ends, and for messages around a cycle of processes.
// Units    Ticks.
// Cost     A few operations per message.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "clc/time.hpp"
#include "clc/verdict.hpp"

namespace clc {

/// Half of a + b. They are summed up as whole numbers: where clocks are far apart, two large delays of opposite sign
/// leave a small trip, of which doubles would know no tick.
[[nodiscard]] constexpr double half_of_sum(Ticks a, Ticks b) noexcept {
  const Ticks floor = (a & b) + ((a ^ b) >> 1U);  // does not overflow
  return static_cast<double>(floor) + (((a ^ b) & 1) != 0 ? 0.5 : 0.0);
}

/// Adds to RoundTripStatistics.
class RoundTripRecorder {
 public:
  /// A trip counts if the time between its messages is at most 2^short_shift times as long as the trip. At a drift of
  /// 2e-5, which regulator A allows, the error is then at most 2 % of the trip. Clocks that are slewed may falsify it
  /// by the trip itself, which is allowed for.
  static constexpr unsigned short_shift = 10;
  /// Beyond that many trips only every sixteenth counts for RoundTripStatistics::most_frequent.
  static constexpr std::uint64_t all_classified = 4096;

  /// span: time between the two messages on one clock. delays: sum of their minimum delays.
  [[gnu::always_inline]] static void add(RoundTripStatistics& to, Ticks trip, Ticks span, Ticks delays,
                                         std::uint32_t messages = 2) noexcept {
    const auto apart = static_cast<std::uint64_t>(span);
    const std::uint64_t length = span < 0 ? 0 - apart : apart;
    if (trip <= 0) [[unlikely]]
      return add_impossible(to, trip, length);
    if (length >> short_shift >= static_cast<std::uint64_t>(trip)) return;
    if (to.granularity_ != 1) [[unlikely]]
      refine(to, trip, length);
    ++to.trips_;
    const Ticks of_two = scaled(trip, messages);
    if (of_two < to.shortest_) to.shortest_ = of_two;
    const Ticks longest = scaled(add_saturating(trip, static_cast<Ticks>(slewed(length))), messages);
    if (longest < to.longest_) to.longest_ = longest;
    if (to.trips_ <= all_classified || to.trips_ % 16 == 0)
      ++to.classes_[class_of(static_cast<std::uint64_t>(std::max<Ticks>(1, of_two)))];
    if (delays > trip) [[unlikely]]
      contradict(to, trip, length, delays, messages);
  }
  /// Durations as recorded are multiples of so many ticks, those of the trips are not.
  static void recorded(RoundTripStatistics& to, std::uint64_t ticks) noexcept { to.recorded_granularity_ = ticks; }

  /// The class of a trip above 0.
  [[nodiscard]] static constexpr std::size_t class_of(std::uint64_t trip) noexcept {
    constexpr unsigned bits = RoundTripStatistics::class_bits;
    const auto power = static_cast<unsigned>(std::bit_width(trip)) - 1;
    const std::uint64_t digits = power >= bits ? trip >> (power - bits) : trip << (bits - power);
    return (std::size_t{power} << bits) + (digits & ((1U << bits) - 1));
  }

 private:
  /// What a trip of two messages would take.
  [[nodiscard]] static Ticks scaled(Ticks trip, std::uint32_t messages) noexcept {
    return messages == 2 ? trip : trip / messages * 2;
  }
  [[nodiscard]] static std::uint64_t slewed(std::uint64_t span) noexcept {
    return span / RoundTripStatistics::slew_part;
  }
  [[gnu::noinline]] static void add_impossible(RoundTripStatistics& to, Ticks trip, std::uint64_t span) noexcept {
    const std::uint64_t size = 0 - static_cast<std::uint64_t>(trip);
    to.impossible_ += size > 2 * to.granularity() && span >> short_shift < size;
  }
  [[gnu::noinline]] static void contradict(RoundTripStatistics& to, Ticks trip, std::uint64_t span, Ticks delays,
                                           std::uint32_t messages) noexcept {
    // Each timestamp may be wrong by a tick of a coarse clock, and clocks may be slewed.
    const double longest = static_cast<double>(trip) + messages * static_cast<double>(to.granularity()) +
                           static_cast<double>(slewed(span));
    if (RoundTripStatistics::near_factor * longest < static_cast<double>(delays)) {
      ++to.near_;
      to.near_delays_ += static_cast<double>(delays) / messages;
    }
    to.far_ += RoundTripStatistics::far_factor * longest < static_cast<double>(delays);
  }
  [[gnu::noinline]] static void refine(RoundTripStatistics& to, Ticks trip, std::uint64_t span) noexcept {
    to.granularity_ = std::gcd(to.granularity_, span);
    to.granularity_ = std::gcd(to.granularity_, static_cast<std::uint64_t>(trip));
  }
};

}  // namespace clc
