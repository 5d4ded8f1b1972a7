// Parses one record of the text format, by hand: fields between blanks.
//
// Assumes  The line ends with '\n', and at least 8 more bytes after it may be read.
// Cost     One pass over the line, no allocation.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

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

/// Reads what follows TIME up to the last known field. On failure `at` is at the field that is wrong.
/// event: as made new, apart from its time.
[[nodiscard]] inline Field read_fields(const char*& at, Event& event, Details& details,
                                       const DefinitionLines& definitions) noexcept {
  namespace d = line_detail;
  std::uint64_t number = 0;
  const char* begin = nullptr;

  d::skip_blanks(at);
  begin = at;
  if (!d::read_unsigned(at, number)) return at = begin, Field::process;
  event.process = definitions.process(number);
  if (event.process == no_process) [[unlikely]]
    return at = begin, Field::unknown_process;

  d::skip_blanks(at);
  const char kind = *at;
  details.kind = Kind::other;
  if (kind == '\n') return Field::kind;
  details.text = at;
  if (!d::ends_field(at[1])) return Field::none;  // a longer word: internal
  ++at;
  switch (kind) {
    case 'E':
    case 'L':
      details.kind = kind == 'E' ? Kind::enter : Kind::leave;
      break;
    case 'S':
    case 'R': {
      details.kind = kind == 'S' ? Kind::send : Kind::receive;
      event.role = kind == 'S' ? Role::send : Role::receive;
      d::skip_blanks(at);
      begin = at;
      if (*at == '-' && d::ends_field(at[1])) [[unlikely]] {
        ++at;  // not named
      } else {
        if (!d::read_unsigned(at, number)) return at = begin, kind == 'S' ? Field::receiver : Field::sender;
        event.peer = definitions.process(number);
        if (event.peer == no_process) [[unlikely]]
          return at = begin, Field::unknown_peer;
      }
      d::skip_blanks(at);
      begin = at;
      if (!d::read_unsigned(at, number)) return at = begin, Field::communicator;
      event.communicator = definitions.communicator(number);
      if (event.communicator == no_communicator) [[unlikely]]
        return at = begin, Field::unknown_communicator;
      d::skip_blanks(at);
      begin = at;
      if (!d::read_signed<false>(at, event.tag)) return at = begin, Field::tag;
      d::skip_blanks(at);
      begin = at;
      if (!d::read_unsigned(at, event.bytes)) return at = begin, Field::bytes;
      if (*at != '\n' && kind == 'R') {
        const char* more = at;
        d::skip_blanks(more);
        if (std::memcmp(more, "overtakes=", 10) == 0) {
          begin = more;
          more += 10;
          if (!d::read_unsigned(more, number) || number > most_overtaken) return at = begin, Field::overtakes;
          event.overtakes = static_cast<std::uint16_t>(number);
          if (number != 0) at = more;  // what says nothing is text like any other, so that it is kept
        }
      }
      break;
    }
    case 'B':
    case 'X': {
      if (kind == 'X') {
        d::skip_blanks(at);
        begin = at;
        while (!d::ends_field(*at)) ++at;
        if (at == begin) return Field::operation;
        if (!find_operation(begin, at, event.operation)) return Field::none;  // unknown: internal
        d::skip_blanks(at);
        begin = at;
        if (!d::read_unsigned(at, number)) return at = begin, Field::communicator;
        event.communicator = definitions.communicator(number);
        if (event.communicator == no_communicator) [[unlikely]]
          return at = begin, Field::unknown_communicator;
        d::skip_blanks(at);
        begin = at;
        if (*at == '-' && d::ends_field(at[1])) {
          ++at;
        } else {
          if (!d::read_unsigned(at, number) || number >= no_rank) return at = begin, Field::root;
          event.root = static_cast<Rank>(number);
        }
        d::skip_blanks(at);
        begin = at;
        if (!d::read_unsigned(at, event.bytes)) return at = begin, Field::sent;
        d::skip_blanks(at);
        begin = at;
        if (!d::read_unsigned(at, event.received)) return at = begin, Field::received;
      }
      details.kind = kind == 'B' ? Kind::collective_begin : Kind::collective_end;
      event.role = kind == 'B' ? Role::collective_begin : Role::collective_end;
      if (*at != '\n') {
        const char* call = at;
        d::skip_blanks(call);
        if (std::memcmp(call, "call=", 5) == 0) {
          begin = call;
          call += 5;
          if (!d::read_signed<false>(call, event.tag)) return at = begin, Field::call;
          if (event.tag != 0) at = call;
        }
      }
      break;
    }
    default:
      return Field::none;
  }
  details.text = at;
  return Field::none;
}

}  // namespace clc::formats
