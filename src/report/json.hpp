// Writes JSON: commas, indentation and escapes are taken care of, the order of calls is the caller's.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/verdict.hpp"

namespace clc {

class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  /// The name of the next value in an object.
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  /// Numbers that are none (infinite, not a number) become null.
  JsonWriter& value(double number);
  JsonWriter& value(bool truth);
  /// Beyond 2^53, where readers that keep numbers as doubles would round them, integers become strings.
  template <std::integral Number>
  JsonWriter& value(Number number) {
    before_value();
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const bool text = std::cmp_greater(number, exact) || std::cmp_less(number, -exact);
    if (text) out_ << '"';
    out_ << number;
    if (text) out_ << '"';
    return *this;
  }
  /// What does not exist becomes null.
  template <class Value>
  JsonWriter& value(const std::optional<Value>& content) {
    return content ? value(*content) : null();
  }
  JsonWriter& value(const std::vector<std::string>& list) {
    begin_array();
    for (const std::string& text : list) value(std::string_view(text));
    return end_array();
  }
  JsonWriter& null();

  /// key and value in one.
  template <class Value>
  JsonWriter& field(std::string_view name, const Value& content) {
    key(name);
    return value(content);
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void before_value();
  void new_line();
  void quoted(std::string_view text);

  std::ostream& out_;
  std::vector<bool> filled_;  // per open bracket: does it hold something?
  bool named_ = false;        // a key was written and its value not
};

/// A figure of what was counted; none where nothing was.
template <class Figure>
[[nodiscard]] std::optional<Figure> figure_of(std::uint64_t counted, Figure figure) {
  return counted == 0 ? std::nullopt : std::optional(figure);
}

/// The fields `verdict` and `reasons` of an object.
void write_verdict(JsonWriter& json, const Verdict& verdict);

}  // namespace clc
