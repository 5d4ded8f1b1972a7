// Copies the snapshots of a location with new times. These are asked for before its events are corrected, so that
// snapshots are read twice.
#pragma once

#include "otf2/copying.hpp"
#include "otf2/times.hpp"

namespace clc::otf2 {

/// asking: nothing is written, the times are asked for. whole: all of them could be read before. False: not all of them
/// can be read. Throws OutputError, and InputError without SourceOptions::keep_going.
[[nodiscard]] bool copy_snapshots(const Copying& copying, const Archive::Location& location, LocationTimes& times,
                                  bool asking, bool whole);

}  // namespace clc::otf2
