// The event file of a location with other times, without taking its events apart: the bytes are copied, those of
// times replaced. Three times as fast as reading and writing every event through libotf2.
//
// Layout   An event file of OTF2 (trace format 2) is a sequence of chunks of one size, the last may be shorter. A
//          chunk has a head: 3, byte order, numbers of its first and last event, 8 bytes each. Then records: a byte
//          for the kind, a byte with the number of bytes that follow (255: eight bytes more with the number). But 5 is
//          a time, 8 bytes, which holds for all events up to the next; 0, 1 and 2 end the chunk; Enter and Leave
//          have only a packed number: how many bytes, and these. 6 are the attributes of the event behind it.
// Trust    What is not laid out so, or does not have as many events as the head of the chunk says, is left to
//          libotf2, and so are events that had one time and get several.
// Memory   A chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "otf2/times.hpp"

namespace clc::otf2 {

/// Copies the file `from` to `to`, which may exist. False: it has to be done with libotf2; `times` is used up then,
/// and `to` of no use. name: of the output in messages. Throws OutputError.
[[nodiscard]] bool retime(const std::string& from, const std::string& to, const std::string& name,
                          std::uint64_t chunk_size, LocationTimes& times);

/// How many events stand ahead of the place where a file was cut off, when its last chunk ends without the mark of its
/// end; libotf2 may read the chunk before it again and again there. nullopt: it is whole, or not laid out as above.
[[nodiscard]] std::optional<std::uint64_t> events_before_cut(const std::string& file, std::uint64_t chunk_size);

/// True when a file of definitions with several chunks was cut off: libotf2 does not notice that either.
[[nodiscard]] bool definitions_cut(const std::string& file, std::uint64_t chunk_size);

/// Adds the numbers of the kinds of events in a file that are behind the first `known`; libotf2 does not tell them.
/// As far as the file is laid out as above.
void collect_kinds(const std::string& file, std::uint64_t chunk_size, unsigned known, std::set<unsigned>& kinds);

/// The same for definitions, of one location or the global ones; known: from String on.
void collect_definition_kinds(const std::string& file, std::uint64_t chunk_size, unsigned known,
                              std::set<unsigned>& kinds);

}  // namespace clc::otf2
