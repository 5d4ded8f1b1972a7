#include "words.hpp"

#include <array>
#include <charconv>

namespace clc::check {

std::string digits(double value) {
  std::array<char, 40> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

std::string microseconds(double ticks, Resolution resolution) { return digits(resolution.microseconds(ticks)) + " us"; }

std::string both_units(Ticks ticks, Resolution resolution) {
  return microseconds(static_cast<double>(ticks), resolution) + " (" + std::to_string(ticks) +
         (ticks == 1 || ticks == -1 ? " tick)" : " ticks)");
}

std::string grouped(std::uint64_t number) {
  std::string plain = std::to_string(number);
  for (std::size_t at = plain.size(); at > 3; at -= 3) plain.insert(at - 3, 1, ',');
  return plain;
}

}  // namespace clc::check
