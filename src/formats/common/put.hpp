// Writes short texts and numbers into a buffer, fast.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "trace/short_copy.hpp"

namespace clc::formats {

/// Most characters of a 64-bit number in text.
inline constexpr std::size_t longest_number = 20;

inline char* put(char* to, std::int64_t number) noexcept { return std::to_chars(to, to + longest_number, number).ptr; }
inline char* put(char* to, std::uint64_t number) noexcept { return std::to_chars(to, to + longest_number, number).ptr; }

namespace put_detail {

/// "00", "01" ... "99".
inline constexpr std::array<char, 200> pairs = [] {
  std::array<char, 200> table{};
  for (std::size_t i = 0; i < 100; ++i) {
    table[2 * i] = static_cast<char>('0' + i / 10);
    table[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return table;
}();

}  // namespace put_detail

inline char* put(char* to, std::string_view text) noexcept { return short_copy(to, text.data(), text.size()); }

/// Writes times in decimal. Successive times share their leading digits, which are kept: only the last
/// eight are converted each time.
class TimeWriter {
 public:
  /// Writes at most longest_number characters; 32 must be writable.
  char* put(char* to, std::int64_t ticks) noexcept {
    constexpr std::uint64_t low_range = 100'000'000;
    const std::uint64_t size = ticks < 0 ? 0 - static_cast<std::uint64_t>(ticks) : static_cast<std::uint64_t>(ticks);
    const std::uint64_t high = size / low_range;
    if (high == 0 || ticks < 0) [[unlikely]]
      return formats::put(to, ticks);
    if (high != high_) [[unlikely]] {
      high_ = high;
      length_ = static_cast<std::size_t>(formats::put(head_.data(), high) - head_.data());
    }
    std::memcpy(to, head_.data(), 16);
    return put_eight(to + length_, static_cast<std::uint32_t>(size % low_range));
  }

 private:
  static char* put_eight(char* to, std::uint32_t number) noexcept {
    const std::uint32_t upper = number / 10'000;
    const std::uint32_t lower = number % 10'000;
    put_two(to, upper / 100);
    put_two(to + 2, upper % 100);
    put_two(to + 4, lower / 100);
    put_two(to + 6, lower % 100);
    return to + 8;
  }
  static void put_two(char* to, std::uint32_t number) noexcept {
    std::memcpy(to, &put_detail::pairs[static_cast<std::size_t>(number) * 2], 2);
  }
  std::uint64_t high_ = 0;  ///< the time without its last eight digits
  std::size_t length_ = 0;
  std::array<char, 32> head_{};  ///< high_ in decimal
};

}  // namespace clc::formats
