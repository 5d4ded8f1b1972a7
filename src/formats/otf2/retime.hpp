// Copies the event file of a location with new times, without decoding its events: all bytes but the times are copied.
// Three times as fast as reading and writing every event with libotf2.
//
// Trust    Left to libotf2: files with another layout than in chunks.hpp, chunks whose number of events differs from
//          their head, and events that shared a time record but get different times.
// Memory   A chunk.
#pragma once

#include <cstdint>
#include <string>

#include "otf2/times.hpp"

namespace clc::otf2 {

/// Copies the file `from` to `to`, which may exist. False: it has to be done with libotf2; `times` is used up then,
/// and `to` of no use. name: of the output in messages. Throws OutputError.
[[nodiscard]] bool retime(const std::string& from, const std::string& to, const std::string& name,
                          std::uint64_t chunk_size, LocationTimes& times);

}  // namespace clc::otf2
