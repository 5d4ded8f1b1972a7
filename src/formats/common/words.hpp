// Parts of messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clc::formats {

/// Text from a file in quotes, made printable (clc::printable) and cut to a readable length.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// 'found "12x" as tag', or 'found no tag' if the field is empty.
[[nodiscard]] std::string found(std::string_view field, std::string_view what);

/// The message that a line is too long for `where`, which holds at most `most` bytes.
[[nodiscard]] std::string too_long(std::string_view line, std::string_view where, std::size_t most);

/// A blank between fields. A carriage return counts, so that lines may end with CR LF.
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

/// Removes the next field from the front of text and returns it; empty if there is none.
[[nodiscard]] std::string_view next_field(std::string_view& text) noexcept;

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// Parses the whole field as a number; false if it is not a number or out of range.
[[nodiscard]] bool to_number(std::string_view field, std::uint64_t& number) noexcept;
[[nodiscard]] bool to_number(std::string_view field, std::int64_t& number) noexcept;

}  // namespace clc::formats
