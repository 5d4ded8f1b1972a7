// Names of the additions to archives that this program writes, shared by writer and reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clc::otf2::own {

// Properties of the archive.
/// Program, version, options: a line each, the newest first.
inline constexpr const char* provenance = "CLC::PROVENANCE";
inline constexpr const char* shift = "CLC::TIME_SHIFT";     ///< ticks added to all times to avoid negative ones
inline constexpr const char* min_delay = "CLC::MIN_DELAY";  ///< minimum message delay in ticks
inline constexpr const char* notes = "CLC::NOTES";          ///< lines ahead of the first record, newlines between them

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

/// Adds the line if it is a point of a map that grows, "%provenance offset@...". False: it is not.
inline bool add_grown(std::string& all, std::string_view line) {
  constexpr std::string_view mark = "%provenance ";
  if (all.empty() || !line.starts_with(mark) || !line.substr(mark.size()).starts_with("offset@")) return false;
  all += '\n';
  all += line.substr(mark.size());
  return true;
}

}  // namespace clc::otf2::own
