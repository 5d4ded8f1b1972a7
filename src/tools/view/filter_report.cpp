#include "view/filter_report.hpp"

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <fstream>
#include <sstream>
#include <string_view>

#include "clc/error.hpp"

namespace clc::view {

namespace {

using boost::property_tree::ptree;

constexpr int newest_known = 1;  // report_version

std::optional<double> figure(const ptree& tree, const char* path) {
  const auto found = tree.get_optional<double>(path);
  return found ? std::optional<double>(*found) : std::nullopt;
}

/// line 0: none.
[[noreturn]] void refuse(const std::string& path, unsigned long line, const std::string& found) {
  throw InputError(path + (line == 0 ? std::string() : ":" + std::to_string(line)) +
                   ": expected a report of clc-filter in JSON, found: " + found +
                   "; write it with --report FILE --report-format json");
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, 0, "cannot open file");
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.bad() || text.bad()) refuse(path, 0, "read error");
  return text.str();
}

/// The parser calls itself for each bracket: what is nested deeper than any report would end the program.
void check_depth(const std::string& path, std::string_view text) {
  constexpr std::size_t deepest = 100;
  std::size_t depth = 0;
  unsigned long line = 1;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    line += letter == '\n';
    if (letter == '"')
      quoted = !quoted;
    else if (quoted)
      at += letter == '\\';
    else if (letter == '[' || letter == '{')
      ++depth;
    else if (depth > 0 && (letter == ']' || letter == '}'))
      --depth;
    if (depth > deepest) refuse(path, line, "more than " + std::to_string(deepest) + " brackets in each other");
  }
}

/// A report of clc-filter, of a version that is known.
ptree parsed(const std::string& path) {
  const std::string text = content(path);
  check_depth(path, text);
  ptree tree;
  try {
    std::istringstream stream(text);
    boost::property_tree::read_json(stream, tree);
  } catch (const boost::property_tree::json_parser_error& error) {
    refuse(path, error.line(), error.message());
  }
  const auto version = tree.get_optional<int>("report_version");
  if (!version || !tree.get_child_optional("regulators"))
    throw InputError(path +
                     ": is JSON, but not a report of clc-filter; write it with --report FILE --report-format json");
  if (*version > newest_known)
    throw InputError(path + ": has report_version " + std::to_string(*version) + ", expected at most " +
                     std::to_string(newest_known) + "; use clc-view of the version that wrote it");
  return tree;
}

}  // namespace

FilterReport read_filter_report(const std::string& path) {
  const ptree tree = parsed(path);
  FilterReport report;
  report.program = tree.get("program", std::string()) + ' ' + tree.get("program_version", std::string());
  report.options = tree.get("options", std::string());
  if (const std::string early = tree.get("trace.ended_early", std::string("null")); early != "null")
    report.ended_early = early;
  report.format = tree.get("trace.format", std::string());
  report.events = tree.get("trace.events", std::uint64_t{0});
  if (const auto processes = tree.get_optional<std::uint64_t>("trace.processes")) report.processes = *processes;
  if (const auto reasons = tree.get_child_optional("reasons"))
    for (const auto& [name, reason] : *reasons)
      report.reasons.push_back({reason.get("verdict", std::string("doubtful")), reason.get("key", std::string()),
                                reason.get("text", std::string())});
  report.violations_left = tree.get("violations.left", std::uint64_t{0});
  report.jumps = tree.get("corrections.jumps", std::uint64_t{0});
  report.largest_jump_us = tree.get("clock_difference.largest_us", 0.0);
  report.clock_difference_start_us = tree.get("clock_difference.start_us", 0.0);
  report.advice_cldiff_us = figure(tree, "clock_difference.advice_cldiff_us");
  report.advice_mmd_us = figure(tree, "message_delay.advice_mmd_us");
  report.smallest_delay_us = figure(tree, "message_delay.shortest_us");
  report.lowest_gamma_b = tree.get("regulators.B.lowest_gamma", 1.0);
  report.lowest_gamma_c = tree.get("regulators.C.lowest_gamma", 1.0);
  report.lowest_gamma = tree.get("regulators.together.lowest_gamma", 1.0);
  report.below_gamma_max = tree.get("regulators.together.below_gamma_max", std::uint64_t{0});
  report.peak_events = tree.get("run.peak_buffered_events", std::uint64_t{0});
  if (const auto parameters = tree.get_child_optional("parameters"))
    for (const auto& [name, value] : *parameters)
      if (value.empty() && value.data() != "null") report.parameters.emplace_back(name, value.data());
  report.alignment = tree.get("alignment", std::string());
  if (const auto clocks = tree.get_child_optional("estimated_clocks"))
    for (const auto& [name, clock] : *clocks)
      report.clocks.push_back({clock.get("number", std::uint64_t{0}), clock.get("partners", std::uint64_t{0}),
                               clock.get("first_us", 0.0), clock.get("last_us", 0.0), clock.get("rate_ppm", 0.0),
                               clock.get("deviation_us", 0.0), clock.get("error_us", 0.0),
                               clock.get("note", std::string())});
  if (const auto cases = tree.get_child_optional("cases"))
    for (const auto& [name, count] : *cases)
      if (const auto number = count.get_value_optional<std::uint64_t>(); number && *number != 0)
        report.cases.push_back({name, *number});
  if (const auto course = tree.get_child_optional("regulators.course"))
    for (const auto& [name, span] : *course)
      report.gamma.push_back(
          {span.get("from_s", 0.0), span.get("to_s", 0.0), span.get("mean_gamma", 1.0), span.get("lowest_gamma", 1.0)});
  return report;
}

}  // namespace clc::view
