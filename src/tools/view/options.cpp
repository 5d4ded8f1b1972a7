#include "view/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "clc/error.hpp"
#include "common/command_line.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/values.hpp"
#include "view/figures/figures.hpp"

namespace clc::view {

namespace {

using tool::CommandLine;

double seconds(std::string_view option, const std::string& word) {
  const double value = tool::number(option, word, "seconds");
  if (value < 0) throw UsageError(std::string(option) + ": expected seconds, 0 or more, found '" + word + "'");
  return value;
}

std::vector<std::string_view> figure_names() {
  std::vector<std::string_view> names;
  names.reserve(figures.size());
  for (const FigureInfo& figure : figures) names.push_back(figure.name);
  return names;
}

void declare_shown(CommandLine& line, Options& o) {
  line.group("What is shown");
  line.text("before", "TRACE",
            "The same trace as recorded. Not needed if TRACE contains the recorded times (clc-filter --keep-original).",
            o.before);
  line.text(
      "report", "FILE",
      "The report that clc-filter wrote with --report FILE --report-format json: adds its advice and gamma over time.",
      o.report);
  line.option("from", "S", "Show only events after this time, seconds since the first event.",
              [&o](const std::string& word) {
                if (!o.window) o.window.emplace();
                o.window->from_s = seconds("--from", word);
              });
  line.option("to", "S", "Show only events before this time, seconds since the first event.",
              [&o](const std::string& word) {
                if (!o.window) o.window.emplace();
                o.window->to_s = seconds("--to", word);
              });
  line.option("-mmd", "[FROM:TO=|node=]US",
              "Minimum message delay used to judge messages, microseconds. Default: the value that clc-filter recorded "
              "in the trace, else the min-delay of the trace, else 1 us.",
              [&o](const std::string& word) { tool::take_min_delay(o.parameters, word); });
  tool::declare_bandwidth(line, o.parameters.bandwidth_mb_s,
                          "the value recorded by clc-filter unless -mmd is given, else nothing is added");
  line.option("detail", "SIZE",
              "Limit for full detail in the page, bytes; suffixes K, M, G (powers of 1024); 0: none. Default: 4M.",
              [&o](const std::string& word) { o.detail = word == "0" ? 0 : tool::size("--detail", word); });
  line.text("title", "TEXT", "Title of the page. Default: the name of the trace.", o.title);
}

void declare_output(CommandLine& line, Options& o) {
  line.group("Output");
  line.text("output,o", "FILE", "Write to FILE; - (default) is standard output.", o.output);
  tool::declare_sync(line, o.sync);
  line.option("svg", "FIGURE", "Write one figure as SVG: " + tool::one_of(figure_names()) + ".",
              [&o](const std::string& word) {
                const std::vector<std::string_view> names = figure_names();
                o.figure = names[tool::choice("--svg", word, names)];
              });
  line.action("text", "Write the time lines as text, for a terminal.", [&o] { o.kind = Output::text; });
  line.option(
      "width", "COLUMNS", "Width of the text. Default: that of the terminal, else 80.",
      [&o](const std::string& word) { o.width = static_cast<std::size_t>(tool::whole("--width", word, 40, 1000)); });
}

void declare_general(CommandLine& line, Options& o) {
  line.group("General");
  line.option("format,f", "FORMAT",
              "Format of the input: " + tool::readable_formats() + ". Default: detected from the content.",
              [&o](const std::string& word) { o.source.format = tool::input_format("--format", word); });
  tool::declare_paje_unit(line, o.source.units_per_second);
  tool::declare_clock_of(line, o.source.clock_of);
  tool::declare_clock_offsets(line, o.source.clock_offsets);
  line.flag("quiet,q", "Print errors only: no warnings, no progress.", o.quiet);
  line.flag("progress", "Show progress even for short runs or without a terminal.", o.progress);
}

/// Keeps the options that another view of the same trace needs.
void keep_given(CommandLine& line, Options& o) {
  line.observe([&o](const std::string& name, const std::string& value) {
    constexpr std::array<std::string_view, 9> left_out{"--from", "--to",    "--output", "--no-sync", "--svg",
                                                       "--text", "--width", "--quiet",  "--progress"};
    if (std::find(left_out.begin(), left_out.end(), name) == left_out.end()) o.given.emplace_back(name, value);
  });
}

void validate(const Options& o) {
  o.parameters.validate();
  if (o.trace.empty() || (o.before && o.before->empty())) throw UsageError("expected a trace, found an empty name");
  if (o.trace == "-" && o.before && *o.before == "-")
    throw UsageError("only one of the traces can come from standard input");
  if (o.window && o.window->to_s <= o.window->from_s) throw UsageError("--to: expected a time after --from");
}

}  // namespace

std::optional<Options> parse(int argc, const char* const* argv) {
  Options o;
  CommandLine line("clc-view", "[OPTION...] [TRACE]",
                   "Shows a trace and its correction as one page for any browser. '-' is standard "
                   "input, the default.");
  declare_shown(line, o);
  declare_output(line, o);
  declare_general(line, o);
  keep_given(line, o);
  line.operand("TRACE", [&](const std::string& word) { o.trace = word; });
  line.closing("Exit status: 0 done; 1 input or output failed; 2 usage.\n");
  if (!line.parse(argc, argv)) return std::nullopt;

  if (!o.figure.empty()) {
    if (o.kind == Output::text) throw UsageError("--svg and --text: expected one of them");
    if (o.figure == "gamma" && !o.report)
      throw UsageError("--svg gamma: needs the report of clc-filter; give --report FILE");
    o.kind = Output::figure;
  }
  if (o.width && o.kind != Output::text) throw UsageError("--width: expected --text with it");
  validate(o);
  // Less detail than by default: a smaller part is shown to see all of it.
  if (o.detail <= Model::default_detail)
    std::erase_if(o.given, [](const auto& option) { return option.first == "--detail"; });
  return o;
}

}  // namespace clc::view
