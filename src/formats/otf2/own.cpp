#include "otf2/own.hpp"

#include <algorithm>

#include "common/words.hpp"
#include "otf2/texts.hpp"

namespace clc::otf2::own {

namespace {

/// "FIRST SECOND"
bool two_numbers(std::string_view text, std::uint64_t& first, std::uint64_t& second) {
  const std::size_t blank = text.find(' ');
  return blank != std::string_view::npos && formats::to_number(text.substr(0, blank), first) &&
         formats::to_number(text.substr(blank + 1), second);
}

/// The strings that a line names, which have numbers less than `below`, which becomes the first of them. Empty: it
/// names none.
std::vector<std::string_view> pieces_named_by(std::string_view line, const Texts& texts, std::uint32_t& below) {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  if (!line.starts_with(in_strings) || !two_numbers(line.substr(in_strings.size()), first, count)) return {};
  if (first > below || count > below - first || count > texts.size()) return {};
  std::vector<std::string_view> pieces;
  for (std::uint64_t ref = first; ref < first + count; ++ref) {
    const std::string_view string = texts.find(static_cast<OTF2_StringRef>(ref)).value_or(std::string_view());
    if (!string.starts_with(piece)) return {};
    pieces.push_back(string.substr(piece.size()));
  }
  below = static_cast<std::uint32_t>(first);
  return pieces;
}

}  // namespace

Spread spread(const std::string& lines, std::uint32_t free) {
  const std::size_t first = lines.find('\n');
  if (lines.size() <= most_in_property || first == std::string::npos) return {lines, {}};
  Spread result{lines.substr(0, first + 1), {}};
  for (std::size_t at = first + 1; at < lines.size();) {
    std::size_t end = lines.size();
    if (end - at > most_in_property)
      end = std::min(end, lines.find('\n', std::max(at, lines.rfind('\n', at + most_in_property))));
    result.strings.push_back(std::string(piece) + lines.substr(at, end - at));
    at = end + 1;
  }
  result.property += std::string(in_strings) + std::to_string(free) + ' ' + std::to_string(result.strings.size());
  return result;
}

std::vector<std::string> collected(std::string_view property, const Texts& texts, std::uint32_t free) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view some) {
    while (!some.empty()) {
      lines.emplace_back(some.substr(0, some.find('\n')));
      some.remove_prefix(std::min(some.size(), lines.back().size() + 1));
    }
  };
  for (std::uint32_t below = free;;) {
    const std::size_t last = property.rfind('\n') + 1;
    const std::vector<std::string_view> pieces = pieces_named_by(property.substr(last), texts, below);
    add(pieces.empty() ? property : property.substr(0, last));
    if (pieces.empty()) return lines;
    std::for_each(pieces.begin(), pieces.end() - 1, add);
    property = pieces.back();
  }
}

}  // namespace clc::otf2::own
