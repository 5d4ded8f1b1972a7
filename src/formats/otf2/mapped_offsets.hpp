// The map of a location's clock as clock offsets of an archive.
//
// Rounding  A clock offset is a whole number of ticks, and so is the time that a reader interpolates. From `first` to
//           `last` it is at most 1 tick from the mapped time; at most 2 where there are clock offsets to be applied
//           before the map. Beyond, the line through the nearest two continues.
// Cost      O(points * log(time)).
#pragma once

#include <cstdint>

#include "otf2/clock_offsets.hpp"
#include "trace/offsets.hpp"

namespace clc::otf2 {

/// Clock offsets that stand for `own`, then `line`, for times in the file from first to last. At least two, because
/// libotf2 ignores a single one.
[[nodiscard]] ClockOffsets mapped_offsets(const ClockOffsets& own, const OffsetLine& line, std::int64_t first,
                                          std::int64_t last);

}  // namespace clc::otf2
