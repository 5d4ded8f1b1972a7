// Makes text from a trace, or the name of a file, safe to display.
//
// Some characters are not displayed as such: control characters, which a terminal obeys; marks that change the
// direction of the text beside them; characters without width. They are shown as \xNN (ASCII) or \u{NN}, and bytes
// that are not UTF-8 as \xNN. All other UTF-8 text is kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clc {

/// The first character of a text.
struct Letter {
  std::size_t length;  ///< bytes, at least 1
  char32_t code;       ///< no_letter: not UTF-8
  static constexpr char32_t no_letter = 0xffff'ffff;
};
/// text must not be empty.
[[nodiscard]] Letter first_letter(std::string_view text) noexcept;
/// False for control characters, direction marks, characters without width, codes that are not characters, no_letter.
[[nodiscard]] bool is_printable(char32_t code) noexcept;

/// The text as one line: line ends are shown as \x0a.
[[nodiscard]] std::string printable(std::string_view text);
/// The same for at most the first `longest` bytes, in whole characters, then "..." if anything was cut off.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest);
/// The same as one word: blanks are shown as \x20.
[[nodiscard]] std::string printable_word(std::string_view text);
/// The same, but line ends are kept.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace clc
