// Writes JSON, two blanks per level.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace clc::check {

class Json {
 public:
  Json() { open('{'); }

  Json& object(std::string_view key) { return name(key).open('{'); }
  Json& object() { return separate().open('{'); }
  Json& array(std::string_view key) { return name(key).open('['); }
  Json& end_object() { return close('}'); }
  Json& end_array() { return close(']'); }

  Json& value(std::string_view key, std::string_view text);
  Json& value(std::string_view key, const char* text) { return value(key, std::string_view(text)); }
  Json& value(std::string_view key, double number);
  template <std::same_as<bool> Bool>
  Json& value(std::string_view key, Bool truth) {
    name(key).text_ += truth ? "true" : "false";
    return *this;
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json& value(std::string_view key, Integer number) {
    name(key).text_ += std::to_string(number);
    return *this;
  }
  Json& null(std::string_view key);

  /// The text; the writer is used up.
  [[nodiscard]] std::string take();

 private:
  Json& separate();
  Json& name(std::string_view key);
  Json& open(char bracket);
  Json& close(char bracket);
  void quote(std::string_view text);

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

}  // namespace clc::check
