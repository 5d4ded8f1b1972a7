// What binds a head: the tail that is latest on a logical clock.
//
// Place    Between messages and collective operations, which find it, and the controller.
// Units    Ticks; offsets D = LC' - C and E = LC - C have a fraction.
#pragma once

#include <compare>

#include "clc/time.hpp"
#include "clock/offset.hpp"

namespace clc {

/// A time of a logical clock as whole ticks and fraction, for exact comparison between processes.
struct Moment {
  Ticks ticks = 0;
  double fraction = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};
[[nodiscard]] inline Moment moment(Time recorded, double offset) noexcept {
  const Ticks ticks = whole(offset);
  return {(recorded + ticks).ticks(), offset - static_cast<double>(ticks)};
}

/// The latest tail that a head must not precede, for LC' and for LC.
struct Bound {
  bool any = false;
  Ticks ticks = 0;           ///< C(s) - C(e) + mu of the tail that is latest on LC'
  double offset = 0;         ///< its D(s)
  Ticks simple_ticks = 0;    ///< the same for the simple clock LC
  double simple_offset = 0;  ///< its E(s)
};

}  // namespace clc
