// Payloads of the binary format: the kind byte and the fields of a record.
#pragma once

#include "binary/layout.hpp"
#include "clc/io/record.hpp"

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

}  // namespace clc::formats::binary
