// The layout of the binary format `.clcb`, documented in clc-trace(5); shared by reader and writer.
//
// File     16 bytes of head, then blocks. All fixed-size numbers are little-endian.
// Block    32 bytes of head, payload, 8 bytes of checksum over the payload (XXH3, 64 bits).
// Payload  Entries: a record (process + 1, time difference, body) or a note (0, length, bytes).
// Body     A kind byte and the fields of the kind. The filter copies it unchanged.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/varint.hpp"

namespace clc::formats::binary {

/// As PNG's: the first byte shows a lost eighth bit, CR LF and LF show conversions of line ends, control-Z
/// ends a listing on some systems.
inline constexpr std::string_view magic{
    "\x89"
    "CLC\r\n\x1a\n",
    8};
inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t file_head_size = 16;   ///< magic, version (u32), head check (u32)
inline constexpr std::size_t block_head_size = 32;  ///< see BlockHead
inline constexpr std::size_t checksum_size = 8;

/// A writer ends a block before it grows beyond this, unless a single entry is longer.
inline constexpr std::size_t usual_payload = std::size_t{1} << 16;
/// A reader takes a block with a larger payload for damaged.
inline constexpr std::size_t largest_payload = std::size_t{1} << 21;

inline constexpr std::string_view data_block{"DATA", 4};
inline constexpr std::string_view end_block{"END.", 4};

/// Kind byte: the kind in the lowest three bits, then flags. Other bits are 0.
inline constexpr unsigned kind_mask = 7;
inline constexpr unsigned has_text = 8;        ///< further fields follow: length, bytes
inline constexpr unsigned has_recorded = 16;   ///< the recorded time follows last: 8 bytes
inline constexpr unsigned has_call = 32;       ///< collective begin and end: a call id follows
inline constexpr unsigned has_overtakes = 32;  ///< receive: how many it overtakes follows
enum Code : unsigned { other = 0, enter = 1, leave = 2, send = 3, receive = 4, begin = 5, end = 6 };

/// Most bytes of an entry apart from its text.
inline constexpr std::size_t longest_entry = 96;
/// Most bytes of a body apart from its text.
inline constexpr std::size_t longest_body = 80;

template <class Number>
[[nodiscard]] inline Number load(const char* from) noexcept {
  Number number{};
  std::memcpy(&number, from, sizeof number);
  if constexpr (std::endian::native == std::endian::big) {
    Number swapped{};
    for (std::size_t i = 0; i < sizeof number; ++i)
      swapped = static_cast<Number>((swapped << 8U) | static_cast<unsigned char>(from[sizeof number - 1 - i]));
    number = swapped;
  }
  return number;
}

template <class Number>
inline void store(char* to, Number number) noexcept {
  for (std::size_t i = 0; i < sizeof number; ++i) to[i] = static_cast<char>(number >> (8 * i));
}

/// Walks over packed fields. Reads without looking at the end: up to longest_entry bytes behind it must be
/// readable, and the caller compares the position with the end afterwards.
class Cursor {
 public:
  explicit Cursor(const char* at) noexcept : at_(at) {}

  [[nodiscard]] const char* at() const noexcept { return at_; }
  /// False after a number of more than 64 bits.
  [[nodiscard]] bool good() const noexcept { return good_; }

  [[nodiscard]] unsigned byte() noexcept { return static_cast<unsigned char>(*at_++); }
  [[nodiscard, gnu::always_inline]] std::uint64_t varint() noexcept {
    std::uint64_t number = byte();
    if (number < 0x80) [[likely]]
      return number;
    const std::uint64_t second = byte();
    number = (number & 0x7fU) | (second & 0x7fU) << 7U;
    if (second < 0x80) return number;
    for (unsigned shift = 14; shift < 64; shift += 7) {
      const std::uint64_t next = byte();
      number |= (next & 0x7fU) << shift;
      if (next < 0x80) {
        if (shift == 63 && next > 1) good_ = false;
        return number;
      }
    }
    good_ = false;
    return number;
  }
  /// The same number, sooner if its length cannot be predicted and is at most four bytes: no step is a branch.
  [[nodiscard, gnu::always_inline]] std::uint64_t uneven_varint() noexcept {
    const auto word = load<std::uint32_t>(at_);
    const std::uint32_t ends = ~word & 0x80808080U;
    if (ends == 0) [[unlikely]]
      return varint();
    const std::uint32_t own = word & (ends ^ (ends - 1));
    at_ += (std::countr_zero(ends) + 1) / 8;
    return (own & 0x7fU) | (own >> 1U & 0x3f80U) | (own >> 2U & 0x1fc000U) | (own >> 3U & 0xfe00000U);
  }
  [[nodiscard, gnu::always_inline]] std::int64_t signed_varint() noexcept { return unzigzag(varint()); }
  void skip(std::size_t count) noexcept { at_ += count; }

 private:
  const char* at_;
  bool good_ = true;
};

/// Head of a block as in the file.
struct BlockHead {
  std::string_view type;      ///< 4 bytes
  std::uint32_t payload = 0;  ///< bytes
  std::uint64_t first = 0;    ///< number of records in all blocks before
  std::int64_t time = 0;      ///< what the first time difference counts from
  std::uint32_t records = 0;  ///< records in the block
                              // and 4 bytes of check over the 28 before
};

}  // namespace clc::formats::binary
