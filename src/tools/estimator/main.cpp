// clc-sync: how far is each clock ahead?

#include <unistd.h>

#include <optional>
#include <string>

#include "clc/error.hpp"
#include "clc/parameters.hpp"
#include "common/program.hpp"
#include "comparison/comparison.hpp"
#include "comparison/on_trace.hpp"
#include "estimation/estimation.hpp"
#include "estimator/options.hpp"
#include "estimator/report.hpp"
#include "formats/bytes/files.hpp"
#include "lost/search.hpp"

namespace clc::estimator {

namespace {

constexpr std::string_view program = "clc-sync";

/// All methods on a trace or, without one, on simulated programs: table 7.1 of the thesis, measured.
int compare(const Options& options) {
  OutputFile output(options.output);
  std::ostream& out = output.stream();
  if (options.named) {
    const std::string name = input_name(options.input);
    const auto rows = comparison::compare_on(options.input, options.source, options.estimation);
    if (options.json)
      comparison::write_json(out, rows, name);
    else
      comparison::write_text(out, rows, name);
  } else {
    std::vector<comparison::Row> rows;
    const std::uint64_t first_seed = options.first_seed.value_or(Options::default_first_seed);
    const std::uint64_t seeds = options.seeds.value_or(Options::default_seeds);
    for (const comparison::Demand& demand : comparison::demands())
      rows.push_back({demand, comparison::compare(demand, first_seed, seeds)});
    if (options.json)
      comparison::write_json(out, rows, first_seed, seeds);
    else
      comparison::write_text(out, rows, first_seed, seeds);
  }
  output.close();
  return tool::status_ok;
}

int run(int argc, const char* const* argv) {
  Options options;
  if (!command_line(options).parse(argc, argv)) return tool::status_ok;
  validate(options);
  if (options.compare && !options.named) return compare(options);
  if (options.input.empty()) throw UsageError("INPUT: expected a file, found an empty name");
  if (options.input == "-" && ::isatty(STDIN_FILENO) == 1)
    throw UsageError("standard input is a terminal; name a trace or use a pipe");
  if (writes_over(options.input, options.output))
    throw UsageError(output_name(options.output) + " is the input; write to another file");
  if (!options.offsets.empty() && writes_over(options.offsets, options.output))
    throw UsageError(output_name(options.output) + " is the file of --offsets; write to another file");
  if (options.compare) return compare(options);
  const std::string method(tool::name_of(options.estimation.method));
  std::optional<tool::OffsetsFile> offsets;
  if (!options.offsets.empty())
    offsets = tool::read_measured(options.offsets, options.estimation.method, "--method " + method);
  options.source.any_order = true;  // that of each process is enough
  options.source.as_input = true;
  lost::Search lost(options.input, Parameters().max_memory);
  const OpenedSource opened = open_source(options.input, options.source);
  Source& source = *opened.source;
  OutputFile output(options.output);
  tool::Again again;
  if (tool::same_input_twice(options.input)) again = [&] { return lost.open_marked(options.source); };
  const tool::FirstPass pass =
      tool::first_pass(source, {input_name(options.input), opened.archive && !options.source.clock_offsets},
                       options.estimation, false, false, again, offsets ? &*offsets : nullptr);
  const sync::Estimate& estimate = pass.estimate;
  const bool by_messages = options.estimation.method != sync::Method::measured && estimate.edges > 0;
  const bool matched_once = by_messages && !again && !pass.complete;
  if (matched_once && !options.quiet)
    tool::warn(program,
               input_name(options.input) +
                   ": records are missing, and this input can be read only once: messages may be matched wrongly; "
                   "copy it to a file and name that");
  if (!options.quiet) tool::warn(program, pass.warnings);
  tool::require_solution(estimate, source.definitions(), input_name(options.input) + ": --method " + method);
  output.stream() << "# clc-sync " << tool::version() << " --method " << method << '\n';
  const std::string contradiction =
      options.estimation.method == sync::Method::measured ? tool::contradiction_text(estimate) : std::string();
  write_report(output.stream(), estimate, source.definitions(), input_name(options.input), contradiction,
               options.estimation.bandwidth_mb_s.has_value());
  write_offsets(output.stream(), estimate, source.definitions());
  output.close();
  if (!options.quiet) {
    if (!matched_once) tool::warn(program, tool::warnings_of_steps(estimate, source.definitions()));
    tool::warn(program, tool::warnings_of_measurements(estimate, source.definitions()));
    if (!contradiction.empty()) tool::warn(program, contradiction);
    tool::warn(program, source.warnings());
  }
  return tool::status_ok;
}

}  // namespace

}  // namespace clc::estimator

int main(int argc, char** argv) {
  return clc::tool::run_program(clc::estimator::program, [&] { return clc::estimator::run(argc, argv); });
}
