// Numbers of variable length.
//
// Place    The binary format, and packed data in memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace clc::formats {

inline constexpr std::size_t longest_varint = 10;

/// Seven bits per byte, lowest first, the eighth bit set in all but the last byte (LEB128).
inline char* put_varint(char* to, std::uint64_t number) noexcept {
  while (number >= 0x80) {
    *to++ = static_cast<char>(number | 0x80U);
    number >>= 7U;
  }
  *to++ = static_cast<char>(number);
  return to;
}

/// Of a number that is complete.
[[nodiscard]] inline std::uint64_t take_varint(const char*& from) noexcept {
  std::uint64_t number = static_cast<std::uint8_t>(*from++);
  if (number < 0x80) [[likely]]
    return number;
  number &= 0x7fU;
  for (unsigned shift = 7; shift < 64; shift += 7) {
    const std::uint64_t byte = static_cast<std::uint8_t>(*from++);
    number |= (byte & 0x7fU) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

/// The same without a bit for the end of a number: its length is written elsewhere. Touches 8 bytes.
[[nodiscard]] inline unsigned bytes_of(std::uint64_t number) noexcept {
  return (static_cast<unsigned>(std::bit_width(number | 1U)) + 7) / 8;
}
inline char* put_number(char* to, std::uint64_t number, unsigned bytes) noexcept {
  if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap64(number);
  std::memcpy(to, &number, sizeof number);
  return to + bytes;
}
[[nodiscard]] inline std::uint64_t take_number(const char*& from, unsigned bytes) noexcept {
  std::uint64_t number = 0;
  std::memcpy(&number, from, sizeof number);
  if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap64(number);
  from += bytes;
  return number & ~std::uint64_t{0} >> (64 - 8 * bytes);
}

/// 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t number) noexcept {
  return (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t number) noexcept {
  return static_cast<std::int64_t>((number >> 1U) ^ (0 - (number & 1U)));
}

}  // namespace clc::formats
