// Decoded records, independent of their format; used to convert between formats, and to make new records.
//
// Place    The decoder of a source turns its payloads into `Record`s; a sink of another format writes
//          them. If the format stays the same, payloads are copied without decoding.
//
// A source of a format of its own, or a program that generates traces, encodes the payloads of its records:
//
//     std::string storage;
//     const Body body = encode_body(Record{Kind::enter, {}, "main", {}}, storage);
//
// Its sinks are opened with body_format = Format::binary and decoder = &body_decoder(). Their output contains only
// those definitions that they get as notes, in lines of the text format (see clc-trace(5)), whatever the Definitions
// contain:
//
//     sink->note("%resolution 1000000");             unless it is 10^9 ticks/s; first of all
//     sink->note("%process 0 rank0");                before the first record of a process, in order of the indexes
//     sink->note("%group 3 0 1");                    before the first record of communicator 3, whose members follow
//
// A message or collective operation needs a communicator that was defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

/// Turns payloads of one format into records. Stays usable when the source has been read to its end, and
/// accepts every payload that the source delivered.
class BodyDecoder {
 public:
  virtual ~BodyDecoder() = default;
  [[nodiscard]] virtual Record decode(Body body) const = 0;
};

/// Appends the payload of a record, in the encoding of the binary format, to storage. Returns a view of
/// the appended bytes, valid until storage changes. Throws UsageError if a message or the end of a collective operation
/// has no communicator.
Body encode_body(const Record& record, std::string& storage);

/// Writes a payload of the binary format, with the peer and the communicator of the event in place of its own, and
/// returns the end. body: of a send, a receive or a collective end, as encode_body makes them. to: room for the body
/// and longest_renumbering more bytes.
[[nodiscard]] char* renumber_body(Body body, const Event& event, char* to) noexcept;
inline constexpr std::size_t longest_renumbering = 22;

/// Decodes the payloads that encode_body makes.
[[nodiscard]] const BodyDecoder& body_decoder() noexcept;

}  // namespace clc
