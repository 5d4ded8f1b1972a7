#include "trace/printable.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace clc {

namespace {

/// First and last of each range, in order: controls, formats and marks that have no width, surrogates, no characters.
constexpr std::array<std::pair<char32_t, char32_t>, 24> not_printed{{
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},   {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},   {0x70f, 0x70f},   {0x890, 0x891},   {0x8e2, 0x8e2},   {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},   {0xd800, 0xdfff},
    {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
}};

void append(std::string& out, std::string_view before, char32_t number, std::string_view behind) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += before;
  unsigned shift = 4;
  while (number >> shift >= 16) shift += 4;
  for (shift += 4; shift > 0; shift -= 4) out += digits[number >> (shift - 4) & 15U];
  out += behind;
}

std::string printed(std::string_view text, bool keep_line_ends) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (is_printable(letter.code) || (keep_line_ends && letter.code == '\n'))
      out += text.substr(0, letter.length);
    else if (letter.code == Letter::no_letter || letter.code < 0x80)
      append(out, "\\x", static_cast<unsigned char>(text.front()), "");
    else
      append(out, "\\u{", letter.code, "}");
    text.remove_prefix(letter.length);
  }
  return out;
}

}  // namespace

Letter first_letter(std::string_view text) noexcept {
  constexpr Letter none{1, Letter::no_letter};
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
  if (length == 0 || length > text.size()) return none;
  char32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) return none;
    code = code << 6U | (byte & 0x3fU);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};  // others are written too long
  if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return none;
  return {length, code};
}

bool is_printable(char32_t code) noexcept {
  if (code >= 0x20 && code < 0x7f) [[likely]]
    return true;
  const auto* const range = std::lower_bound(not_printed.begin(), not_printed.end(), code,
                                             [](const auto& each, char32_t value) { return each.second < value; });
  const bool in_range = range != not_printed.end() && range->first <= code;
  return !in_range && code <= 0x10ffff && (code & 0xfffeU) != 0xfffe;
}

std::string printable(std::string_view text) { return printed(text, false); }

std::string printable(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return printed(text, false);
  std::size_t end = 0;
  while (end + first_letter(text.substr(end)).length <= longest) end += first_letter(text.substr(end)).length;
  return printed(text.substr(0, end), false) + "...";
}

std::string printable_word(std::string_view text) {
  std::string word;
  for (const char letter : printable(text)) {
    if (letter == ' ')
      word += "\\x20";
    else
      word += letter;
  }
  return word;
}

std::string printable_lines(std::string_view text) { return printed(text, true); }

}  // namespace clc
