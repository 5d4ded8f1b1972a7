// Compresses columns of integers to text for unpack.js, by entropy coding of their sizes.
//
// Column   The count of numbers; a table of token frequencies, which sum to 4096; the tokens, by a range coder (rANS,
//          32 bits of state, bytes); the raw bits, lowest first.
// Token    A number n is mapped to v = 2n, or -2n - 1 if it is negative. A v below 16 is its own token. A larger v with
//          b bits has the token 16 + 4 (b - 5) + the two bits after the highest; its other b - 3 bits follow raw.
// Text     Base 64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clc/time.hpp"

namespace clc::view {

class Packed {
 public:
  void add(Ticks value);
  /// From 2^63 on, 2^63 - 1 instead.
  void add_size(std::uint64_t value) {
    constexpr auto most = static_cast<std::uint64_t>(ticks_max);
    add(static_cast<Ticks>(value < most ? value : most));
  }
  [[nodiscard]] std::size_t size() const noexcept { return tokens_.size(); }
  /// Appends the column.
  void pack(std::string& bytes) const;

 private:
  std::vector<std::uint8_t> tokens_;
  std::vector<std::uint8_t> raw_;
  unsigned used_ = 8;  ///< bits of the last raw byte
};

/// Numbers of 64 bits that the script shows to the last digit, where a column of its own is rounded from 2^53 on:
/// 2^32 high + low, with low from -2^31 to 2^31 - 1.
class PackedExact {
 public:
  void add(std::int64_t value) { add(value >> 32, static_cast<std::uint32_t>(value)); }
  void add_size(std::uint64_t value) { add(static_cast<Ticks>(value >> 32U), static_cast<std::uint32_t>(value)); }
  [[nodiscard]] const Packed* high() const noexcept { return &high_; }
  [[nodiscard]] const Packed* low() const noexcept { return &low_; }

 private:
  void add(Ticks high, std::uint32_t low);
  Packed high_;
  Packed low_;
};

[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace clc::view
