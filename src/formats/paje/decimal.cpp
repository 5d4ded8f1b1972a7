#include "paje/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "common/put.hpp"

namespace clc::formats::paje {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) noexcept {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(digits.size());
  return digits;
}

}  // namespace

std::int64_t Decimal::places() const noexcept {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(fraction.size()) - exponent);
}

std::optional<Decimal> split(std::string_view field) noexcept {
  Decimal number;
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) {
    number.negative = field.front() == '-';
    field.remove_prefix(1);
  }
  number.whole = take_digits(field);
  if (!field.empty() && field.front() == '.') {
    field.remove_prefix(1);
    number.fraction = take_digits(field);
  }
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  if (field.empty()) return number;
  if (field.front() != 'e' && field.front() != 'E') return std::nullopt;
  field.remove_prefix(1);
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  std::int32_t exponent = 0;
  const auto [at, error] = std::from_chars(field.data(), field.data() + field.size(), exponent);
  if (error != std::errc() || at != field.data() + field.size()) return std::nullopt;
  number.exponent = exponent;
  return number;
}

std::optional<std::int64_t> scaled(const Decimal& number, unsigned decimals) noexcept {
  const auto known = static_cast<std::int64_t>(number.whole.size() + number.fraction.size());
  const std::int64_t wanted = static_cast<std::int64_t>(number.whole.size()) + number.exponent + decimals;
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < wanted; ++i) {
    unsigned digit = 0;
    if (i < known) {
      const auto at = static_cast<std::size_t>(i);
      const char c = at < number.whole.size() ? number.whole[at] : number.fraction[at - number.whole.size()];
      digit = static_cast<unsigned>(c - '0');
    } else if (sum == 0) {
      break;
    }
    if (__builtin_mul_overflow(sum, std::uint64_t{10}, &sum) || __builtin_add_overflow(sum, digit, &sum))
      return std::nullopt;
  }
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (sum > largest + (number.negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(number.negative ? 0 - sum : sum);
}

char* put(char* to, std::int64_t number, unsigned decimals, std::int64_t places) noexcept {
  std::uint64_t size = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  if (number < 0) *to++ = '-';
  std::uint64_t scale = 1;
  for (unsigned i = 0; i < decimals; ++i) scale *= 10;
  to = formats::put(to, size / scale);
  size %= scale;
  auto digits = static_cast<std::int64_t>(decimals);
  for (; digits > places && size % 10 == 0; --digits) size /= 10;
  if (digits == 0) return to;
  *to = '.';
  for (std::int64_t i = digits; i > 0; --i) {
    to[i] = static_cast<char>('0' + size % 10);
    size /= 10;
  }
  return to + digits + 1;
}

}  // namespace clc::formats::paje
