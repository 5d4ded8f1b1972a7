// Parses one record of the text format, by hand: fields between blanks.
//
// Assumes  The line ends with '\n', and at least 8 more bytes after it may be read.
// Cost     One pass over the line, no allocation.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "clc/event.hpp"
#include "clc/io/record.hpp"
#include "common/definition_lines.hpp"
#include "common/words.hpp"

namespace clc::formats {

/// What a field of a record is; also says which field a line failed at.
enum class Field : std::uint8_t {
  time,
  process,
  unknown_process,  ///< a number without definition
  kind,
  receiver,
  sender,
  unknown_peer,
  communicator,
  unknown_communicator,
  tag,
  bytes,
  operation,
  root,
  sent,
  received,
  call,
  overtakes,
  none,  ///< all is well
};

/// What a record holds beside its Event, for conversion.
struct Details {
  Kind kind = Kind::other;
  const char* text = nullptr;  ///< first byte behind the known fields
};

namespace line_detail {

[[nodiscard]] inline bool ends_field(char c) noexcept { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

inline void skip_blanks(const char*& at) noexcept {
  if (*at == ' ') [[likely]]
    ++at;
  if (static_cast<unsigned char>(*at) > ' ') [[likely]]
    return;
  while (is_blank(*at)) ++at;
}

/// Eight decimal digits at once, as bytes of a little-endian word [the usual SWAR steps: pairs, fours, eight].
[[nodiscard]] inline bool all_digits(std::uint64_t word) noexcept {
  return ((word & 0xf0f0'f0f0'f0f0'f0f0U) | (((word + 0x0606'0606'0606'0606U) & 0xf0f0'f0f0'f0f0'f0f0U) >> 4U)) ==
         0x3333'3333'3333'3333U;
}
[[nodiscard]] inline std::uint64_t value_of_digits(std::uint64_t word) noexcept {
  word = ((word & 0x0f0f'0f0f'0f0f'0f0fU) * 2561) >> 8U;
  word = ((word & 0x00ff'00ff'00ff'00ffU) * 6'553'601) >> 16U;
  return ((word & 0x0000'ffff'0000'ffffU) * 42'949'672'960'001U) >> 32U;
}

/// Reads digits; false when there are none or the value does not fit. `at` then is anywhere in the field.
template <bool long_numbers>
[[nodiscard]] inline bool read_digits(const char*& at, std::uint64_t& value) noexcept {
  const char* const begin = at;
  std::uint64_t sum = 0;
  if constexpr (long_numbers && std::endian::native == std::endian::little) {
    std::uint64_t word = 0;
    for (int i = 0; i < 2; ++i) {
      std::memcpy(&word, at, sizeof word);
      if (!all_digits(word)) break;
      sum = sum * 100'000'000 + value_of_digits(word);
      at += 8;
    }
  }
  for (;; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    if (at - begin >= 19) [[unlikely]] {
      if (__builtin_mul_overflow(sum, std::uint64_t{10}, &sum) || __builtin_add_overflow(sum, digit, &sum))
        return false;
      continue;
    }
    sum = sum * 10 + digit;
  }
  value = sum;
  return at != begin && ends_field(*at);
}

[[nodiscard]] inline bool read_unsigned(const char*& at, std::uint64_t& value) noexcept {
  return read_digits<false>(at, value);
}

template <bool long_numbers>
[[nodiscard]] inline bool read_signed(const char*& at, std::int64_t& value) noexcept {
  const bool negative = *at == '-';
  at += negative ? 1 : 0;
  std::uint64_t size = 0;
  if (!read_digits<long_numbers>(at, size)) return false;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (size > largest + (negative ? 1 : 0)) return false;
  value = static_cast<std::int64_t>(negative ? 0 - size : size);
  return true;
}

}  // namespace line_detail

/// Operation by name; false for an unknown one.
[[nodiscard]] bool find_operation(const char* begin, const char* end, Operation& operation) noexcept;

/// Reads TIME; `at` then is right behind it, or at the field that is wrong.
[[nodiscard]] inline Field read_time(const char*& at, Event& event) noexcept {
  const char* const begin = at;
  std::int64_t ticks = 0;
  if (!line_detail::read_signed<true>(at, ticks)) {
    at = begin;
    return Field::time;
  }
  event.time = Time(ticks);
  return Field::none;
}

namespace line_detail {

/// Skips blanks and reads a number. On failure `at` is at its field, as for all functions below.
[[nodiscard]] inline bool next_unsigned(const char*& at, std::uint64_t& value) noexcept {
  skip_blanks(at);
  const char* const begin = at;
  if (read_unsigned(at, value)) return true;
  at = begin;
  return false;
}
[[nodiscard]] inline bool next_signed(const char*& at, std::int64_t& value) noexcept {
  skip_blanks(at);
  const char* const begin = at;
  if (read_signed<false>(at, value)) return true;
  at = begin;
  return false;
}

/// A process; not_number, unknown: what is wrong.
[[nodiscard]] inline Field next_process(const char*& at, ProcessIndex& process, const DefinitionLines& definitions,
                                        Field not_number, Field unknown) noexcept {
  skip_blanks(at);
  const char* const begin = at;
  std::uint64_t number = 0;
  if (!read_unsigned(at, number)) return at = begin, not_number;
  process = definitions.process(number);
  if (process == no_process) [[unlikely]]
    return at = begin, unknown;
  return Field::none;
}

[[nodiscard]] inline Field next_communicator(const char*& at, Event& event,
                                             const DefinitionLines& definitions) noexcept {
  skip_blanks(at);
  const char* const begin = at;
  std::uint64_t number = 0;
  if (!read_unsigned(at, number)) return at = begin, Field::communicator;
  event.communicator = definitions.communicator(number);
  if (event.communicator == no_communicator) [[unlikely]]
    return at = begin, Field::unknown_communicator;
  return Field::none;
}

/// An additional field that begins with `name`; at: behind it, else where it was. False: it is wrong. What says nothing
/// (0) is text like any other, so that it is kept.
template <class Read>
[[nodiscard]] inline bool take_further(const char*& at, std::string_view name, Read read) noexcept {
  if (*at == '\n') return true;
  const char* more = at;
  skip_blanks(more);
  if (std::memcmp(more, name.data(), name.size()) != 0) return true;
  const char* const begin = more;
  more += name.size();
  bool says = false;
  if (!read(more, says)) return at = begin, false;
  if (says) at = more;
  return true;
}

/// Of a send or receive, behind its kind.
[[nodiscard]] inline Field read_message(const char*& at, Event& event, const DefinitionLines& definitions) noexcept {
  skip_blanks(at);
  if (*at == '-' && ends_field(at[1])) [[unlikely]] {
    ++at;  // not named
  } else {
    const Field partner = event.role == Role::send ? Field::receiver : Field::sender;
    const Field wrong = next_process(at, event.peer, definitions, partner, Field::unknown_peer);
    if (wrong != Field::none) return wrong;
  }
  if (const Field wrong = next_communicator(at, event, definitions); wrong != Field::none) return wrong;
  if (!next_signed(at, event.tag)) return Field::tag;
  if (!next_unsigned(at, event.bytes)) return Field::bytes;
  if (event.role == Role::send) return Field::none;
  const auto overtakes = [&](const char*& more, bool& says) {
    std::uint64_t number = 0;
    if (!read_unsigned(more, number) || number > most_overtaken) return false;
    event.overtakes = static_cast<std::uint16_t>(number);
    says = number != 0;
    return true;
  };
  return take_further(at, "overtakes=", overtakes) ? Field::none : Field::overtakes;
}

/// Of the end of a collective operation, behind its name.
[[nodiscard]] inline Field read_end(const char*& at, Event& event, const DefinitionLines& definitions) noexcept {
  if (const Field wrong = next_communicator(at, event, definitions); wrong != Field::none) return wrong;
  skip_blanks(at);
  if (*at == '-' && ends_field(at[1])) {
    ++at;
  } else {
    const char* const begin = at;
    std::uint64_t number = 0;
    if (!read_unsigned(at, number) || number >= no_rank) return at = begin, Field::root;
    event.root = static_cast<Rank>(number);
  }
  if (!next_unsigned(at, event.bytes)) return Field::sent;
  return next_unsigned(at, event.received) ? Field::none : Field::received;
}

[[nodiscard]] inline Field read_call(const char*& at, Event& event) noexcept {
  const auto call = [&](const char*& more, bool& says) {
    if (!read_signed<false>(more, event.tag)) return false;
    says = event.tag != 0;
    return true;
  };
  return take_further(at, "call=", call) ? Field::none : Field::call;
}

/// Reads the fields of a record of a known kind, behind the kind. Sets details.kind, except for an unknown operation.
[[nodiscard]] inline Field read_known(char kind, const char*& at, Event& event, Details& details,
                                      const DefinitionLines& definitions) noexcept {
  switch (kind) {
    case 'E':
    case 'L':
      details.kind = kind == 'E' ? Kind::enter : Kind::leave;
      return Field::none;
    case 'S':
    case 'R':
      details.kind = kind == 'S' ? Kind::send : Kind::receive;
      event.role = kind == 'S' ? Role::send : Role::receive;
      return read_message(at, event, definitions);
    case 'X': {
      skip_blanks(at);
      const char* const name = at;
      while (!ends_field(*at)) ++at;
      if (at == name) return Field::operation;
      if (!find_operation(name, at, event.operation)) return Field::none;  // internal
      if (const Field wrong = read_end(at, event, definitions); wrong != Field::none) return wrong;
      details.kind = Kind::collective_end;
      event.role = Role::collective_end;
      return read_call(at, event);
    }
    case 'B':
      details.kind = Kind::collective_begin;
      event.role = Role::collective_begin;
      return read_call(at, event);
    default:
      return Field::none;
  }
}

}  // namespace line_detail

/// Reads what follows TIME up to the last known field. On failure `at` is at the field that is wrong.
/// event: as made new, apart from its time.
[[nodiscard]] inline Field read_fields(const char*& at, Event& event, Details& details,
                                       const DefinitionLines& definitions) noexcept {
  namespace d = line_detail;
  const Field wrong = d::next_process(at, event.process, definitions, Field::process, Field::unknown_process);
  if (wrong != Field::none) return wrong;
  d::skip_blanks(at);
  const char kind = *at;
  details.kind = Kind::other;
  if (kind == '\n') return Field::kind;
  details.text = at;
  if (!d::ends_field(at[1])) return Field::none;  // a longer word: internal
  ++at;
  const Field known = d::read_known(kind, at, event, details, definitions);
  if (known == Field::none && details.kind != Kind::other) details.text = at;
  return known;
}

}  // namespace clc::formats
