// Points of maps, rounded as a file has them: a map that is read from a file is the same map.
#pragma once

#include <algorithm>
#include <cmath>

#include "trace/offsets.hpp"

namespace clc::sync {

/// Of impossible times, too.
[[nodiscard]] inline Ticks ticks_of(double value) noexcept {
  constexpr double most = 9.2e18;
  return static_cast<Ticks>(std::clamp(value, -most, most));
}

/// A point at this time, its offset plus `more`, which is in ticks and rounded to thousandths.
[[nodiscard]] inline OffsetPoint rounded_point(Time time, Ticks offset, double more) noexcept {
  const double whole = std::floor(more);
  const double thousandths = std::floor((more - whole) * 1000 + 0.5);
  const double carry = thousandths == 1000 ? 1 : 0;
  return {time, add_saturating(offset, ticks_of(whole + carry)), carry == 1 ? 0 : thousandths / 1000,
          OffsetPoint::unknown};
}

}  // namespace clc::sync
