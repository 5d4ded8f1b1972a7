#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace clc::check {

Json& Json::separate() {
  if (!first_) text_ += ',';
  first_ = false;
  text_ += '\n';
  text_.append(2 * depth_, ' ');
  return *this;
}

Json& Json::name(std::string_view key) {
  separate();
  quote(key);
  text_ += ": ";
  return *this;
}

Json& Json::open(char bracket) {
  text_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

Json& Json::close(char bracket) {
  --depth_;
  if (!first_) {
    text_ += '\n';
    text_.append(2 * depth_, ' ');
  }
  text_ += bracket;
  first_ = false;
  return *this;
}

void Json::quote(std::string_view text) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  text_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 0x20) {
      text_ += "\\u00";
      text_ += hexadecimal[byte >> 4];
      text_ += hexadecimal[byte & 15];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

Json& Json::value(std::string_view key, std::string_view text) {
  name(key).quote(text);
  return *this;
}

Json& Json::value(std::string_view key, double number) {
  if (!std::isfinite(number)) return null(key);
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  name(key).text_.append(buffer.data(), end);
  return *this;
}

Json& Json::null(std::string_view key) {
  name(key).text_ += "null";
  return *this;
}

std::string Json::take() {
  close('}');
  text_ += '\n';
  return std::move(text_);
}

}  // namespace clc::check
