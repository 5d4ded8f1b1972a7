// Options that concern formats. Errors are UsageError.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "clc/io/format.hpp"
#include "common/command_line.hpp"

namespace clc::tool {

/// "text, binary, otf2 or paje": the readable formats, or all formats.
[[nodiscard]] std::string readable_formats();
[[nodiscard]] std::string writable_formats();
/// Parses the name of a readable format.
[[nodiscard]] Format input_format(std::string_view option, std::string_view word);
/// Parses the name of any format.
[[nodiscard]] Format output_format(std::string_view option, std::string_view word);
/// True when folder is the input or holds it: an archive would replace itself.
[[nodiscard]] bool within(const std::string& folder, const std::string& input);
/// The option --paje-unit. units_per_second must outlive line.
void declare_paje_unit(CommandLine& line, std::int64_t& units_per_second);
/// The name of the unit: s, ms, us or ns.
[[nodiscard]] std::string_view unit_name(std::int64_t units_per_second);
/// The option --report-format, text or json. json must outlive line.
void declare_report_format(CommandLine& line, const std::string& argument, const std::string& of_what, bool& json);
/// The option --no-sync. sync must outlive line.
void declare_sync(CommandLine& line, bool& sync);
/// The option --clock-of. clock_of must outlive line.
void declare_clock_of(CommandLine& line, ClockOf& clock_of);
/// The same. usual: the default, for the help.
void declare_clock_of(CommandLine& line, std::function<void(ClockOf)> take, const std::string& usual);
/// Parses its word.
[[nodiscard]] ClockOf clock_of(std::string_view option, const std::string& word);
/// Its word.
[[nodiscard]] std::string_view name_of(ClockOf clock_of);
/// The option --ignore-clock-offsets. apply must outlive line.
void declare_clock_offsets(CommandLine& line, bool& apply);
/// How the clocks of an archive are read, as on the command line: each option that is not the default after a blank.
[[nodiscard]] std::string effective_archive(const SourceOptions& source);

}  // namespace clc::tool
