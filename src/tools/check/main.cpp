// clc-check: how bad is a trace, and how good is its correction?

#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/error.hpp"
#include "clc/io/format.hpp"
#include "clc/printable.hpp"
#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "correction_check.hpp"
#include "matching/in_step.hpp"
#include "options.hpp"
#include "report.hpp"
#include "trace_check.hpp"

namespace clc::check {

namespace {

constexpr std::string_view program = "clc-check";

void print(const std::string& text) {
  std::cout << printable_lines(text);
  tool::flush_output();
}

Side side_of(const Source& source) {
  return {&source.definitions(), &source.decoder(), [&source](std::uint64_t place) { return source.describe(place); }};
}

/// The judge looks at the order itself.
OpenedSource open(const std::string& path, const Options& options, bool compares) {
  SourceOptions source = options.source;
  source.format = options.format;
  source.any_order = true;
  source.group_lines = compares;
  source.keep_going = true;
  return open_source(path, source);
}

/// What a trace says of its correction stands before its first record, the newest first.
void keep_provenance(const Batch& batch, std::vector<std::string>& provenance) {
  constexpr std::string_view mark = "%provenance ";
  constexpr std::size_t most = 8;
  for (const Batch::Note& note : batch.notes)
    if (note.line.starts_with(mark) && provenance.size() < most) provenance.emplace_back(note.line.substr(mark.size()));
}

/// Parameters with the delays that a corrected trace notes, where none are given. Standard input is read once only.
Parameters noted_parameters(const Options& options) {
  Parameters parameters = options.parameters;
  if (*options.corrected == "-") return parameters;
  std::vector<std::string> provenance;
  try {
    Batch batch;
    const OpenedSource opened = open(*options.corrected, options, false);
    opened.source->read(batch);
    keep_provenance(batch, provenance);
  } catch (const InputError&) {  // told when it is read
  }
  tool::take_noted_delays(parameters, provenance);
  return parameters;
}

int check_trace(const Options& options) {
  const OpenedSource opened = open(options.trace, options, false);
  Source& source = *opened.source;
  std::vector<std::string> provenance;
  std::optional<TraceCheck> made;
  const auto judge_of = [&]() -> TraceCheck& {
    if (made) return *made;
    Parameters parameters = options.parameters;
    tool::take_noted_delays(parameters, provenance);
    return made.emplace(parameters, source.definitions());
  };
  std::exception_ptr damage;
  try {
    Batch batch;
    for (bool more = true; more;) {
      more = source.read(batch);
      if (!made) keep_provenance(batch, provenance);
      for (std::size_t i = 0; i < batch.events.size(); ++i) judge_of().add(batch.events[i], batch.places[i]);
    }
  } catch (const InputError&) {
    damage = std::current_exception();
  }
  TraceCheck& check = judge_of();
  check.finish();
  Subject subject;
  subject.trace = tool::input_name(options.trace);
  subject.complete = !damage;
  subject.all_pairs = options.all_pairs;
  subject.remarks = source.remarks();
  VerdictFigures figures = check.verdict_figures(source.definitions());
  figures.remarks = subject.remarks;
  subject.verdict = judge(figures);
  const Side side = side_of(source);
  print(options.json ? json_report(check, side, subject) : text_report(check, side, subject));
  if (!options.quiet) {
    tool::warn(program, source.warnings());
    tool::warn(program, tool::unused_delays(options.parameters, source.definitions()));
  }
  if (damage) std::rethrow_exception(damage);
  return check.clock_condition_holds() && check.sortedness().unsorted == 0 ? tool::status_ok : tool::status_failed;
}

int check_correction(const Options& options) {
  std::vector<OpenedSource> files;
  std::vector<Side> sides;
  files.push_back(open(options.trace, options, true));
  files.push_back(open(*options.corrected, options, true));
  if (options.truth) files.push_back(open(*options.truth, options, true));
  sides.reserve(files.size());
  for (const OpenedSource& file : files) sides.push_back(side_of(*file.source));

  const Resolution resolution = sides.front().definitions->resolution;
  CorrectionCheck check(noted_parameters(options), sides,
                        options.wait_limit_s ? resolution.ticks_of_seconds(*options.wait_limit_s) : ticks_max);
  std::exception_ptr damage;
  try {
    std::vector<Source*> sources;
    sources.reserve(files.size());
    for (const OpenedSource& file : files) sources.push_back(file.source.get());
    read_in_step(sources, check);
  } catch (const InputError&) {
    damage = std::current_exception();
  }
  check.finish(!damage);
  Subject subject;
  subject.trace = tool::input_name(options.trace);
  subject.corrected = tool::input_name(*options.corrected);
  if (options.truth) subject.truth = tool::input_name(*options.truth);
  subject.complete = !damage;
  subject.remarks = files.front().source->remarks();
  VerdictFigures figures = check.verdict_figures();
  figures.remarks = subject.remarks;
  subject.verdict = judge(figures);
  print(options.json ? json_report(check, sides.front(), subject) : text_report(check, sides.front(), subject));
  if (!options.quiet) {
    for (const OpenedSource& file : files) tool::warn(program, file.source->warnings());
    tool::warn(program, tool::unused_delays(options.parameters, *sides.front().definitions));
  }
  if (damage) std::rethrow_exception(damage);
  return check.laws_hold() ? tool::status_ok : tool::status_failed;
}

int run(int argc, const char* const* argv) {
  Options options;
  if (!command_line(options).parse(argc, argv)) return tool::status_ok;
  validate(options);
  return options.corrected ? check_correction(options) : check_trace(options);
}

}  // namespace

}  // namespace clc::check

int main(int argc, char** argv) {
  return clc::tool::run_program(clc::check::program, [&] { return clc::check::run(argc, argv); });
}
