// Small things that messages are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clc::formats {

/// Text from a file between quotes: as clc::printable shows it, long text cut to a readable length.
[[nodiscard]] std::string quoted(std::string_view text);

/// 'found "12x" as tag', or 'found no tag' when the field is empty.
[[nodiscard]] std::string found(std::string_view field, std::string_view what);

/// A line of so many bytes does not fit into `where`, which holds at most `most`.
[[nodiscard]] std::string too_long(std::string_view line, std::string_view where, std::size_t most);

/// A blank between fields. A carriage return counts, so that lines may end with CR LF.
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes the next field off the front of text; empty when there is none.
[[nodiscard]] std::string_view next_field(std::string_view& text) noexcept;

/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// The whole field as a number; false when it is none or out of range.
[[nodiscard]] bool to_number(std::string_view field, std::uint64_t& number) noexcept;
[[nodiscard]] bool to_number(std::string_view field, std::int64_t& number) noexcept;

}  // namespace clc::formats
