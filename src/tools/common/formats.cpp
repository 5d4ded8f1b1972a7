#include "common/formats.hpp"

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "common/values.hpp"

namespace clc::tool {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t per_second;
};
constexpr std::array<Unit, 4> units{{{"s", 1}, {"ms", 1'000}, {"us", 1'000'000}, {"ns", 1'000'000'000}}};

}  // namespace

std::string readable_formats() {
  std::vector<std::string_view> names;
  for (const Format format : all_formats())
    if (readable(format)) names.push_back(name_of(format));
  return one_of(names);
}

std::string writable_formats() {
  std::vector<std::string_view> names;
  for (const Format format : all_formats()) names.push_back(name_of(format));
  return one_of(names);
}

Format input_format(std::string_view option, std::string_view word) {
  const std::optional<Format> format = format_from_name(word);
  if (!format || !readable(*format)) refuse(option, word, readable_formats());
  return *format;
}

Format output_format(std::string_view option, std::string_view word) {
  const std::optional<Format> format = format_from_name(word);
  if (!format) refuse(option, word, writable_formats());
  return *format;
}

bool within(const std::string& folder, const std::string& input) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error) || input == "-") return false;
  fs::path outer = fs::canonical(input, error);
  if (error) return false;
  for (;; outer = outer.parent_path()) {
    if (fs::equivalent(folder, outer, error)) return true;
    if (!outer.has_relative_path()) return false;
  }
}

void declare_paje_unit(CommandLine& line, std::int64_t& units_per_second) {
  const std::vector<std::string_view> names{units[0].name, units[1].name, units[2].name, units[3].name};
  line.option("paje-unit", "UNIT", "Unit of the times in a Paje trace: " + one_of(names) + ". Default: s.",
              [names, &units_per_second](const std::string& word) {
                units_per_second = units[choice("--paje-unit", word, names)].per_second;
              });
}

std::string_view unit_name(std::int64_t units_per_second) {
  for (const Unit& unit : units)
    if (unit.per_second == units_per_second) return unit.name;
  return {};
}

void declare_report_format(CommandLine& line, const std::string& argument, const std::string& of_what, bool& json) {
  line.option("report-format", argument, "Format of " + of_what + ": text or json. Default: text.",
              [&json](const std::string& word) {
                json = choice("--report-format", word, {"text", "json"}) == 1;
              });
}

void declare_sync(CommandLine& line, bool& sync) {
  line.flag("no-sync", "Do not wait until the output is on the disk.", sync, false);
}

namespace {

const std::vector<std::string_view> clocks_of{"process", "location", "node"};

}  // namespace

void declare_clock_of(CommandLine& line, std::function<void(ClockOf)> take, const std::string& usual) {
  line.option("clock-of", "WHAT",
              "Unit with one clock: process (with its threads and accelerators), location (if cores are not "
              "synchronised) or node. Default: " +
                  usual + '.',
              [take = std::move(take)](const std::string& word) { take(clock_of("--clock-of", word)); });
}

void declare_clock_of(CommandLine& line, ClockOf& clock_of) {
  declare_clock_of(
      line, [&clock_of](ClockOf what) { clock_of = what; }, "process");
}

ClockOf clock_of(std::string_view option, const std::string& word) {
  return static_cast<ClockOf>(choice(option, word, clocks_of));
}

std::string_view name_of(ClockOf clock_of) { return clocks_of[static_cast<std::size_t>(clock_of)]; }

void declare_clock_offsets(CommandLine& line, bool& apply) {
  line.flag("ignore-clock-offsets", "Use the recorded times of an OTF2 archive and ignore its clock offsets.", apply,
            false);
}

std::string effective_archive(const SourceOptions& source) {
  std::string text;
  if (!source.clock_offsets) text += " --ignore-clock-offsets";
  if (source.clock_of != ClockOf::process) text += " --clock-of " + std::string(name_of(source.clock_of));
  if (source.thread_delay_us != SourceOptions::default_thread_delay_us)
    text += " --mmd-threads " + shortest(source.thread_delay_us);
  return text;
}

}  // namespace clc::tool
