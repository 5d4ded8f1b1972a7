// Numbers in sentences, as printf writes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace clc {

/// At most 511 characters.
template <class... Values>
[[nodiscard]] std::string format(const char* pattern, Values... values) {
  std::array<char, 512> text{};
  const int length = std::snprintf(text.data(), text.size(), pattern, values...);
  return {text.data(), std::min(static_cast<std::size_t>(std::max(length, 0)), text.size() - 1)};
}

}  // namespace clc
