// Words and numbers of the tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sync/method.hpp"

namespace clc::comparison {

/// Three significant digits.
[[nodiscard]] std::string digits(double value);
/// The method's name; "none" without one.
[[nodiscard]] std::string_view name_of(std::optional<sync::Method> method);
/// Right-aligned.
[[nodiscard]] std::string cell(const std::string& text, std::size_t width);
/// CPU time of this process.
[[nodiscard]] double cpu_ns();

}  // namespace clc::comparison
