#include "common/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "clc/error.hpp"

namespace clc::tool {

void refuse(std::string_view option, std::string_view word, const std::string& expected) {
  throw UsageError(std::string(option) + ": expected " + expected + ", found '" + std::string(word) + "'");
}

namespace {

std::optional<double> decimal(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// The power of base that a suffix stands for: K, M, G, T.
std::optional<double> factor(char suffix, double base) {
  switch (suffix) {
    case 'k':
    case 'K':
      return base;
    case 'm':
    case 'M':
      return base * base;
    case 'g':
    case 'G':
      return base * base * base;
    case 't':
    case 'T':
      return base * base * base * base;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> scaled(std::string_view word, double base) {
  std::uint64_t exact = 0;  // a double holds whole numbers up to 2^53 only
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), exact);
  if (error == std::errc() && end == word.data() + word.size()) return exact;
  double scale = 1;
  if (!word.empty())
    if (const auto power = factor(word.back(), base)) {
      scale = *power;
      word.remove_suffix(1);
    }
  const auto value = decimal(word);
  if (!value || *value < 0 || *value * scale >= 1.8e19) return std::nullopt;
  const double product = *value * scale;
  if (product != std::floor(product)) return std::nullopt;
  return static_cast<std::uint64_t>(product);
}

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two(b.size() + 1);
  std::vector<std::size_t> one(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(one.begin(), one.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({one[j] + 1, row[j - 1] + 1, one[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], two[j - 2] + 1);
    }
    std::swap(two, one);
    std::swap(one, row);
  }
  return one[b.size()];
}

}  // namespace

double number(std::string_view option, std::string_view word, std::string_view unit) {
  const auto value = decimal(word);
  if (!value) refuse(option, word, "a number of " + std::string(unit));
  return *value;
}

double number_that(std::string_view option, std::string_view word, std::string_view unit, bool (*holds)(double),
                   const std::string& expected) {
  const double value = number(option, word, unit);
  if (!holds(value)) refuse(option, word, expected);
  return value;
}

double at_least_zero(std::string_view option, std::string_view word, std::string_view unit) {
  return number_that(
      option, word, unit, [](double value) { return value >= 0; }, "0 or more " + std::string(unit));
}

std::optional<double> at_least_zero_or_off(std::string_view option, std::string_view word, std::string_view unit) {
  if (word == "off") return std::nullopt;
  const auto value = decimal(word);
  if (!value || *value < 0) refuse(option, word, "0 or more " + std::string(unit) + ", or off");
  return value;
}

double bandwidth(std::string_view option, std::string_view word) {
  return number_that(
      option, word, "MB/s", [](double value) { return value > 0; }, "more than 0 MB/s");
}

std::int64_t whole(std::string_view option, std::string_view word, std::int64_t lowest, std::int64_t highest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < lowest || value > highest)
    refuse(option, word, "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest));
  return value;
}

std::optional<std::uint64_t> process_number(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

std::uint64_t size(std::string_view option, std::string_view word) {
  std::string_view digits = word;
  if (digits.ends_with("iB")) {
    digits.remove_suffix(2);
  } else if (digits.ends_with("B")) {
    digits.remove_suffix(1);
  }
  const auto value = scaled(digits, 1024);
  if (!value) refuse(option, word, "a number of bytes such as 64M or 1G");
  return *value;
}

std::uint64_t count(std::string_view option, std::string_view word) {
  const auto value = scaled(word, 1000);
  if (!value) refuse(option, word, "a number such as 1000000, 1e6 or 1M");
  return *value;
}

std::size_t choice(std::string_view option, std::string_view word, const std::vector<std::string_view>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), word);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  refuse(option, word, one_of(choices));
}

std::string one_of(const std::vector<std::string_view>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i != 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = 1 + std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& candidate : candidates) {
    const std::size_t errors = distance(word, candidate);
    if (errors < fewest) {
      fewest = errors;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < 3) return best;
  for (const std::string& candidate : candidates)  // cut short
    if (candidate.starts_with(word)) return candidate;
  return best;
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  constexpr double plain = 1e15;  // below it, powers of ten are easier to read with all their digits
  const bool is_plain = std::abs(value) >= 1 && std::abs(value) < plain;
  const auto [end, error] =
      is_plain ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
               : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

std::string significant(double value, int figures) {
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, figures);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

}  // namespace clc::tool
