#include "chrome/json.hpp"

#include "common/put.hpp"

namespace clc::formats::chrome {

namespace {

/// Bytes of the character of UTF-8 at the front of text; 0: it is none.
std::size_t character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  if (first == 0xe0 && byte(1) < 0xa0) return 0;   // longer than needed
  if (first == 0xed && byte(1) >= 0xa0) return 0;  // half of a pair of UTF-16
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
  return size;
}

}  // namespace

char* put_string(char* to, std::string_view text) noexcept {
  *to++ = '"';
  while (!text.empty()) {
    const std::size_t size = character(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (size == 0) {
      to = put(to, "\\ufffd");
    } else if (byte == '"' || byte == '\\') {
      *to++ = '\\';
      *to++ = text.front();
    } else if (byte < 0x20 || byte == 0x7f) {
      to = put(to, "\\u00");
      *to++ = static_cast<char>('0' + (byte >> 4U));
      *to++ = "0123456789abcdef"[byte & 15U];
    } else {
      to = put(to, text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  *to++ = '"';
  return to;
}

}  // namespace clc::formats::chrome
