// Maximum length of lines in text formats. Readers hold a line in memory; writers do not write lines that readers
// refuse.
#pragma once

#include <cstddef>
#include <string_view>

#include "clc/error.hpp"
#include "common/words.hpp"

namespace clc::formats {

/// Bytes, without the newline.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Throws OutputError if a line to be written is too long, as a corrected time may have more digits. where: such as "a
/// line of a text trace".
inline void refuse_too_long(std::string_view line, std::string_view where) {
  if (line.size() > longest_line) [[unlikely]]
    throw OutputError(too_long(line, where, longest_line));
}

}  // namespace clc::formats
