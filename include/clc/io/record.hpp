// A record as a person sees it: what conversion between formats works on.
//
// Place    A source decodes the body it made into a `Record`; a sink of another format writes it.
//          Within one format bodies are copied and no `Record` is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "clc/event.hpp"

namespace clc {

enum class Kind : std::uint8_t { enter, leave, send, receive, collective_begin, collective_end, other };

struct Record {
  Kind kind = Kind::other;
  /// Peer, communicator, tag, bytes and so on; time and process are not part of a body.
  Event event;
  /// enter, leave: the name. send, receive, collective: further fields, verbatim, without leading blank.
  /// other: the kind word and all that follows it ("I anything else").
  std::string_view text;
  /// The time that was recorded, kept beside a corrected one.
  std::optional<Time> recorded;
};

}  // namespace clc
