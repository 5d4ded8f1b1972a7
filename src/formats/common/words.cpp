#include "common/words.hpp"

#include <charconv>

#include "trace/printable.hpp"

namespace clc::formats {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  return '"' + printable(text, longest) + '"';
}

std::string found(std::string_view field, std::string_view what) {
  std::string result = field.empty() ? std::string("found no ") : "found " + in_quotes(field) + " as ";
  return result.append(what);
}

std::string too_long(std::string_view line, std::string_view where, std::size_t most) {
  return "the line " + in_quotes(line.substr(0, 40)) + " has " + std::to_string(line.size()) + " bytes, and " +
         std::string(where) + " at most " + std::to_string(most) + "; write another format";
}

std::string_view next_field(std::string_view& text) noexcept {
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view field = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return field;
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

namespace {

template <class Number>
bool to_any_number(std::string_view field, Number& number) noexcept {
  const char* const end = field.data() + field.size();
  const auto [at, error] = std::from_chars(field.data(), end, number);
  return error == std::errc() && at == end;
}

}  // namespace

bool to_number(std::string_view field, std::uint64_t& number) noexcept { return to_any_number(field, number); }
bool to_number(std::string_view field, std::int64_t& number) noexcept { return to_any_number(field, number); }

}  // namespace clc::formats
