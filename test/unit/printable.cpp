// Nothing that a terminal obeys, that turns what stands beside it, or that is not seen comes through; all else does.
#include "trace/printable.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace {

using clc::printable;

std::string utf8(char32_t code) {
  std::string out;
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 63));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 63));
    byte(0x80 | (code & 63));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 63));
    byte(0x80 | (code >> 6 & 63));
    byte(0x80 | (code & 63));
  }
  return out;
}

TEST_CASE("what people read is printable") {
  CHECK(printable("plain ~ text") == "plain ~ text");
  CHECK(printable("Gr\xc3\xb6\xc3\x9f"
                  "e \xe6\xbc\xa2 \xf0\x9f\x98\x80 e\xcc\x81") ==
        "Gr\xc3\xb6\xc3\x9f"
        "e \xe6\xbc\xa2 \xf0\x9f\x98\x80 e\xcc\x81");
  CHECK(printable("\x1b[2J\a\r\n\t\x7f") == "\\x1b[2J\\x07\\x0d\\x0a\\x09\\x7f");
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  CHECK(printable("\xc2\x9b"
                  "2J \xc2\x9d") == "\\u{9b}2J \\u{9d}");
  CHECK(printable("\x9b"
                  "2J \xff") ==
        "\\x9b"
        "2J \\xff");
  CHECK(printable("a\xe2\x80\xae"
                  "b\xe2\x81\xa6\xd8\x9c") == "a\\u{202e}b\\u{2066}\\u{61c}");
  CHECK(printable("a\xe2\x80\x8b"
                  "b\xef\xbb\xbf") == "a\\u{200b}b\\u{feff}");
  CHECK(printable("\xe2\x80\xa8") == "\\u{2028}");
  CHECK(printable("\xf3\xa0\x81\x81") == "\\u{e0041}");
  // No UTF-8: cut off, too long, surrogates, beyond the last character, no characters.
  CHECK(printable("\xe6\xbc") == "\\xe6\\xbc");
  CHECK(printable("\xc0\x9b\xc1\xbf") == "\\xc0\\x9b\\xc1\\xbf");
  CHECK(printable("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(printable("\xf4\x90\x80\x80\xf8") == "\\xf4\\x90\\x80\\x80\\xf8");
  CHECK(printable("\xef\xbf\xbf\xf0\x9f\xbf\xbe") == "\\u{ffff}\\u{1fffe}");
}

TEST_CASE("long text ends with a whole character") {
  CHECK(printable("abc", 3) == "abc");
  CHECK(printable("abcd", 3) == "abc...");
  CHECK(printable("ab\xc3\xb6", 3) == "ab...");
  CHECK(printable("ab\x9b\x9b", 3) == "ab\\x9b...");
  CHECK(printable("\xc3\xb6", 1) == "...");
  CHECK(printable("", 0).empty());
}

TEST_CASE("lines stay where they are wanted") {
  CHECK(clc::printable_lines("a\nb\r\n") == "a\nb\\x0d\n");
  CHECK(printable("a\nb") == "a\\x0ab");
}

TEST_CASE("every character is shown as it is, or by its number") {
  for (char32_t code = 0; code <= 0x10ffff; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const std::string letter = utf8(code);
    const std::string shown = printable(letter);
    const bool by_number = shown.starts_with("\\x") || shown.starts_with("\\u{");
    if (clc::is_printable(code) ? shown != letter : !by_number) FAIL_CHECK("code " << static_cast<unsigned>(code));
    const clc::Letter first = clc::first_letter(letter + "\xbf");
    if (first.code != code || first.length != letter.size()) FAIL_CHECK("code " << static_cast<unsigned>(code));
  }
}

TEST_CASE("what is shown is printable itself, whatever the bytes") {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 12, ' ');
    for (char& byte : text) byte = static_cast<char>(random() % 3 == 0 ? random() % 256 : 0xc2 + random() % 50);
    const std::string shown = printable(text);
    CHECK(printable(shown) == shown);
    for (const char letter : shown) CHECK((static_cast<unsigned char>(letter) >= 0x20 && letter != 0x7f));
    CHECK(shown.find("\xc2\x9b") == std::string::npos);
  }
}

}  // namespace
