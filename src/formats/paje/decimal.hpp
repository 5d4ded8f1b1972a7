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

  /// Digits behind the point when written without exponent.
  [[nodiscard]] std::int64_t places() const noexcept;
};

/// nullopt: the field is no decimal number.
[[nodiscard]] std::optional<Decimal> split(std::string_view field) noexcept;

/// The number times 10^decimals, without what is left behind the point; nullopt when it does not fit.
[[nodiscard]] std::optional<std::int64_t> scaled(const Decimal& number, unsigned decimals) noexcept;

/// Most characters that put writes.
inline constexpr std::size_t longest_decimal = 64;

/// Writes number / 10^decimals with at least `places` digits behind the point (at most `decimals`), and as many more
/// as are not zero.
char* put(char* to, std::int64_t number, unsigned decimals, std::int64_t places) noexcept;

}  // namespace clc::formats::paje
