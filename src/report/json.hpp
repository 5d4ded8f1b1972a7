// Writes JSON. Adds commas, indentation and escapes; the caller is responsible for the order of calls.
#pragma once

#include <array>
#include <charconv>
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
  /// Infinity and NaN become null.
  JsonWriter& value(double number);
  JsonWriter& value(bool truth);
  /// Integers beyond 2^53 become strings, since readers that use doubles would round them.
  template <std::integral Number>
  JsonWriter& value(Number number) {
    before_value();
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const bool text = std::cmp_greater(number, exact) || std::cmp_less(number, -exact);
    if (text) out_ << '"';
    std::array<char, 24> digits;  // not by the stream, which may group them
    out_.write(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr - digits.data());
    if (text) out_ << '"';
    return *this;
  }
  /// nullopt becomes null.
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
  /// An array with an object for each item, of which members(item) writes the fields.
  template <class Items, class Members>
  JsonWriter& objects(const Items& items, Members members) {
    begin_array();
    for (const auto& item : items) {
      begin_object();
      members(item);
      end_object();
    }
    return end_array();
  }

  /// Writes a key and its value.
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
  std::vector<bool> filled_;  // for each open bracket: not empty
  bool named_ = false;        // a key was written, its value is missing
};

/// A figure if anything was counted; else none.
template <class Figure>
[[nodiscard]] std::optional<Figure> figure_of(std::uint64_t counted, Figure figure) {
  return counted == 0 ? std::nullopt : std::optional(figure);
}

/// The fields `verdict` and `reasons` of an object.
void write_verdict(JsonWriter& json, const Verdict& verdict);
/// Key "measured"; nothing where nothing was measured.
void write_measured(JsonWriter& json, const MeasuredCounts& counts);

}  // namespace clc
