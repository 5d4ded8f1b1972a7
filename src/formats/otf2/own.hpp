// Names and forms of the additions to archives that this program writes, shared by writer and reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clc::otf2 {

class Texts;

namespace own {

// Properties of the archive.
/// Program, version, options: a line each, the newest first.
inline constexpr const char* provenance = "CLC::PROVENANCE";
inline constexpr const char* shift = "CLC::TIME_SHIFT";     ///< ticks added to all times to avoid negative ones
inline constexpr const char* min_delay = "CLC::MIN_DELAY";  ///< minimum message delay in ticks
inline constexpr const char* notes = "CLC::NOTES";          ///< lines, newlines between them: those ahead of
                                                            ///< the first record, then measured offsets
/// The same as min_delay for messages within a node.
inline constexpr const char* node_min_delay = "CLC::MIN_DELAY_WITHIN_NODE";

/// A record that orders nothing is a ParameterString event of this parameter; the string is the record as in text.
inline constexpr const char* record = "clc record";

/// Communicators count from 0; their numbers in the trace are behind this in their names, and then their delay.
inline constexpr const char* communicator = "clc communicator ";
inline constexpr const char* communicator_delay = " min-delay=";

/// A node of the system tree for processes of which the trace names none: other readers need one.
inline constexpr const char* no_node = "clc unknown node";

// Attributes of events.
inline constexpr const char* fields = "clc fields";        ///< string: further fields
inline constexpr const char* tag = "clc tag";              ///< 64 bits, where the event's own has fewer
inline constexpr const char* overtakes = "clc overtakes";  ///< 16 bits: receives that a receive overtakes
inline constexpr const char* recorded = "clc recorded";    ///< the time that was recorded

/// Lines with newlines between them.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : "\n") + line;
  return all;
}

// libotf2 holds the properties of an archive in 256 KiB. Of a longer text all but the first line goes into strings of
// the global definitions, in pieces; the last line of the property, "clc strings FIRST COUNT", names them. What is
// corrected again has the property of before at its end, so that the last line of the last piece may name earlier ones.
inline constexpr std::size_t most_in_property = std::size_t{1} << 16U;
inline constexpr std::string_view in_strings = "clc strings ";
inline constexpr std::string_view piece = "clc piece\n";  ///< in front of each

struct Spread {
  std::string property;
  std::vector<std::string> strings;
};
/// lines: with newlines between them. free: the number of the first string.
[[nodiscard]] Spread spread(const std::string& lines, std::uint32_t free);
/// The lines of such a property, and those in the strings that it names. free: no string has this number or a larger
/// one.
[[nodiscard]] std::vector<std::string> collected(std::string_view property, const Texts& texts, std::uint32_t free);

/// Adds the line if it is a point of a map that grows, "%provenance offset@...". False: it is not.
inline bool add_grown(std::string& all, std::string_view line) {
  constexpr std::string_view mark = "%provenance ";
  if (all.empty() || !line.starts_with(mark) || !line.substr(mark.size()).starts_with("offset@")) return false;
  all += '\n';
  all += line.substr(mark.size());
  return true;
}

}  // namespace own

}  // namespace clc::otf2
