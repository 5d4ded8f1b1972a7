// Writes arbitrary bytes as JSON strings.
#pragma once

#include <cstddef>
#include <string_view>

namespace clc::formats::chrome {

/// Most bytes that put_string writes for a text of that size.
[[nodiscard]] constexpr std::size_t most_in_string(std::size_t size) noexcept { return 6 * size + 2; }

/// Writes text between quotes. Bytes that are no UTF-8 become U+FFFD.
char* put_string(char* to, std::string_view text) noexcept;

}  // namespace clc::formats::chrome
