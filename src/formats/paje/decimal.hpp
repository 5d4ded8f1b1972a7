// Times as decimal numbers: read and written exactly, without floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace clc::formats::paje {

/// A decimal number in its parts: -12.50e-3. Views into the field.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;

  /// Digits after the point if written without exponent.
  [[nodiscard]] std::int64_t places() const noexcept;
};

/// nullopt: the field is not a decimal number.
[[nodiscard]] std::optional<Decimal> split(std::string_view field) noexcept;

/// The number times 10^decimals, without its fraction; nullopt if it does not fit.
[[nodiscard]] std::optional<std::int64_t> scaled(const Decimal& number, unsigned decimals) noexcept;

/// The largest number of characters that put writes.
inline constexpr std::size_t longest_decimal = 64;

/// Writes number / 10^decimals with at least `places` digits after the point (at most `decimals`), and more if they
/// are not zero.
char* put(char* to, std::int64_t number, unsigned decimals, std::int64_t places) noexcept;

}  // namespace clc::formats::paje
