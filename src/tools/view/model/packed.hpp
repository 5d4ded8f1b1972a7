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
  /// 0 or more; beyond 2^62 less.
  void add_size(std::uint64_t value) {
    add(static_cast<Ticks>(value < std::uint64_t{1} << 62U ? value : std::uint64_t{1} << 62U));
  }
  [[nodiscard]] std::size_t size() const noexcept { return tokens_.size(); }
  /// Appends the column.
  void pack(std::string& bytes) const;

 private:
  std::vector<std::uint8_t> tokens_;
  std::vector<std::uint8_t> raw_;
  unsigned used_ = 8;  ///< bits of the last raw byte
};

[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace clc::view
