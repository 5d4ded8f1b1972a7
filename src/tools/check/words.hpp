// Formats numbers for people.
#pragma once

#include <cstdint>
#include <string>

#include "clc/time.hpp"

namespace clc::check {

/// Enough digits for people: 12.345, 0.00123, 1.5e+07.
[[nodiscard]] std::string digits(double value);
/// "-10.2 us (-25500 ticks)"
[[nodiscard]] std::string both_units(Ticks ticks, Resolution resolution);
/// "12.3 us"
[[nodiscard]] std::string microseconds(double ticks, Resolution resolution);
/// "137,954"
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace clc::check
