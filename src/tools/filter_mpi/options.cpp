#include "filter_mpi/options.hpp"

#include "clc/error.hpp"
#include "common/clock_options.hpp"
#include "common/command_line.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/values.hpp"

namespace clc::filter_mpi {

namespace {

using tool::CommandLine;

void declare_clock(CommandLine& line, Options& o) {
  Parameters& p = o.parameters;
  line.group("Clock");
  tool::declare_min_delay(line, o, p);
  tool::declare_max_error(line, p);
  tool::declare_clock_difference(line, "Largest clock difference", o, p);
  tool::declare_bandwidth(line, p.bandwidth_mb_s, "nothing is added");
  tool::declare_delta(line, p);
  line.option("match", "RULE",
              "fifo: the n-th receive of a channel matches its n-th send; whole: where records are missing, the first "
              "process finds out which, for which it reads the whole archive. Default: whole.",
              [&o](const std::string& v) {
                o.match = tool::choice("--match", v, {name_of(Match::fifo), name_of(Match::whole)}) == 0 ? Match::fifo
                                                                                                         : Match::whole;
              });
  tool::declare_amortization(line, p);
}

void declare_archives(CommandLine& line, Options& o) {
  line.group("Input and output");
  line.text("output,o", "FOLDER", "Write the archive to FOLDER, which does not exist yet.", o.output);
  line.flag("overwrite", "Replace the archive in the output folder.", o.overwrite);
  line.flag("keep-going", "Correct the readable part of a damaged archive; the exit status is still 1.",
            o.source.keep_going);
  tool::declare_clock_offsets(line, o.source.clock_offsets);
  tool::declare_clock_of(line, o.source.clock_of);
  tool::declare_thread_delay(line, "With --clock-of location", o.source);
  line.flag("keep-original", "Keep the recorded time beside the corrected one.", o.keep_original);
  line.flag("no-provenance", "Do not record version and options in the output.", o.provenance, false);
  tool::declare_sync(line, o.sync);
  tool::declare_max_memory(line, "Limit for what a process holds", o.parameters);
  line.flag("dry-run", "Compute and report, but write no archive, not even with -o.", o.dry_run);
}

void declare_report(CommandLine& line, Options& o) {
  line.group("Report and messages");
  line.text("report", "FILE", "Write the figures of the run to FILE; - is standard output.", o.report);
  tool::declare_report_format(line, "FMT", "--report", o.json);
  line.flag("strict", "Exit with status 3 if something stays unresolved or the verdict is bad.", o.strict);
  line.flag("verbose,v", "Print the report on standard error.", o.verbose);
  line.flag("quiet,q", "Print errors only: no warnings; -v still prints the report.", o.quiet);
}

void validate(const Options& o) {
  o.parameters.validate();
  tool::check_thread_delay(o.source);
  tool::check_maps(o);
  if (o.input.empty()) throw UsageError("INPUT: expected an OTF2 archive, found none");
  if (o.json && !o.report) throw UsageError("--report-format json: expected --report FILE with it; -v prints text");
  if (o.output.empty() && !o.dry_run) throw UsageError("-o: expected a folder for the archive, or --dry-run");
}

}  // namespace

std::optional<Options> parse(int argc, const char* const* argv) {
  Options o;
  CommandLine line(
      "clc-filter-mpi", "[OPTION...] INPUT -o FOLDER",
      "Corrects the time stamps of an OTF2 archive in parallel, under mpirun. The result does not depend on "
      "the number of processes: regulators act by epochs of the trace. "
      "Options may be written with one dash or two, followed by a value after a blank or =; one that may be left out "
      "only after =.");
  declare_clock(line, o);
  line.group("Regulators");
  tool::declare_regulators(line, o.parameters);
  line.group("Mapping clocks before the correction");
  tool::declare_maps(line, o);
  tool::declare_auto(line, o, o.parameters);
  declare_archives(line, o);
  declare_report(line, o);
  line.operand("INPUT", [&o](const std::string& v) { o.input = v; });
  line.closing(
      "Exit status: 0 done; 1 input or output failed; 2 usage; 3 with --strict: done,\n"
      "but something stayed unresolved, or the verdict is bad.\n");
  if (!line.parse(argc, argv)) return std::nullopt;
  o.parameters.match = Match::fifo;
  o.parameters.order = Parameters::Order::epochs;
  validate(o);
  return o;
}

std::string effective(const Options& options, double min_delay_us) {
  std::string text = tool::effective_clock(options.parameters, min_delay_us) + tool::effective_maps(options) +
                     tool::effective_archive(options.source);
  if (options.source.keep_going) text += " --keep-going";
  if (options.keep_original) text += " --keep-original";
  return text;
}

}  // namespace clc::filter_mpi
