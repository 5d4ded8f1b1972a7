// Words and numbers of the tables.
#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "common/values.hpp"
#include "estimation/estimation.hpp"

namespace clc::comparison {

/// Three significant digits.
[[nodiscard]] inline std::string digits(double value) { return tool::significant(value, 3); }
/// The method's name; "none" without one.
[[nodiscard]] inline std::string_view name_of(std::optional<sync::Method> method) {
  return method ? tool::name_of(*method) : "none";
}
/// Right-aligned.
[[nodiscard]] inline std::string cell(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
/// CPU time of this process.
[[nodiscard]] inline double cpu_ns() { return static_cast<double>(std::clock()) * (1e9 / CLOCKS_PER_SEC); }

}  // namespace clc::comparison
