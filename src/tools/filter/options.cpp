#include "filter/options.hpp"

#include "clc/error.hpp"
#include "common/clock_options.hpp"
#include "common/command_line.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "common/values.hpp"

namespace clc::filter {

namespace {

using tool::CommandLine;
using tool::shortest;

const Parameters defaults;

std::string default_text(double value, const std::string& unit = {}) {
  return " Default: " + shortest(value) + (unit.empty() ? "" : ' ' + unit) + '.';
}

void take_sweep(Options& o, const std::string& value) {
  const std::size_t colon = value.find(':');
  if (colon == std::string::npos) throw UsageError("--sweep-mmd: expected FROM:TO, found '" + value + "'");
  const auto delay = [&](const std::string& word) {
    return tool::number_that(
        "--sweep-mmd", word, "microseconds", [](double x) { return x > 0; }, "more than 0 microseconds");
  };
  o.sweep = SweptDelays{delay(value.substr(0, colon)), delay(value.substr(colon + 1))};
  if (o.sweep->from > o.sweep->to) throw UsageError("--sweep-mmd: expected FROM below TO, found '" + value + "'");
  o.dry_run = true;
}

void declare_clock(CommandLine& line, Options& o) {
  Parameters& p = o.parameters;
  line.group("Clock");
  tool::declare_min_delay(line, o, p);
  line.option(
      "sweep-mmd", "FROM:TO",
      "Write no trace, but a table to standard output: what the correction does with minimum delays from FROM "
      "to TO, microseconds, four for each power of ten. The trace is read once for all of them, and once before to "
      "find lost records.",
      [&o](const std::string& v) { take_sweep(o, v); });
  tool::declare_max_error(line, p);
  tool::declare_clock_difference(line, "Initial estimate of the largest clock difference", o, p);
  tool::declare_bandwidth(line, p.bandwidth_mb_s, "nothing is added");
  tool::declare_delta(line, p);
  line.option(
      "match", "RULE",
      "fifo: the n-th receive of a channel matches its n-th send; resync: also detect sends and receives whose "
      "other end is missing from the trace; whole: the same, but the trace is read first, which finds many more of "
      "them. Default: resync, but whole if ends are missing and both input and output are files; fifo with "
      "--online; whole with --backwards, --combine, --from, --to and --sweep-mmd; with --estimate and --auto whole or "
      "fifo, depending on whether ends are missing.",
      [&o](const std::string& v) { o.match = tool::match_rule(v); });
  tool::declare_amortization(line, p);
}

void declare_order(CommandLine& line, Parameters& p) {
  line.option("order", "RULE",
              "What regulators B and C and the growth of -cldiff see: events: all events processed before; epochs: all "
              "events up to an earlier time, so that the order of processing does not matter. Default: events.",
              [&p](const std::string& v) {
                p.order = tool::choice("--order", v, {"events", "epochs"}) == 0 ? Parameters::Order::events
                                                                                : Parameters::Order::epochs;
              });
}

void declare_alignment(CommandLine& line, Options& o) {
  line.group("Mapping clocks before the correction");
  tool::declare_maps(line, o);
  line.option("look-ahead", "S",
              "With --estimate=smooth (if omitted) or line: read the trace once, in bounded memory, and estimate the "
              "clocks from the records up to S seconds of trace time ahead; also with --online.",
              [&o](const std::string& v) {
                o.look_ahead_s = tool::number_that(
                    "--look-ahead", v, "seconds", [](double x) { return x > 0; }, "more than 0 seconds");
              });
  line.flag("write-offsets",
            "OTF2 archives: keep the times of all events, and write the map of --estimate or --offsets as clock "
            "offsets, which other programs apply. Nothing is corrected.",
            o.write_offsets);
}

void declare_direction(CommandLine& line, Options& o) {
  line.group("Direction and window");
  line.flag(
      "backwards",
      "Run the clock from the end of the trace to its beginning: events move to earlier times instead of later ones. "
      "Keeps the trace in a temporary file.",
      o.backwards);
  line.option("combine", "RULE",
              "mean: run the clock forwards and backwards, and write the mean of both times of each event, which "
              "halves the large corrections at both ends; off: one direction only. Default: off.",
              [&o](const std::string& v) {
                o.mean = tool::choice("--combine", v, {"mean", "off"}) == 0;
              });
  line.number("from", "S", "Correct and write only events from this time on, seconds since the first event.",
              tool::at_least_zero, "seconds", o.from_s);
  line.number("to", "S", "Correct and write only events up to this time, seconds since the first event.",
              tool::at_least_zero, "seconds", o.to_s);
}

void declare_input_and_output(CommandLine& line, Options& o) {
  line.group("Input and output");
  line.text("output,o", "FILE",
            "Write to FILE; an existing file is replaced when the output is complete. For an OTF2 archive: a folder "
            "that does not exist yet; FOLDER/ for a trace of each of several inputs, too. Default: standard output.",
            o.output);
  line.option("input-format,f", "FMT", tool::readable_formats() + ". Default: detected from the content.",
              [&o](const std::string& v) { o.source.format = tool::input_format("-f", v); });
  line.option("output-format,F", "FMT", tool::writable_formats() + ". Default: as the input.",
              [&o](const std::string& v) { o.writing.output_format = tool::output_format("-F", v); });
  line.option_or("zstd,z", "LEVEL", "3",
                 "Compress with zstd, level 1 to 22 (3 if omitted); 0: do not compress. Default: as the input.",
                 [&o](const std::string& v) { o.writing.zstd_level = static_cast<int>(tool::whole("-z", v, 0, 22)); });
  line.text("files-from", "LIST", "Read the traces named in LIST, one per line, too; - is standard input.",
            o.source.files_from);
  line.number("sort-window", "US",
              "Accept and sort records that are out of order by up to this many microseconds. Default: 0 us.",
              tool::at_least_zero, "microseconds", o.source.sort_window_us);
  tool::declare_paje_unit(line, o.source.units_per_second);
  tool::declare_clock_of(line, o.source.clock_of);
  line.option("threads", "N",
              "Number of threads. 1: only the clock's; 2: also one that writes; 3: also one that reads; more: only to "
              "write OTF2 archives; auto: depends on formats and processors. The result is always the same. Default: "
              "auto.",
              [&o](const std::string& v) {
                o.threads.reset();
                if (v != "auto") o.threads = static_cast<unsigned>(tool::whole("--threads", v, 1, 1024));
              });
  line.flag("keep-going",
            "Correct the readable part of a damaged OTF2 archive, or of several traces; the exit status is still 1.",
            o.source.keep_going);
  line.flag("online", "Live input: write all final events whenever the input pauses.", o.online);
  line.option("transfer", "US",
              "With --online: allowance for records that take longer than all before them to arrive, microseconds. "
              "off: the clock of this machine does not count, only the times of records." +
                  default_text(Options::default_transfer_us, "us"),
              [&o](const std::string& v) {
                o.transfer_given = true;
                o.transfer_us = tool::at_least_zero_or_off("--transfer", v, "microseconds");
              });
  line.flag("keep-original", "Keep the recorded time beside the corrected one.", o.writing.keep_original);
  line.flag("no-provenance", "Do not record version and options in the output.", o.writing.provenance, false);
  line.flag("no-correction", "Copy the records without correcting them, to convert formats.", o.correction, false);
  tool::declare_sync(line, o.writing.sync);
  line.flag("dry-run", "Compute and report, but write no trace, not even with -o.", o.dry_run);
}

void declare_otf2(CommandLine& line, Options& o) {
  line.group("OTF2 archives");
  line.flag("overwrite", "Replace the archive in the output folder.", o.writing.overwrite);
  tool::declare_clock_offsets(line, o.source.clock_offsets);
  tool::declare_thread_delay(line, "With --clock-of location", o.source);
}

void declare_report(CommandLine& line, Options& o) {
  line.group("Report");
  line.text("report", "FILE", "Write the analysis to FILE; - is standard output (needs -o or --dry-run).",
            o.reporting.report);
  line.option("report-format", "FMT", "Format of --report: text (for people) or json (everything). Default: text.",
              [&o](const std::string& v) {
                o.reporting.report_format =
                    tool::choice("--report-format", v, {"text", "json"}) == 0 ? ReportFormat::text : ReportFormat::json;
              });
  line.number("max-shift", "US",
              "Warn when an event is moved by more than this many microseconds; off: never. Default: off.",
              tool::at_least_zero_or_off, "microseconds", o.reporting.max_shift_us);
  line.number("max-local-error", "PCT",
              "Warn when the length of an interval between two events of a process changed by more than this many "
              "percent; off: never. Default: off.",
              tool::at_least_zero_or_off, "percent", o.reporting.max_local_error_percent);
  line.flag("strict",
            "Exit with status 3 if something stays unresolved, violations are left, the verdict is bad, or a change "
            "exceeds --max-shift or --max-local-error.",
            o.reporting.strict);
}

void declare_limits(CommandLine& line, Parameters& p) {
  line.group("Limits");
  line.number(
      "wait-limit", "S",
      "How long a receive may wait for its send, seconds of trace time." + default_text(defaults.wait_limit_s, "s"),
      tool::at_least_zero, "seconds", p.wait_limit_s);
  tool::declare_max_memory(line,
                           "Limit for buffered events; when it is reached, events are finalized early, then the "
                           "oldest waits are given up",
                           p);
}

void declare_messages(CommandLine& line, Options& o) {
  line.group("Messages");
  line.flag("verbose,v", "Print the report on standard error.", o.verbose);
  line.flag("quiet,q", "Print errors only: no warnings, no progress; -v still prints the report.", o.quiet);
  line.flag("progress", "Show progress even for short runs or without a terminal.", o.progress);
}

/// What needs the clock, or another output.
void validate_write_offsets(const Options& o) {
  if (!o.estimate && !o.offsets) throw UsageError("--write-offsets: expected --estimate or --offsets FILE with it");
  if (o.writing.output_format && o.writing.output_format != Format::otf2)
    throw UsageError("--write-offsets writes an OTF2 archive; leave out -F");
  for (const auto& [given, name] :
       {std::pair(!o.correction, "--no-correction"), std::pair(o.writing.keep_original, "--keep-original"),
        std::pair(o.dry_run, "--dry-run"), std::pair(o.reporting.report.has_value(), "--report"),
        std::pair(o.verbose, "--verbose"), std::pair(o.reporting.strict, "--strict"),
        std::pair(o.reporting.max_shift_us.has_value(), "--max-shift"),
        std::pair(o.reporting.max_local_error_percent.has_value(), "--max-local-error")})
    if (given) throw UsageError(std::string(name) + " makes no sense with --write-offsets, which corrects nothing");
}

/// What a single pass cannot do.
void validate_look_ahead(const Options& o) {
  if (o.estimate_off || (*o.estimate != sync::Method::smooth && *o.estimate != sync::Method::line))
    throw UsageError("--look-ahead: expected --estimate=smooth or line with it, found " +
                     (o.estimate_off ? "off" : std::string(tool::name_of(*o.estimate))));
  for (const auto& [given, name] :
       {std::pair(o.offsets.has_value(), "--offsets"), std::pair(o.write_offsets, "--write-offsets"),
        std::pair(!o.correction, "--no-correction")})
    if (given) throw UsageError("--look-ahead makes no sense with " + std::string(name));
  if (o.match == Match::whole)
    throw UsageError("--match whole reads the trace twice, which --look-ahead does not; give --match resync");
  const std::string name = o.min_delay_auto ? "-mmd" : "-cldiff";
  if (o.two_passes())
    throw UsageError(name + " auto reads the trace twice, which --look-ahead does not; give " + name + " US");
}

void validate_direction(const Options& o) {
  if (o.from_s && o.to_s && *o.to_s < *o.from_s) throw UsageError("--to: expected a time after --from");
  if (!o.replays()) return;
  const std::string option = o.mean ? "--combine mean" : o.backwards ? "--backwards" : o.from_s ? "--from" : "--to";
  if (o.online) throw UsageError(option + " keeps the trace in a temporary file, which --online cannot");
  if (o.write_offsets) throw UsageError(option + " makes no sense with --write-offsets, which corrects nothing");
  if (o.look_ahead_s) throw UsageError(option + " keeps the trace in a temporary file, so leave out --look-ahead");
  if (o.match == Match::resynchronise)
    throw UsageError(option +
                     " keeps the trace in a temporary file, and finds lost records before that; leave out "
                     "--match, or give --match fifo");
  if (!o.correction && (o.mean || o.backwards)) throw UsageError(option + " makes no sense with --no-correction");
}

/// What writes a trace or another report, or runs the clock only once.
void validate_sweep(const Options& o) {
  for (const auto& [given, name] :
       {std::pair(!o.correction, "--no-correction"), std::pair(o.online, "--online"),
        std::pair(o.replays(), "--backwards, --combine, --from or --to"), std::pair(o.write_offsets, "--write-offsets"),
        std::pair(o.min_delay_auto, "-mmd auto"), std::pair(o.output != "-", "-o"),
        std::pair(o.reporting.report.has_value(), "--report"),
        std::pair(o.reporting.report_format == ReportFormat::json, "--report-format json"),
        std::pair(o.verbose, "--verbose"), std::pair(o.reporting.strict, "--strict"),
        std::pair(o.reporting.max_shift_us.has_value(), "--max-shift"),
        std::pair(o.reporting.max_local_error_percent.has_value(), "--max-local-error")})
    if (given) throw UsageError(std::string(name) + " makes no sense with --sweep-mmd, which only prints a table");
}

/// Is a trace, if it is alone, written into a folder as several ones are?
bool is_for_set(const Options& o) {
  const bool is_archive = o.writing.output_format && is_folder(*o.writing.output_format);
  return !o.dry_run && !o.online && !is_archive && o.output.ends_with('/') &&
         (o.several() || tool::same_input_twice(o.input));
}

Match usual_match(const Options& o) {
  const bool searches = (o.replays() && o.correction) || (o.sweep && !o.look_ahead_s);
  return searches ? Match::whole : o.match_without_search();
}

void validate(const Options& o) {
  o.parameters.validate();
  if (o.sweep) validate_sweep(o);
  if (o.look_ahead_s) validate_look_ahead(o);
  validate_direction(o);
  tool::check_thread_delay(o.source);
  tool::check_maps(o);
  if (o.write_offsets) validate_write_offsets(o);
  const std::string two_passes = o.reason();
  if (o.transfer_given && !o.online) throw UsageError("--transfer makes no sense without --online");
  if (o.transfer_given && o.transfer_us && o.correction && !o.transfer_in_effect())
    throw UsageError(
        "--transfer: has no effect with --sort-window, --offsets or --look-ahead, which hold records until later ones "
        "arrive; leave out one of them");
  if (o.two_passes() && o.online)
    throw UsageError(two_passes + " reads the trace twice, which --online cannot" +
                     (o.estimate ? "; add --look-ahead S to estimate in one pass" : ""));
  if (o.match == Match::whole && o.online)
    throw UsageError("--match whole reads the trace twice, which --online cannot; give --match fifo or resync");
  if (!o.correction && o.two_passes()) throw UsageError(two_passes + " makes no sense with --no-correction");
  if (!o.correction && o.offsets) throw UsageError("--offsets makes no sense with --no-correction");
  if (o.several() && o.online)
    throw UsageError(
        "--online: expected one INPUT, found several; correct them without --online when the program has ended");
  if (o.reporting.report == "-" && o.output == "-" && !o.dry_run)
    throw UsageError("--report -: standard output takes the trace; use -o FILE or --dry-run");
  if (!o.correction && (o.reporting.report || o.verbose))
    throw UsageError(std::string(o.reporting.report ? "--report" : "--verbose") +
                     ": nothing to report with --no-correction");
  if (o.reporting.report_format == ReportFormat::json && !o.reporting.report)
    throw UsageError("--report-format json: expected --report FILE with it; -v prints text");
  if (!o.correction && (o.reporting.strict || o.reporting.max_shift_us || o.reporting.max_local_error_percent))
    throw UsageError("--strict, --max-shift and --max-local-error make no sense with --no-correction");
}

}  // namespace

std::optional<double> Options::transfer_in_effect() const {
  // Records that wait for others ahead of the filter are older than the clock tells.
  if (!online || !correction || source.sort_window_us > 0 || offsets || look_ahead_s) return std::nullopt;
  return transfer_us;
}

std::optional<Options> parse(int argc, const char* const* argv) {
  Options o;
  CommandLine line(std::string(program), "[OPTION...] [INPUT...] [-o OUTPUT]",
                   "Corrects the time stamps of a trace: afterwards every message and every collective operation takes "
                   "at least the minimum message delay. Several traces are merged. By default reads standard input and "
                   "writes standard output. "
                   "Options may be written with one dash or two, followed by a value after a blank or =; one that may "
                   "be left out only after =.");
  declare_clock(line, o);
  line.group("Regulators");
  tool::declare_regulators(line, o.parameters);
  declare_order(line, o.parameters);
  declare_alignment(line, o);
  tool::declare_auto(line, o, o.parameters);
  declare_direction(line, o);
  declare_input_and_output(line, o);
  declare_otf2(line, o);
  declare_report(line, o);
  declare_limits(line, o.parameters);
  declare_messages(line, o);
  bool named = false;
  line.operands("INPUT", [&](const std::string& v) {
    if (v.empty()) throw UsageError("INPUT: expected a file, found an empty name");
    if (named) o.source.further.push_back(v);
    if (!named) o.input = v;
    named = true;
  });
  line.closing(
      "Exit status: 0 done; 1 input or output failed; 2 usage; 3 with --strict: done,\n"
      "but something stayed unresolved, violations are left, the verdict is bad, or a\n"
      "change exceeds --max-shift or --max-local-error.\n");
  if (!line.parse(argc, argv)) return std::nullopt;
  if (!named && !o.source.files_from.empty()) o.input.clear();
  if (o.look_ahead_s && !o.estimate) o.estimate = sync::Method::smooth;
  validate(o);
  o.source.as_set = is_for_set(o);
  o.parameters.match = o.match.value_or(usual_match(o));
  return o;
}

std::string input_name(const Options& options) {
  const std::string name = clc::input_name(options.input.empty() ? options.source.files_from : options.input);
  const std::size_t others = options.source.further.size();
  return others == 0 ? name : name + " and " + std::to_string(others) + (others == 1 ? " other" : " others");
}

std::string effective(const Options& options, double min_delay_us) {
  std::string text = options.write_offsets ? "--write-offsets"
                     : options.correction ? tool::effective_clock(options.parameters, min_delay_us) + " --wait-limit " +
                                                shortest(options.parameters.wait_limit_s) + " --max-memory " +
                                                std::to_string(options.parameters.max_memory)
                                          : "--no-correction";
  text += tool::effective_maps(options);
  if (options.look_ahead_s) text += " --look-ahead " + shortest(*options.look_ahead_s);
  if (options.backwards && !options.mean) text += " --backwards";
  if (options.mean) text += " --combine mean";
  if (options.from_s) text += " --from " + shortest(*options.from_s);
  if (options.to_s) text += " --to " + shortest(*options.to_s);
  if (options.source.sort_window_us > 0) text += " --sort-window " + shortest(options.source.sort_window_us);
  if (options.source.units_per_second != 1)
    text += " --paje-unit " + std::string(tool::unit_name(options.source.units_per_second));
  text += tool::effective_archive(options.source);
  if (options.source.keep_going) text += " --keep-going";
  if (options.writing.keep_original) text += " --keep-original";
  if (const std::optional<double> us = options.transfer_in_effect()) text += " --online --transfer " + shortest(*us);
  return text;
}

}  // namespace clc::filter
