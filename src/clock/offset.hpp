// Arithmetic on offsets D = LC' - C: doubles in ticks, never negative.
//
// The corrected time is C + floor(D) (see `written`). The laws must hold for these integers, so the sum of an offset
// and a whole number of ticks must never be rounded below the exact whole number. Below 2^52 ticks this holds by
// itself: rounding is monotone and whole numbers are exact. Beyond (clocks months apart, in nanoseconds) `plus` rounds
// up explicitly.
#pragma once

#include <cmath>
#include <limits>

#include "clc/time.hpp"

namespace clc {

/// Offsets are limited to 2^62 ticks; a corrected time beyond 64 bits saturates and is counted.
inline constexpr double offset_max = 0x1p62;
inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Whole ticks of an offset (offsets are never negative: truncation is floor).
[[nodiscard]] inline Ticks whole(double offset) noexcept {
  return static_cast<Ticks>(offset < offset_max ? offset : offset_max);
}

/// Ticks. Rounding errors of amortized offsets are far smaller; offsets closer than this count as equal.
inline constexpr double grain = 0x1p-10;

/// Ticks by which crosses are lowered, so that neither a tail nor its neighbours can be rounded beyond the limit.
inline constexpr double lowering = grain / 16;

/// Whole ticks by which an event is moved: floor, except that an offset just below a whole tick counts as that tick,
/// because rounding errors depend on how an event was buffered. The margin is smaller than the lowering of crosses and
/// no simple fraction of it (the golden section): events half-way or a third between a lowered cross and a whole tick
/// occur, and must not lie on the boundary.
[[nodiscard]] inline Ticks written(double offset) noexcept { return whole(offset + lowering * 0.6180339887498949); }

/// offset + ticks such that floor(result) >= floor(offset) + ticks.
[[nodiscard, gnu::always_inline]] inline double plus(double offset, Ticks ticks) noexcept {
  const double sum = offset + static_cast<double>(ticks);
  if (sum < 0x1p52 && ticks > -(Ticks{1} << 52)) [[likely]]
    return sum;
  const auto floor_wanted = static_cast<double>(add_saturating(whole(offset), ticks));
  double result = sum > floor_wanted ? sum : floor_wanted;
  if (result > 0 && result < offset_max && whole(result) < add_saturating(whole(offset), ticks))
    result = std::nextafter(result, no_limit);
  return result < offset_max ? result : offset_max;
}

/// Whether `plus_at_most` rounds only fractions of a tick.
[[nodiscard, gnu::always_inline]] inline bool is_exact(double offset, Ticks ticks) noexcept {
  return offset < 0x1p52 && ticks > -(Ticks{1} << 52) && ticks < Ticks{1} << 52;
}

/// offset + ticks such that floor(result) <= floor(offset) + ticks: an upper bound for another event.
[[nodiscard, gnu::always_inline]] inline double plus_at_most(double offset, Ticks ticks) noexcept {
  const double sum = offset + static_cast<double>(ticks);
  const Ticks most = add_saturating(whole(offset), ticks);
  if (is_exact(offset, ticks)) [[likely]] {
    const double ceiling = static_cast<double>(most) + 1;
    return sum < ceiling ? sum : std::nextafter(ceiling, 0.0);
  }
  // Exact whole ticks: two large numbers may cancel to a small one.
  const double result = static_cast<double>(most) + (offset - std::trunc(offset));
  return result < offset_max && whole(result) > most ? std::nextafter(result, 0.0) : result;
}

}  // namespace clc
