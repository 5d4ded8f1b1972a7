// How long the lines of text formats are at most. Readers hold one in memory; writers do not write what no reader
// takes.
#pragma once

#include <cstddef>
#include <string_view>

#include "clc/error.hpp"
#include "common/words.hpp"

namespace clc::formats {

/// Bytes, without the newline.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Throws OutputError when a line that is to be written is longer: a corrected time may have more digits. where: as "a
/// line of a text trace".
inline void refuse_too_long(std::string_view line, std::string_view where) {
  if (line.size() > longest_line) [[unlikely]]
    throw OutputError(too_long(line, where, longest_line));
}

}  // namespace clc::formats
