#include "options.hpp"

#include "clc/error.hpp"
#include "common/clock_options.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/values.hpp"

namespace clc::check {

namespace {

void declare_comparison(tool::CommandLine& line, Options& options) {
  line.group("Comparison");
  line.text("truth", "FILE",
            "A trace of the same records with their true times: report the errors before and after the correction.",
            options.truth);
  line.text("offsets", "FILE",
            "The map of the clocks that clc-filter --offsets applied before the correction: check the laws relative to "
            "mapped times. Default: the map that the corrected trace records.",
            options.offsets);
  line.option("direction", "WAY",
              "The direction in which the clock ran: forwards, backwards (clc-filter --backwards) or both (--combine "
              "mean). Default: what the corrected trace records, else forwards.",
              [&options](const std::string& word) {
                options.direction =
                    static_cast<tool::Direction>(tool::choice("--direction", word, {"forwards", "backwards", "both"}));
              });
  const std::string border =
      " this time on, seconds since the first event of TRACE. Default: what the corrected trace records.";
  line.number("from", "S", "CORRECTED has only the events from" + border, tool::at_least_zero, "seconds",
              options.part.from_s);
  line.number("to", "S", "The same up to" + border, tool::at_least_zero, "seconds", options.part.to_s);
  line.number(
      "wait-limit", "S",
      "Report edges separately that clc-filter gives up with this wait limit, seconds. Default: all edges are judged.",
      tool::number, "seconds", options.wait_limit_s);
}

}  // namespace

tool::CommandLine command_line(Options& options) {
  tool::CommandLine line(
      "clc-check", "[OPTION...] TRACE [CORRECTED]",
      "Checks how often and by how much a trace violates the clock condition. With CORRECTED, checks whether that is a "
      "correction of TRACE that obeys all laws, and how accurate it is. '-' is standard input.");
  line.group("Minimum message delay");
  line.option("-mmd", "[FROM:TO=|node=]US",
              "Minimum message delay, microseconds; optionally for one pair of processes or inside nodes. Repeatable. "
              "Default: the value that clc-filter recorded in the trace, else the min-delay of the trace, else 1 us.",
              [&options](const std::string& word) { tool::take_min_delay(options.parameters, word); });
  tool::declare_bandwidth(line, options.parameters.bandwidth_mb_s,
                          "the value recorded by clc-filter unless -mmd is given, else nothing is added");
  tool::declare_thread_delay(line, "With --clock-of location", options.source,
                             "the value recorded by clc-filter unless --clock-of is given, else ");
  line.group("Messages");
  line.option(
      "match", "RULE",
      "fifo: the n-th receive of a channel matches its n-th send; resync: also detect sends and receives whose "
      "other end is missing, as clc-filter --match resync; whole: the same, as clc-filter --match whole. Default: what "
      "the correction used, else resync.",
      [&options](const std::string& word) { options.match = tool::match_rule(word); });
  declare_comparison(line, options);
  line.group("General");
  line.option(
      "sweep-mmd", "FROM:TO",
      "Run clc-filter with the same arguments: a table of what the correction of TRACE does with several minimum "
      "delays, microseconds.",
      [&options](const std::string&) { options.sweep = true; });
  line.option("format,f", "FORMAT",
              "Format of the input: " + tool::readable_formats() + ". Default: detected from the content.",
              [&options](const std::string& word) { options.format = tool::input_format("--format", word); });
  tool::declare_paje_unit(line, options.source.units_per_second);
  tool::declare_clock_of(
      line, [&options](ClockOf what) { options.clock_of = options.source.clock_of = what; },
      "what the correction used, else process");
  tool::declare_clock_offsets(line, options.source.clock_offsets);
  tool::declare_report_format(line, "FORMAT", "the report", options.json);
  line.flag("all-pairs", "List all pairs of processes, not only the 16 worst.", options.all_pairs);
  line.flag("quiet,q", "Print errors only, no warnings.", options.quiet);
  line.operand("TRACE", [&options](const std::string& word) { options.trace = word; });
  line.operand("CORRECTED", [&options](const std::string& word) { options.corrected = word; });
  line.closing(
      "Exit status: 0 the clock condition holds, or the correction obeys all laws;\n"
      "1 it does not, or a trace is not sorted or cannot be read; 2 usage.\n");
  return line;
}

void validate(const Options& options) {
  options.parameters.validate();
  tool::check_thread_delay(options.source);
  if (options.trace.empty()) throw UsageError("expected a trace to check; use - for standard input");
  if (options.truth && !options.corrected)
    throw UsageError("--truth needs a corrected trace in addition to the recorded one");
  if (options.offsets && !options.corrected)
    throw UsageError("--offsets needs a corrected trace in addition to the recorded one");
  if (options.direction && !options.corrected)
    throw UsageError("--direction needs a corrected trace in addition to the recorded one");
  if (options.part.any() && !options.corrected)
    throw UsageError("--from and --to need a corrected trace in addition to the recorded one");
  if (options.wait_limit_s && !options.corrected)
    throw UsageError("--wait-limit needs a corrected trace in addition to the recorded one");
  if (options.wait_limit_s && *options.wait_limit_s < 0)
    throw UsageError("--wait-limit: expected seconds, 0 or more, found " + tool::shortest(*options.wait_limit_s));
  const auto from_input = [](const std::optional<std::string>& path) { return path && *path == "-" ? 1 : 0; };
  if (from_input(options.trace) + from_input(options.corrected) + from_input(options.truth) > 1)
    throw UsageError("only one of the traces can come from standard input");
}

}  // namespace clc::check
