// clc-check: how bad is a trace, and how good is its correction?

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/format.hpp"
#include "clc/io/record.hpp"
#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "common/provenance.hpp"
#include "common/values.hpp"
#include "correction_check.hpp"
#include "matching/in_step.hpp"
#include "options.hpp"
#include "report.hpp"
#include "trace/printable.hpp"
#include "trace_check.hpp"

namespace clc::check {

namespace {

constexpr std::string_view program = "clc-check";

void print(const std::string& text) {
  std::cout << printable_lines(text);
  tool::flush_output();
}

Side side_of(const OpenedSource& opened) {
  const Source& source = *opened.source;
  return {&source.definitions(), &source.decoder(), [&source](std::uint64_t place) { return source.describe(place); },
          opened.format == Format::otf2, opened.parts != nullptr};
}

/// A trace that is read, more than once if need be.
struct Input {
  std::string path;
  std::shared_ptr<const KeptInput> kept = nullptr;
  bool ends_at_damage = false;  ///< of several traces none is read on behind the damage of one
};

/// What can be read only once is kept in a temporary file.
Input kept(const std::string& path, const Options& options) {
  return {path, tool::kept_if_read_once(path, options.format)};
}

/// The judge looks at the order itself.
OpenedSource open(const Input& input, const Options& options, bool compares) {
  SourceOptions source = options.source;
  source.kept = input.kept;
  source.format = options.format;
  source.any_order = true;
  source.group_lines = compares;
  source.as_input = !compares;  // else records are compared as a whole
  source.keep_going = true;
  if (!input.ends_at_damage) return open_source(input.path, source);
  try {
    SourceOptions strict = source;
    strict.keep_going = false;
    OpenedSource opened = open_source(input.path, strict);
    if (opened.archive == nullptr) return opened;
  } catch (const InputError&) {  // damaged since it was corrected
  }
  return open_source(input.path, source);
}

/// What a trace says of its correction, before its first record or, if the map of its clocks grows, up to its end.
tool::Provenance provenance_of(const Input& input, const Options& options) {
  try {
    const OpenedSource opened = open(input, options, false);
    return tool::provenance_in(*opened.source, opened.archive != nullptr);
  } catch (const InputError&) {  // told when it is read
    return {};
  }
}

/// With the clocks of the correction, unless the user named some.
Options with_noted_clocks(Options options, const tool::Provenance& provenance) {
  if (options.clock_of) return options;
  const tool::NotedClocks noted = provenance.clocks();
  options.source.clock_of = noted.clock_of;
  options.source.thread_delay_us = noted.thread_delay_us;
  return options;
}

/// How the newest correction that a trace tells of matched messages.
struct Matching {
  Match match = Match::resynchronise;
  bool always = false;  ///< also where nothing seems to be missing
  double wait_limit_s = Parameters().wait_limit_s;
};

Matching matching_of(const tool::Provenance& provenance, const Options& options) {
  Matching matching;
  const std::optional<Match> noted = provenance.match();
  matching.match = noted.value_or(matching.match);
  matching.always = noted && noted != Match::fifo;
  matching.wait_limit_s = options.wait_limit_s.value_or(provenance.wait_limit_s().value_or(matching.wait_limit_s));
  if (options.match) {
    matching.match = *options.match;
    matching.always = true;
  }
  return matching;
}

/// Which times of a trace tell what it lacks: its own, or, of a corrected trace alone, those that it has kept.
enum class Times : bool { own, kept };

/// Reads a trace for the records that are missing in it, with recorded times mapped. Where it is damaged it ends; that
/// is told when it is read again.
std::optional<LostRecords> lost_records(const Input& input, const Options& options, const Matching& matching,
                                        const Parameters& parameters, const Offsets& offsets,
                                        Times times = Times::own) {
  if (matching.match == Match::fifo) return std::nullopt;
  LostRecords lost(matching.match == Match::whole);
  // The events of an archive have bodies, in which kept times are, only where records are compared.
  const OpenedSource opened = open(input, options, times == Times::kept);
  Source& source = *opened.source;
  const Definitions& definitions = source.definitions();
  ClockMap map(offsets, definitions);
  const BodyDecoder& decoder = source.decoder();
  try {
    Batch batch;
    for (bool more = true; more;) {
      more = source.read(batch);
      for (std::size_t i = 0; i < batch.events.size(); ++i) {
        const Event& event = batch.events[i];
        const auto recorded = times == Times::own ? event.time : decoder.decode(batch.bodies[i]).recorded;
        lost.add(event, recorded ? map.next(event.process, *recorded) : event.time);
      }
    }
  } catch (const InputError&) {
  }
  lost.find(definitions, DelayModel(parameters, definitions).default_delay(),
            definitions.resolution.ticks_of_seconds(matching.wait_limit_s), matching.always);
  return lost;
}

int check_trace(const Options& given) {
  const bool is_read_once = given.match == Match::fifo && given.clock_of;
  const Input input = is_read_once ? Input{given.trace} : kept(given.trace, given);
  const tool::Provenance before = is_read_once ? tool::Provenance() : provenance_of(input, given);
  const Options options = with_noted_clocks(given, before);
  tool::Provenance provenance;
  std::optional<LostRecords> lost;
  if (options.match != Match::fifo) {
    Parameters noted = options.parameters;
    tool::take_noted_delays(noted, before.programs());
    Matching matching = matching_of(before, options);
    // Messages that cross the borders of a window lack an end here, whatever the whole trace has.
    if (!options.match && before.part().any()) {
      matching.match = Match::whole;
      matching.always = true;
    }
    lost = lost_records(input, options, matching, noted, before.offsets(),
                        before.corrections() != 0 ? Times::kept : Times::own);
  }
  const OpenedSource opened = open(input, options, false);
  Source& source = *opened.source;
  std::optional<TraceCheck> made;
  const auto judge_of = [&]() -> TraceCheck& {
    if (made) return *made;
    Parameters parameters = options.parameters;
    tool::take_noted_delays(parameters, provenance.programs());
    return made.emplace(parameters, source.definitions(), std::move(lost));
  };
  std::exception_ptr damage;
  try {
    Batch batch;
    for (bool more = true; more;) {
      more = source.read(batch);
      if (!made)
        for (const Batch::Note& note : batch.notes) provenance.note(note.line);
      for (std::size_t i = 0; i < batch.events.size(); ++i) judge_of().add(batch.events[i], batch.places[i]);
    }
  } catch (const InputError&) {
    damage = std::current_exception();
  }
  TraceCheck& check = judge_of();
  check.finish();
  Subject subject;
  subject.trace = input_name(options.trace);
  subject.complete = !damage;
  subject.all_pairs = options.all_pairs;
  subject.remarks = source.remarks();
  VerdictFigures figures = check.verdict_figures(source.definitions());
  figures.remarks = subject.remarks;
  figures.missing.ended_early = !subject.complete;
  subject.verdict = tool::with_flags(judge(figures));
  const Side side = side_of(opened);
  print(options.json ? json_report(check, side, subject) : text_report(check, side, subject));
  if (!options.quiet) {
    tool::warn(program, source.warnings());
    tool::warn(program, tool::unused_delays(options.parameters, source.definitions()));
  }
  if (damage) std::rethrow_exception(damage);
  return check.clock_condition_holds() && check.sortedness().unsorted == 0 ? tool::status_ok : tool::status_failed;
}

std::optional<Window> window_of(const tool::PartOfTrace& part, const Options& options, Resolution resolution) {
  if (!part.any()) return std::nullopt;
  if (options.truth)
    throw UsageError("--truth: the corrected trace is a window of the recorded one, expected a whole correction");
  return Window{resolution.ticks_of_seconds(part.from_s.value_or(0)),
                part.to_s ? resolution.ticks_of_seconds(*part.to_s) : ticks_max};
}

int check_correction(const Options& given) {
  std::vector<OpenedSource> files;
  std::vector<Side> sides;
  const Input corrected = kept(*given.corrected, given);
  const tool::Provenance provenance = provenance_of(corrected, given);
  const Options options = with_noted_clocks(given, provenance);
  const Matching matching = matching_of(provenance, options);
  Input trace = matching.match == Match::fifo ? Input{options.trace} : kept(options.trace, options);
  trace.ends_at_damage = provenance.ends_at_damage();
  files.push_back(open(trace, options, true));
  files.push_back(open(corrected, options, true));
  if (options.truth) files.push_back(open({*options.truth}, options, true));
  sides.reserve(files.size());
  for (const OpenedSource& file : files) sides.push_back(side_of(file));

  const Resolution resolution = sides.front().definitions->resolution;
  const tool::PartOfTrace part = options.part.any() ? options.part : provenance.part();
  Parameters parameters = options.parameters;
  tool::take_noted_delays(parameters, provenance.programs());
  const Offsets offsets = options.offsets ? offsets_of_clocks(tool::read_offsets(*options.offsets),
                                                              *sides.front().definitions, *options.offsets)
                                          : provenance.offsets();
  CorrectionCheck check(
      parameters, sides, options.wait_limit_s ? resolution.ticks_of_seconds(*options.wait_limit_s) : ticks_max, offsets,
      lost_records(trace, options, matching, parameters, offsets),
      {options.direction.value_or(provenance.direction()), provenance.deltas()}, window_of(part, options, resolution));
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
  subject.trace = input_name(options.trace);
  subject.corrected = input_name(*options.corrected);
  if (options.truth) subject.truth = input_name(*options.truth);
  subject.part = part;
  subject.complete = !damage;
  subject.remarks = files.front().source->remarks();
  VerdictFigures figures = check.verdict_figures();
  figures.remarks = subject.remarks;
  figures.missing.ended_early = !subject.complete;
  subject.verdict = tool::with_flags(judge(figures));
  print(options.json ? json_report(check, sides.front(), subject) : text_report(check, sides.front(), subject));
  if (!options.quiet) {
    for (const OpenedSource& file : files) tool::warn(program, file.source->warnings());
    tool::warn(program, tool::unused_delays(options.parameters, *sides.front().definitions));
    if (part.any() && check.events() == 0)
      tool::warn(program, subject.trace + ": has no event between --from and --to, so nothing was checked");
  }
  if (damage) std::rethrow_exception(damage);
  return check.laws_hold() ? tool::status_ok : tool::status_failed;
}

/// Becomes clc-filter, the one beside this program or else that of PATH: only the filter may correct.
[[noreturn]] void become_filter(char** argv) {
  const std::string name = "clc-filter";
  std::error_code ignored;
  const std::string beside = std::filesystem::read_symlink("/proc/self/exe", ignored).replace_filename(name).string();
  execv(beside.c_str(), argv);
  execvp(name.c_str(), argv);
  throw Error("--sweep-mmd: cannot run clc-filter, which makes the corrections: " +
              std::generic_category().message(errno));
}

int run(int argc, char** argv) {
  Options options;
  if (!command_line(options).parse(argc, argv)) return tool::status_ok;
  if (options.sweep) become_filter(argv);
  validate(options);
  const std::string none;
  tool::refuse_to_append_to(
      {options.trace, options.corrected.value_or(none), options.truth.value_or(none), options.offsets.value_or(none)});
  return options.corrected ? check_correction(options) : check_trace(options);
}

}  // namespace

}  // namespace clc::check

int main(int argc, char** argv) {
  return clc::tool::run_program(
      clc::check::program, [&] { return clc::check::run(argc, argv); }, "try --match fifo");
}
