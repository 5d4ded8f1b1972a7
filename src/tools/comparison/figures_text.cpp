#include "comparison/figures_text.hpp"

#include <ctime>

#include "common/values.hpp"
#include "estimation/estimation.hpp"

namespace clc::comparison {

std::string digits(double value) { return tool::significant(value, 3); }

std::string_view name_of(std::optional<sync::Method> method) { return method ? tool::name_of(*method) : "none"; }

std::string cell(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

double cpu_ns() { return static_cast<double>(std::clock()) * (1e9 / CLOCKS_PER_SEC); }

}  // namespace clc::comparison
