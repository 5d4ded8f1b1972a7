#include "words.hpp"

#include "common/values.hpp"

namespace clc::check {

std::string digits(double value) { return tool::significant(value, 6); }

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
