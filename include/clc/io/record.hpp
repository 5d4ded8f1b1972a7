// A decoded record, independent of its format; used to convert between formats.
//
// Place    The decoder of a source turns its payloads into `Record`s; a sink of another format writes
//          them. If the format stays the same, payloads are copied without decoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "clc/event.hpp"

namespace clc {

enum class Kind : std::uint8_t { enter, leave, send, receive, collective_begin, collective_end, other };

struct Record {
  Kind kind = Kind::other;
  /// Peer, communicator, tag, bytes and so on. Time and process are not part of a payload.
  Event event;
  /// enter, leave: the name. send, receive, collective: further fields, verbatim, without leading blank.
  /// other: the kind word and the rest of the line ("I anything else").
  std::string_view text;
  /// The recorded time that is kept beside a corrected one.
  std::optional<Time> recorded;
};

}  // namespace clc
