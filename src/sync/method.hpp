// The methods of estimation, by name, and why one of them finds no solution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sync/collector.hpp"

namespace clc::sync {

enum class Method : std::uint8_t { smooth, line, duda, jezequel, hofmann, hofmann_hilgers, variable, measured };

[[nodiscard]] constexpr bool is_published(Method method) noexcept {
  return method >= Method::duda && method <= Method::variable;
}

/// What of a burst of round trips counts.
enum class BurstRule : std::uint8_t {
  shortest,  ///< the sample with the shortest round trip
  near,      ///< the mean of those up to 150 ns longer [R 7.4]
  mean,      ///< the mean of those up to twice as long [T 2.2]
};

/// Why a method has no solution, and the two clocks where this was found.
struct NoSolution {
  enum class Cause : std::uint8_t {
    no_line,       ///< no straight line lies between the messages of both directions
    contradicts,   ///< messages contradict each other in an interval, directly or through other clocks
    one_way,       ///< too few messages in one of the directions, directly or through other clocks
    too_many,      ///< more clocks than the method can compare with each other
    not_measured,  ///< no measured offsets in the trace
    circle,        ///< the references of measured clocks form a circle
  };
  Cause cause = Cause::no_line;
  ClockIndex first = 0;
  ClockIndex second = 0;
  std::size_t intervals = 0;  ///< into which the trace was divided; 0: it was not
};

}  // namespace clc::sync
