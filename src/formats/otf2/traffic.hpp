// To whom a location sends messages, from a part of its events.
//
// Purpose  What locations of an archive send each other is known before their events are read, so that they can be
//          divided among processes.
// Place    Used by `part`.
// Method   At most `sampled_events` events from the middle chunk of its event file, as far as they can be read without
//          libotf2 (`is_plain`). Counts are extrapolated to all events that the archive says that the location has.
// Errors   None: nothing is known of the rest, which is read later.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "otf2/archive.hpp"

namespace clc::otf2 {

inline constexpr std::size_t sampled_events = 4096;

/// Receivers and about how many messages they are sent.
[[nodiscard]] std::vector<std::pair<ProcessIndex, std::uint64_t>> sampled_traffic(const Archive& archive,
                                                                                  ProcessIndex index);

}  // namespace clc::otf2
