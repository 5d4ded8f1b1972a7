// Numbers of variable length.
//
// Place    The binary format, and packed data in memory.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t number) noexcept {
  return (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t number) noexcept {
  return static_cast<std::int64_t>((number >> 1U) ^ (0 - (number & 1U)));
}

}  // namespace clc::formats
