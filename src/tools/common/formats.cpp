#include "common/formats.hpp"

#include <string>

#include "clc/error.hpp"
#include "common/values.hpp"

namespace clc::tool {

namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view expected, std::string_view word) {
  throw UsageError(std::string(option) + ": expected " + std::string(expected) + ", found '" + std::string(word) + "'");
}

}  // namespace

Format input_format(std::string_view option, std::string_view word) {
  const std::optional<Format> format = format_from_name(word);
  if (!format || !readable(*format)) refuse(option, "text, binary, otf2 or paje", word);
  return *format;
}

Format output_format(std::string_view option, std::string_view word) {
  const std::optional<Format> format = format_from_name(word);
  if (!format) refuse(option, "text, binary, otf2, paje or chrome", word);
  return *format;
}

std::int64_t units_per_second(std::string_view option, std::string_view word) {
  std::int64_t units = 1;
  for (std::size_t which = choice(option, word, {"s", "ms", "us", "ns"}); which > 0; --which) units *= 1000;
  return units;
}

}  // namespace clc::tool
