// Times and differences of times, in ticks of the trace's clock resolution.
//
// Purpose  A recorded time is a 64-bit integer of its own type: adding two times does not compile,
//          and no absolute time is ever a floating-point number (for nanoseconds since 1970, a
//          double has a resolution of 256 ns). Differences are `Ticks`, plain signed integers.
// Units    Ticks; 1 second is `Resolution::per_second()` ticks. Microseconds appear only at the
//          command line and in the report, through `Resolution`.
// Errors   None. Sums and differences that overflow 64 bits saturate.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace clc {

/// A difference a - b of two times, in ticks. Positive: a is later.
using Ticks = std::int64_t;

inline constexpr Ticks ticks_max = std::numeric_limits<Ticks>::max();
inline constexpr Ticks ticks_min = std::numeric_limits<Ticks>::min();

/// The result of a sum that overflows. Kept out of line because sums rarely overflow.
[[nodiscard, gnu::cold, gnu::noinline]] constexpr Ticks saturated(bool up) noexcept {
  return up ? ticks_max : ticks_min;
}

/// a + b, saturating at the limits of 64 bits.
[[nodiscard]] constexpr Ticks add_saturating(Ticks a, Ticks b) noexcept {
  Ticks sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    return saturated(b > 0);
  return sum;
}

/// a - b, saturating at the limits of 64 bits.
[[nodiscard]] constexpr Ticks subtract_saturating(Ticks a, Ticks b) noexcept {
  Ticks difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) [[unlikely]]
    return saturated(b < 0);
  return difference;
}

/// A point on the clock of a process, in ticks. Comparable; the difference of two is `Ticks`.
class Time {
 public:
  constexpr Time() noexcept = default;
  constexpr explicit Time(std::int64_t ticks) noexcept : ticks_(ticks) {}

  [[nodiscard]] constexpr std::int64_t ticks() const noexcept { return ticks_; }

  [[nodiscard]] static constexpr Time earliest() noexcept { return Time(ticks_min); }
  [[nodiscard]] static constexpr Time latest() noexcept { return Time(ticks_max); }

  friend constexpr auto operator<=>(Time, Time) noexcept = default;
  friend constexpr Ticks operator-(Time a, Time b) noexcept { return subtract_saturating(a.ticks_, b.ticks_); }
  friend constexpr Time operator+(Time a, Ticks b) noexcept { return Time(add_saturating(a.ticks_, b)); }
  friend constexpr Time operator-(Time a, Ticks b) noexcept { return Time(subtract_saturating(a.ticks_, b)); }

 private:
  std::int64_t ticks_ = 0;
};

/// later - earlier, which may need all 64 bits. If the arguments are swapped, the result is modulo 2^64.
[[nodiscard]] constexpr std::uint64_t ticks_between(Time earlier, Time later) noexcept {
  return static_cast<std::uint64_t>(later.ticks()) - static_cast<std::uint64_t>(earlier.ticks());
}

/// Ticks per second of a trace. Only this class converts between ticks and seconds.
class Resolution {
 public:
  static constexpr std::int64_t lowest = 1;
  static constexpr std::int64_t highest = 1'000'000'000'000;

  constexpr Resolution() noexcept = default;
  /// Requires lowest <= ticks_per_second <= highest.
  constexpr explicit Resolution(std::int64_t ticks_per_second) noexcept : per_second_(ticks_per_second) {}

  [[nodiscard]] constexpr std::int64_t per_second() const noexcept { return per_second_; }
  /// Correctly rounded if a microsecond is a whole number of ticks, or a tick a whole number of microseconds.
  [[nodiscard]] constexpr double microseconds(double ticks) const noexcept {
    const auto per_second = static_cast<double>(per_second_);
    return per_second < 1e6 ? ticks * (1e6 / per_second) : ticks / (per_second / 1e6);
  }
  [[nodiscard]] constexpr double seconds(double ticks) const noexcept {
    return ticks / static_cast<double>(per_second_);
  }
  /// Rounds to the nearest tick, halves away from zero; saturates at the limits of 64 bits.
  [[nodiscard]] constexpr Ticks ticks_of_microseconds(double microseconds) const noexcept {
    return nearest(microseconds * (static_cast<double>(per_second_) / 1e6));
  }
  [[nodiscard]] constexpr Ticks ticks_of_seconds(double seconds) const noexcept {
    return nearest(seconds * static_cast<double>(per_second_));
  }

  friend constexpr bool operator==(Resolution, Resolution) noexcept = default;

 private:
  [[nodiscard]] static constexpr Ticks nearest(double ticks) noexcept {
    if (!(ticks < 9.2e18)) return ticks_max;
    if (!(ticks > -9.2e18)) return ticks_min;
    // Not the sum with 0.5, which is rounded itself: beyond 2^52 it would change whole numbers.
    const auto towards_zero = static_cast<Ticks>(ticks);
    const double rest = ticks - static_cast<double>(towards_zero);
    return towards_zero + Ticks{rest >= 0.5} - Ticks{rest <= -0.5};
  }

  std::int64_t per_second_ = 1'000'000'000;
};

}  // namespace clc
