// Payloads of the binary format: the kind byte and the fields of a record.
#pragma once

#include "binary/layout.hpp"
#include "clc/io/record.hpp"
#include "trace/short_copy.hpp"

namespace clc::formats::binary {

/// What a field must stay below.
struct Limits {
  std::uint64_t processes = no_process;
  std::uint64_t communicators = no_communicator;
};

enum class Problem : std::uint8_t { none, kind, process, communicator, operation, root };

/// Reads the role and fields of a send or receive.
[[gnu::always_inline]] inline void read_message(Cursor& cursor, const Limits& limits, Event& event, unsigned kind,
                                                Problem& problem) noexcept {
  event.role = (kind & kind_mask) == send ? Role::send : Role::receive;
  std::uint64_t number = cursor.varint();
  if (number >= limits.processes && number != no_process) [[unlikely]]
    problem = Problem::process;
  event.peer = static_cast<ProcessIndex>(number);
  number = cursor.varint();
  if (number >= limits.communicators) [[unlikely]]
    problem = Problem::communicator;
  event.communicator = static_cast<CommunicatorIndex>(number);
  event.tag = cursor.signed_varint();
  event.bytes = cursor.varint();
  if ((kind & has_overtakes) != 0) [[unlikely]] {
    number = cursor.varint();
    if (number > most_overtaken || event.role == Role::send) problem = Problem::kind;
    event.overtakes = static_cast<std::uint16_t>(number);
  }
}

/// Reads the fields of the end of a collective operation.
[[gnu::always_inline]] inline void read_end(Cursor& cursor, const Limits& limits, Event& event,
                                            Problem& problem) noexcept {
  std::uint64_t number = cursor.byte();
  if (number >= operations.size()) [[unlikely]] {
    problem = Problem::operation;
    number = 0;
  }
  event.operation = static_cast<Operation>(number);
  number = cursor.varint();
  if (number >= limits.communicators) [[unlikely]]
    problem = Problem::communicator;
  event.communicator = static_cast<CommunicatorIndex>(number);
  number = cursor.varint();
  if (number > no_rank) [[unlikely]]
    problem = Problem::root;
  event.root = static_cast<Rank>(number - 1);  // 0: none
  event.bytes = cursor.varint();
  event.received = cursor.varint();
}

/// Reads the kind byte and the fields before the text into an event as made new. Returns the kind byte.
[[gnu::always_inline]] inline unsigned read_fields(Cursor& cursor, const Limits& limits, Event& event,
                                                   std::uint64_t& text_size, Problem& problem) noexcept {
  const unsigned kind = cursor.byte();
  text_size = 0;
  if (kind <= leave) {  // most records: first, and without flags
    text_size = cursor.varint();
    return kind;
  }
  if ((kind & ~(kind_mask | has_text | has_recorded | has_call)) != 0) [[unlikely]]
    problem = Problem::kind;
  switch (kind & kind_mask) {
    case other:
    case enter:
    case leave:
      text_size = cursor.varint();
      return kind;
    case send:
    case receive:
      read_message(cursor, limits, event, kind, problem);
      break;
    case end:
      event.role = Role::collective_end;
      read_end(cursor, limits, event, problem);
      if ((kind & has_call) != 0) event.tag = cursor.signed_varint();
      break;
    case begin:
      event.role = Role::collective_begin;
      if ((kind & has_call) != 0) event.tag = cursor.signed_varint();
      break;
    default:
      problem = Problem::kind;
  }
  if ((kind & has_text) != 0) text_size = cursor.varint();
  return kind;
}

/// Writes an index of a process or communicator, which is short.
[[gnu::always_inline]] inline char* put_index(char* to, std::uint32_t index) noexcept {
  if (index >= 0x4000) [[unlikely]]
    return put_varint(to, index);
  // Whether it takes one byte or two cannot be predicted, so no branch; the second one may be too much.
  const unsigned two = index >= 0x80 ? 1 : 0;
  to[0] = static_cast<char>(index | two << 7U);
  to[1] = static_cast<char>(index >> 7U);
  return to + 1 + two;
}

/// As renumber_body of clc/io/record.hpp.
[[gnu::always_inline]] inline char* renumber(Body body, const Event& event, char* to) noexcept {
  static_assert(longest_renumbering >= 2 + 2 * longest_varint);
  const char* from = body.data();
  const char* const end = from + body.size();
  const auto skip_varint = [&from] {
    while ((static_cast<unsigned char>(*from++) & 0x80U) != 0) {
    }
  };
  *to++ = *from++;
  if (event.role == Role::collective_end) {
    *to++ = *from++;
  } else {
    to = put_index(to, event.peer);
    skip_varint();
  }
  to = put_index(to, event.communicator);
  skip_varint();
  const auto size = static_cast<std::size_t>(end - from);
  if (size - 1 >= 3) [[unlikely]]
    return short_copy(to, from, size);
  // The tag and the length of most messages.
  const char middle = from[size / 2];
  const char last = from[size - 1];
  to[0] = from[0];
  to[size / 2] = middle;
  to[size - 1] = last;
  return to + size;
}

}  // namespace clc::formats::binary
