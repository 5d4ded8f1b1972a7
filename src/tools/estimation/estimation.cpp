#include "estimation/estimation.hpp"

#include <array>
#include <cstdio>

#include "common/values.hpp"

namespace clc::tool {

namespace {

constexpr std::array<std::string_view, 2> methods{"line", "smooth"};

std::string digits(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.4g", value);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string share(const sync::Violations& violations) {
  const double edges = violations.edges == 0 ? 1 : static_cast<double>(violations.edges);
  return digits(100 * static_cast<double>(violations.violated) / edges) + " %, worst " + digits(violations.worst_us) +
         " us";
}

}  // namespace

sync::Method estimation_method(std::string_view option, const std::string& word) {
  return choice(option, word, {methods.begin(), methods.end()}) == 0 ? sync::Method::line : sync::Method::smooth;
}

std::string_view name_of(sync::Method method) noexcept { return methods[method == sync::Method::line ? 0 : 1]; }

std::string violations_line(const sync::Estimate& estimate) {
  return "binding edges below the minimum delay: recorded " + share(estimate.recorded) + "; mapped " +
         share(estimate.mapped);
}

}  // namespace clc::tool
