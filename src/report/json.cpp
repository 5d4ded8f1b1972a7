#include "report/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace clc {

namespace {

/// Length of the UTF-8 sequence that text begins with; 0 when it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0U) == 0x80U; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;   // too long a form
    if (first == 0xed && byte(1) >= 0xa0) return 0;  // surrogates
    return 3;
  }
  if (first >= 0xf0 && first < 0xf5) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
    return 4;
  }
  return 0;
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  quoted(name);
  out_ << ": ";
  named_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_value();
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  out_.write(text.data(), end - text.data());
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  before_value();
  out_ << (truth ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ << "null";
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  out_ << bracket;
  filled_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) new_line();
  out_ << bracket;
  if (filled_.empty()) out_ << '\n';
  return *this;
}

void JsonWriter::before_value() {
  if (named_) {
    named_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) out_ << ',';
  filled_.back() = true;
  new_line();
}

void JsonWriter::new_line() {
  out_ << '\n';
  for (std::size_t i = 0; i < filled_.size(); ++i) out_ << "  ";
}

void JsonWriter::quoted(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  out_ << '"';
  while (!text.empty()) {
    const auto letter = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out_ << "\\ufffd";  // no UTF-8
      text.remove_prefix(1);
      continue;
    }
    if (letter == '"' || letter == '\\') {
      out_ << '\\' << text.front();
    } else if (letter == '\n') {
      out_ << "\\n";
    } else if (letter == '\t') {
      out_ << "\\t";
    } else if (letter < 0x20 || letter == 0x7f) {
      out_ << "\\u00" << hex[letter >> 4U] << hex[letter & 15U];
    } else {
      out_ << text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out_ << '"';
}

}  // namespace clc
