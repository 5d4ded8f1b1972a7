// Text of a trace, or a file's name, for people.
//
// What is not printed as a character of its own is shown as \xNN (a byte that is no UTF-8) or \u{NN} (a character):
// controls, which a terminal obeys; marks that turn the direction of what stands beside them; characters without width.
// All other UTF-8 stays.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clc {

/// What a text begins with.
struct Letter {
  std::size_t length;  ///< bytes, at least 1
  char32_t code;       ///< no_letter: it is no UTF-8
  static constexpr char32_t no_letter = 0xffff'ffff;
};
/// text: not empty.
[[nodiscard]] Letter first_letter(std::string_view text) noexcept;
/// False for controls, marks of direction, characters without width, what is none, and no_letter.
[[nodiscard]] bool is_printable(char32_t code) noexcept;

/// In one line.
[[nodiscard]] std::string printable(std::string_view text);
/// The same of the first `longest` bytes, as whole characters, and "..." where that is not all.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest);
/// Line ends stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace clc
