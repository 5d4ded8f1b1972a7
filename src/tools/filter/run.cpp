#include "filter/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <vector>

#include "clc/error.hpp"
#include "clc/filter.hpp"
#include "clc/report.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/nowhere.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/provenance.hpp"
#include "common/values.hpp"
#include "estimation/estimation.hpp"
#include "estimation/look_ahead.hpp"
#include "estimation/mapped.hpp"
#include "filter/live.hpp"
#include "filter/replayed.hpp"
#include "filter/sweep.hpp"
#include "formats/bytes/files.hpp"
#include "formats/common/aligned.hpp"
#include "lost/search.hpp"

namespace clc::filter {

namespace {

constexpr std::string_view program = "clc-filter";

/// The name of the input in messages.
std::string input_name(const Options& options) {
  const std::string name = tool::input_name(options.input.empty() ? options.source.files_from : options.input);
  const std::size_t others = options.source.further.size();
  return others == 0 ? name : name + " and " + std::to_string(others) + (others == 1 ? " other" : " others");
}

/// Counts the events that were moved further than a limit, on their way to the next sink.
class ShiftWatch final : public EventSink {
 public:
  ShiftWatch(EventSink& next, Ticks limit) : next_(next), limit_(limit) {}
  [[nodiscard]] Order order() const noexcept override { return next_.order(); }
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) look(event);
    next_.events(run);
  }
  void look(const Corrected& event) { beyond_ += magnitude(event.time - event.recorded) > magnitude(limit_); }
  void note(Body line) override { next_.note(line); }
  [[nodiscard]] std::uint64_t beyond() const noexcept { return beyond_; }

 private:
  EventSink& next_;
  Ticks limit_;
  std::uint64_t beyond_ = 0;
};

/// Copier as `pump` needs it.
struct CopyingStage : Copier {
  CopyingStage(const Definitions& all, EventSink& sink) : Copier(sink), definitions(all) {}
  void finish() {}
  static void recorded_granularity(std::uint64_t /*ticks*/) noexcept {}
  [[nodiscard]] std::uint64_t definition_memory() const noexcept { return definitions.memory(); }

  const Definitions& definitions;
};

/// Warns once when definitions alone take more than --max-memory.
class DefinitionWatch {
 public:
  explicit DefinitionWatch(const Options& options) : options_(options) {}
  /// After the batch was read; bytes: of all definitions up to its end.
  void look(const Source& source, const Batch& batch, std::uint64_t bytes, tool::Progress& progress) {
    if (told_ || options_.quiet || bytes <= options_.parameters.max_memory) return;
    told_ = true;
    const std::string place = batch.places.empty()
                                  ? input_name(options_) + ": byte " + std::to_string(source.bytes_read())
                                  : source.describe(batch.places.back());
    progress.clear();
    tool::warn(program, place + ": definitions up to here take " + mebibytes(bytes) + ", more than --max-memory (" +
                            mebibytes(options_.parameters.max_memory) + "); they are kept, and only " +
                            mebibytes(Parameters::least_memory) + " is left for events; use --max-memory " +
                            enough(bytes) + " or more, or remove definitions that no record uses");
  }

 private:
  [[nodiscard]] static std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }
  /// The next power of two that leaves as much to events.
  [[nodiscard]] static std::string enough(std::uint64_t bytes) {
    return std::to_string(std::bit_ceil(2 * bytes) >> 20U) + 'M';
  }

  const Options& options_;
  bool told_ = false;
};

struct Outcome {
  std::string error;  ///< why reading ended before the end of the trace; empty: it did not
  std::uint64_t events = 0;
};

/// Reads all records into stage (a Filter or a CopyingStage). Damage in the input ends the trace: what was
/// readable before it still passes. recorded: where times are mapped.
template <class Stage>
Outcome pump(Source& source, Stage& stage, const RecordedTimes& recorded, Live* live, DefinitionWatch& definitions,
             tool::Progress& progress) {
  Outcome outcome;
  Batch batch;
  for (bool more = true; more;) {
    try {
      more = source.read(batch);
    } catch (const InputError& error) {
      outcome.error = tool::with_flags(error.what());
      break;
    }
    if (live != nullptr) live->arrived(batch.events);
    stage.recorded_granularity(recorded.granularity());
    pass_on(batch, stage);
    definitions.look(source, batch, stage.definition_memory(), progress);
    outcome.events += batch.events.size();
    progress.show(source.bytes_read(), source.bytes_total(), outcome.events);
  }
  stage.finish();
  return outcome;
}

void close(Sink& file, Outcome& outcome) {
  file.close();
  if (outcome.error.empty()) outcome.error = tool::with_flags(file.damage());
}

/// Would the file lie in the folder?
bool lies_in(const std::string& file, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (file == "-" || folder.empty() || !fs::is_directory(folder, error)) return false;
  const fs::path parent = fs::path(file).parent_path();
  return fs::equivalent(parent.empty() ? fs::path(".") : parent, folder, error);
}

void refuse_to_overwrite(const Options& options) {
  std::vector<std::string> inputs = options.source.further;
  inputs.push_back(options.input);
  inputs.push_back(options.source.files_from);
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    if (!options.dry_run && writes_over(input, options.output))
      throw UsageError((options.output == "-" ? "standard output" : options.output) +
                       " is the input; write to another file and rename it");
    if (options.report && *options.report != "-" && writes_over(input, *options.report))
      throw UsageError("--report: " + *options.report + " is the input");
  }
  if (!options.report || *options.report == "-") return;
  if (!options.dry_run && same_output(options.output, *options.report))
    throw UsageError("--report: " + *options.report + " is the output");
}

tool::Progress::When progress_wanted(const Options& options) {
  if (options.quiet) return tool::Progress::When::never;
  if (options.progress) return tool::Progress::When::always;
  const bool trace_on_terminal = options.output == "-" && !options.dry_run && ::isatty(STDOUT_FILENO) == 1;
  return trace_on_terminal ? tool::Progress::When::never : tool::Progress::When::large;
}

void warn_of_files(const Source& source, const Sink* sink) {
  tool::warn(program, source.warnings());
  if (sink != nullptr) tool::warn(program, sink->warnings());
}

void warn_of_cases(const Analysis& analysis, const Definitions& definitions, const RunFacts& facts) {
  for (const CaseInfo& info : cases) {
    if (info.severity != Severity::unresolved || analysis.counted(info.which) == 0) continue;
    const bool too_late = info.which == Case::late_send || info.which == Case::late_member;
    const bool disagree = info.which == Case::clock_disagrees || info.which == Case::wait_in_circle;
    const bool unsynchronised = disagree && definitions.shares_clocks();
    tool::warn(program,
               std::to_string(analysis.counted(info.which)) + ' ' +
                   info.prose_of(analysis.counted(info.which), !facts.error.empty()) +
                   (info.which == Case::late_record ? "; use a longer --transfer" : "") +
                   (!too_late                                    ? ""
                    : analysis.counted(Case::wait_given_up) != 0 ? "; use a larger --max-memory"
                                                                 : "; use a longer --wait-limit") +
                   (unsynchronised ? "; if the cores of a process are not synchronised, use --clock-of location" : ""));
  }
  if (facts.beyond_max_shift != 0)
    tool::warn(program, std::to_string(facts.beyond_max_shift) +
                            (facts.beyond_max_shift == 1 ? " event was" : " events were") +
                            " moved by more than --max-shift");
}

/// Reads all records, or those that are needed, for a replay.
Outcome record(Source& source, Replayed& replayed, RecordedTimes* recorded, DefinitionWatch& definitions,
               tool::Progress& progress, bool& whole) {
  Outcome outcome;
  Batch batch;
  std::vector<Time> times;
  whole = true;
  for (bool more = true; more && whole;) {
    try {
      more = source.read(batch);
    } catch (const InputError& error) {
      outcome.error = tool::with_flags(error.what());
      break;
    }
    times.clear();
    for (const Event& event : batch.events)
      times.push_back(recorded != nullptr ? recorded->pop(event.process) : event.time);
    whole = replayed.record(batch, times);
    definitions.look(source, batch, source.definitions().memory(), progress);
    outcome.events += batch.events.size();
    progress.show(source.bytes_read(), source.bytes_total(), outcome.events);
  }
  return outcome;
}

/// Why nothing is corrected.
std::string empty_window(const std::string& trace, const replay::Recording& recording, bool whole) {
  const Resolution resolution = recording.definitions().resolution;
  std::string text = trace + ": has no event between --from and --to";
  if (whole)
    text += "; the trace has events from 0 to " +
            tool::shortest(resolution.seconds(static_cast<double>(recording.length()))) + " s";
  return text;
}

/// One run: from the source through filter or copier to the sink.
class Job {
 public:
  /// lost: what is known of lost records from before; else Match::whole reads the trace for them.
  explicit Job(const Options& options, std::shared_ptr<lost::Search> lost = {});
  /// Copies the records. Returns the exit status, as correct does.
  int copy();
  /// None, with nothing written: messages can be matched better, and the input can be read again.
  std::optional<int> correct();
  /// How, after none.
  [[nodiscard]] Match better_match() const noexcept { return better_match_; }
  /// Where to cut the standard output then, once the job has ended.
  [[nodiscard]] std::optional<std::int64_t> end_of_output() const noexcept { return end_of_output_; }
  [[nodiscard]] std::shared_ptr<lost::Search> lost() const noexcept { return lost_; }
  /// The same in another direction, or of a window.
  int replay();
  /// With several minimum delays; writes a table.
  int sweep();

 private:
  [[nodiscard]] SourceOptions source_options();
  /// For what waits to be sorted; the clock has the other half then.
  [[nodiscard]] std::uint64_t half_of_memory() const noexcept {
    return std::max(Parameters::least_memory, options_.parameters.max_memory / 2);
  }
  [[nodiscard]] OpenedSource open_input();
  void require_archive(const OpenedSource& opened) const;
  [[nodiscard]] const std::string* first_that_is_no_file() const;
  void require_files() const;
  [[nodiscard]] bool can_start_again() const;
  [[nodiscard]] std::unique_ptr<Source> open_again(const SourceOptions& from);
  [[nodiscard]] bool can_match_better(const Analysis& analysis, const Outcome& outcome);
  [[nodiscard]] bool would_search(const Analysis& analysis, const Outcome& outcome) const;
  /// Not because the user asked for it.
  [[nodiscard]] bool resynchronises() const {
    return !options_.match && options_.parameters.match == Match::resynchronise;
  }
  void require_same_traces() const;
  void require_names() const;
  /// file: measured offsets, or null.
  [[nodiscard]] Offsets estimate(const tool::OffsetsFile* file);
  void estimate_ahead(OpenedSource& opened);
  [[nodiscard]] std::function<void()> on_definitions() const;
  [[nodiscard]] double take_delays();
  void take_chosen(const tool::FirstPass& pass, const Definitions& definitions);
  void warn_of_offsets() const;
  /// Which change of an interval exceeds --max-local-error; empty: none.
  [[nodiscard]] std::string beyond_local_error(const Analysis& analysis) const;
  [[nodiscard]] std::unique_ptr<Sink> open_output();
  [[nodiscard]] std::unique_ptr<Live> watch_live(EventSink& sink) const;
  std::optional<std::chrono::milliseconds> pause(Live& live, Filter& filter);
  void finish_file(Outcome& outcome);
  int conclude_copy(const Outcome& outcome);
  /// Reports, and returns the exit status.
  int conclude(const Analysis& of_clock, const Outcome& outcome, const ShiftWatch* watch, const Live* live);
  int conclude_all(const Analysis& analysis, const Outcome& outcome, const ShiftWatch* watch, const Live* live);
  [[nodiscard]] RunFacts facts(const Outcome& outcome, const ShiftWatch* watch, const Live* live) const;
  [[nodiscard]] MapFigures map_figures(const Analysis& analysis) const;
  void tell(const Report& report);
  [[nodiscard]] Source& source() const noexcept { return *opened_.source; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return source().definitions(); }

  Options options_;
  std::shared_ptr<lost::Search> lost_;
  Match better_match_ = Match::fifo;
  std::optional<std::int64_t> end_of_output_;  ///< before the trace, in a file from which it can be taken back
  std::shared_ptr<Threads> threads_;
  OnPause on_pause_;       ///< what to do when live input pauses
  bool aligned_ = false;   ///< clocks are mapped ahead of the filter
  std::string alignment_;  ///< what the estimate found
  std::vector<EstimatedClock> estimated_;
  Offsets map_;                                  ///< of the clocks
  tool::LookAheadSource* look_ahead_ = nullptr;  ///< its map grows
  RecordedTimes recorded_;
  OpenedSource opened_;
  Format output_format_;
  double min_delay_us_;  ///< in effect
  std::unique_ptr<OutputFile> report_file_;
  std::unique_ptr<Sink> file_;  ///< null: nothing is written
  tool::Nowhere nowhere_;
  std::unique_ptr<WithRecorded> with_recorded_;
  EventSink* sink_;
  tool::Progress progress_;
};

std::shared_ptr<lost::Search> search_for(const Options& options) {
  std::string refusal;
  if (options.match)
    refusal = "--match whole: " + input_name(options) +
              ": more sends, receives and calls than --max-memory holds; give --match resync";
  return std::make_shared<lost::Search>(options.input, options.parameters.max_memory, std::move(refusal));
}

Job::Job(const Options& options, std::shared_ptr<lost::Search> lost)
    : options_(options),
      lost_(lost != nullptr ? std::move(lost) : search_for(options)),
      threads_(std::make_shared<Threads>(options.online ? 1 : options.threads)),
      opened_(open_input()),
      output_format_(options.output_format.value_or(opened_.format)),
      min_delay_us_(take_delays()),
      report_file_(options.report ? std::make_unique<OutputFile>(*options.report, options.sync) : nullptr),
      file_(open_output()),
      sink_(file_ ? static_cast<EventSink*>(file_.get()) : &nowhere_),
      progress_(progress_wanted(options), input_name(options)) {
  if (!aligned_) return;
  with_recorded_ = std::make_unique<WithRecorded>(*sink_, recorded_);
  sink_ = with_recorded_.get();
}

/// The delays of the trace, unless the user named some. Returns the one between nodes.
double Job::take_delays() {
  // Each value of a sweep replaces both.
  if (!options_.sweep)
    options_.parameters.node_delay_us = tool::node_delay_in_effect(options_.parameters, definitions());
  return tool::min_delay_in_effect(options_.parameters, definitions());
}

/// What the first pass chose.
void Job::take_chosen(const tool::FirstPass& pass, const Definitions& definitions) {
  Parameters& p = options_.parameters;
  const std::string chosen = tool::take_chosen(options_, pass, definitions, p);
  if (!options_.match && p.match != Match::fifo) p.match = pass.complete ? Match::fifo : Match::whole;
  if (options_.estimate && pass.lacks_records) p.clock_error_us = tool::chosen_difference(pass, true, definitions, p);
  if (!options_.quiet && !chosen.empty()) tool::say(program, "chosen:" + chosen);
}

/// Before the definitions of a source change that sorts outside of the formats: a sink in a thread looks at them.
std::function<void()> Job::on_definitions() const {
  if (!options_.source.threads) return {};
  return [threads = options_.source.threads] { threads->drain(); };
}

/// One pass: the clocks are estimated while reading.
void Job::estimate_ahead(OpenedSource& opened) {
  tool::LookAhead settings;
  settings.seconds = *options_.look_ahead_s;
  settings.estimation = tool::estimation_options(options_, options_.parameters);
  if (settings.estimation.min_delay_us <= 0)
    settings.estimation.min_delay_us = tool::smallest_min_delay_us(opened.source->definitions());
  settings.write_map = options_.provenance;
  settings.most_memory = half_of_memory() / 2;
  settings.on_definitions = on_definitions();
  auto source = tool::with_look_ahead(std::move(opened.source), settings, recorded_);
  look_ahead_ = source.get();
  opened.source = std::move(source);
  aligned_ = true;
}

/// For an estimate, as a trace that lacks ends of messages.
std::unique_ptr<Source> Job::open_again(const SourceOptions& from) {
  const Match match = options_.match.value_or(options_.parameters.match == Match::fifo ? Match::fifo : Match::whole);
  if (match == Match::whole) return lost_->open_marked(from);
  return std::move(open_source(options_.input, from).source);
}

/// The first pass.
Offsets Job::estimate(const tool::OffsetsFile* file) {
  SourceOptions from = options_.source;
  from.any_order = true;  // the pass that follows says what is wrong with the order
  from.as_input = true;
  const OpenedSource opened = open_source(options_.input, from);
  require_archive(opened);
  const tool::FirstPass pass = tool::first_pass(
      *opened.source, input_name(options_), options_, options_.parameters, true, [&] { return open_again(from); },
      file);
  const Definitions& definitions = opened.source->definitions();
  if (!options_.quiet) tool::warn(program, pass.warnings);
  take_chosen(pass, definitions);
  if (!options_.estimate) return {};
  alignment_ = tool::alignment_line(pass.estimate, definitions);
  if (!options_.quiet) tool::warn(program, tool::warnings_of_steps(pass.estimate, definitions));
  estimated_ = tool::estimated_clocks(pass.estimate, definitions);
  return tool::maps_of(pass.estimate, definitions);
}

void Job::require_archive(const OpenedSource& opened) const {
  if (options_.write_offsets && !opened.archive)
    throw UsageError("--write-offsets: " + input_name(options_) + ": expected an OTF2 archive, found a " +
                     std::string(name_of(opened.format)) + " trace");
}

OpenedSource Job::open_input() {
  const std::optional<tool::OffsetsFile> measured = tool::measured_offsets(options_);
  Offsets offsets;
  if (options_.offsets && !measured) offsets = tool::read_offsets(*options_.offsets);
  if (options_.several() && !options_.match && !options_.two_passes() && first_that_is_no_file() != nullptr)
    options_.parameters.match = options_.match_without_search();
  if (options_.reads_ahead()) {
    if (options_.several())
      require_files();
    else
      options_.source.kept = tool::kept_if_read_once(options_.input, options_.source.format);
  }
  if (options_.two_passes()) {
    Offsets estimated = estimate(measured ? &*measured : nullptr);
    if (options_.estimate) offsets = std::move(estimated);
  }
  OpenedSource opened = open_source(options_.input, source_options());
  require_archive(opened);
  if (Match& match = options_.parameters.match; match == Match::whole) {
    if (lost_->find(options_.source))
      opened.source = lost::marked(std::move(opened.source), lost_->ends());
    else if (!options_.match)
      match = options_.match_without_search();
  }
  if (options_.look_ahead_s) {
    estimate_ahead(opened);
    return opened;
  }
  map_ = offsets;
  if (offsets.empty() || options_.write_offsets) return opened;
  aligned_ = true;
  opened.source = aligned(std::move(opened.source), std::move(offsets), recorded_, half_of_memory(), on_definitions());
  return opened;
}

/// Of the inputs; null: each can be read again.
const std::string* Job::first_that_is_no_file() const {
  const auto is_none = [](const std::string& input) { return !input.empty() && !tool::same_input_twice(input); };
  const std::vector<std::string>& further = options_.source.further;
  if (is_none(options_.input)) return &options_.input;
  if (is_none(options_.source.files_from)) return &options_.source.files_from;
  const auto found = std::find_if(further.begin(), further.end(), is_none);
  return found == further.end() ? nullptr : &*found;
}

/// Several traces are read twice only if each is a file.
void Job::require_files() const {
  if (const std::string* const input = first_that_is_no_file())
    throw UsageError(tool::input_name(*input) + ": expected a file, because several traces are read twice; copy it");
}

/// Nobody has seen what was written so far, or it can be taken back.
bool Job::can_start_again() const {
  const bool is_open = options_.dry_run || appears_when_complete(options_.output) || end_of_output_;
  return is_open && first_that_is_no_file() == nullptr;
}

/// Records seem to be missing, of which more are found if the trace is read first.
bool Job::would_search(const Analysis& analysis, const Outcome& outcome) const {
  if (!resynchronises() || analysis.nothing_seems_missing() || options_.look_ahead_s || !outcome.error.empty())
    return false;
  if (analysis.counted(Case::collective_incomplete) + analysis.counted(Case::operation_mismatch) > 0) return true;
  const std::uint64_t lone_sends = analysis.counted(Case::send_without_receive);
  const std::uint64_t lone_receives = analysis.counted(Case::receive_without_send) - analysis.counted(Case::late_send);
  const bool has_matches = analysis.messages().edges != 0 || (lone_sends > 0 && lone_receives > 0);
  return has_matches && lone_sends + lone_receives > 0;
}

/// Would messages be matched otherwise, and rightly, if the input was read again?
bool Job::can_match_better(const Analysis& analysis, const Outcome& outcome) {
  if (!resynchronises() || !can_start_again()) return false;
  better_match_ = Match::fifo;
  if (analysis.nothing_seems_missing()) return true;
  if (lost_->has_read() || !would_search(analysis, outcome)) return false;
  better_match_ = Match::whole;
  if (!lost_->find(options_.source)) return false;
  return lost_->ends().lost_calls() > 0 || !lost_->ends().are_all_in(analysis.losses());
}

std::string Job::beyond_local_error(const Analysis& analysis) const {
  const double largest = 100 * std::max(analysis.small_errors().largest, analysis.large_errors().largest);
  if (!options_.max_local_error_percent || largest <= *options_.max_local_error_percent) return {};
  std::ostringstream text;
  text << "an interval changed by " << largest << " %, more than --max-local-error";
  return text.str();
}

void Job::warn_of_offsets() const {
  tool::warn(program, tool::warnings_of_offsets(options_, map_, definitions()));
  if (options_.write_offsets && map_.empty())
    tool::warn(program,
               "no clock is mapped" +
                   (alignment_.empty() ? std::string() : ", because the estimate is no better than the times") +
                   ": the output has no other clock offsets than the input");
}

SourceOptions Job::source_options() {
  SourceOptions from = options_.source;
  from.threads = threads_;
  from.sort_memory = half_of_memory();
  from.output = options_.output_format;
  from.as_input = options_.dry_run || !options_.output_format;
  if (options_.online) from.on_pause = [this] { return on_pause_ ? on_pause_() : std::nullopt; };
  return from;
}

/// What a folder with the same set of traces cannot have.
void Job::require_same_traces() const {
  for (const auto& [given, name] :
       {std::pair(options_.output_format.has_value(), "-F"), std::pair(options_.zstd_level.has_value(), "-z")})
    if (given)
      throw UsageError(options_.output + ": a folder of traces keeps their formats; leave out " + name +
                       ", or write to a file");
  if (options_.window())
    throw UsageError(options_.output +
                     ": part of the traces cannot be written as the same set of files; write to a file");
}

/// A folder gets traces with the names of the input files.
void Job::require_names() const {
  if (tool::same_input_twice(options_.input)) return;
  throw UsageError(options_.output + ": " +
                   (options_.input == "-" ? "standard input has no file name" : options_.input + " is not a file") +
                   "; name the input files, or a file for the output");
}

std::unique_ptr<Sink> Job::open_output() {
  if (options_.dry_run) return nullptr;
  if (options_.output == "-") end_of_output_ = end_of_standard_output();
  if (opened_.archive && is_folder(output_format_) && options_.window())
    throw UsageError(std::string(options_.from_s ? "--from" : "--to") +
                     ": part of an archive cannot be written as an archive; use -F binary or -F text");
  if (is_folder(output_format_) && tool::within(options_.output, options_.input))
    throw UsageError(options_.output + " holds the input; write to another folder and rename it");
  if (!opened_.archive && lies_in(options_.output, options_.input))
    throw UsageError(options_.output + ": lies in the input folder, and would be one of its traces; write elsewhere");
  SinkOptions to;
  if (options_.output.ends_with('/') && !is_folder(output_format_)) {
    if (opened_.parts)
      require_same_traces();
    else
      require_names();
    to.parts = opened_.parts;
  } else if (opened_.parts && opened_.format == Format::paje && output_format_ == Format::paje && !options_.quiet) {
    tool::warn(
        program,
        "several Paje traces are converted to become one: their types and variables, and containers in processes "
        "and around them, are lost, see clc-trace(5); -o FOLDER/ keeps them");
  }
  to.format = output_format_;
  to.zstd_level = options_.zstd_level;
  if (!to.zstd_level && !is_folder(to.format)) to.zstd_level = opened_.zstd_level;
  if (to.zstd_level == 0) to.zstd_level.reset();
  to.body_format = opened_.body_format.value_or(opened_.format);
  to.threads = threads_;
  to.archive = opened_.archive;
  to.sync = options_.sync;
  to.overwrite = options_.overwrite;
  to.decoder = &source().decoder();
  to.keep_original = options_.keep_original;
  if (options_.write_offsets) to.clock_offsets = std::make_shared<const Offsets>(map_);
  if (options_.provenance) {
    if (!options_.write_offsets) to.provenance = tool::provenance_of(map_);
    to.provenance.insert(to.provenance.begin(), std::string(program) + ' ' + std::string(tool::version()) + ' ' +
                                                    effective(options_, min_delay_us_));
  }
  return open_sink(options_.output, definitions(), to);
}

int Job::copy() {
  CopyingStage copier(definitions(), *sink_);
  on_pause_ = [this]() -> std::optional<std::chrono::milliseconds> {
    if (file_) file_->flush();
    return std::nullopt;
  };
  DefinitionWatch definitions(options_);
  Outcome outcome = pump(source(), copier, recorded_, nullptr, definitions, progress_);
  if (file_) close(*file_, outcome);
  return conclude_copy(outcome);
}

int Job::conclude_copy(const Outcome& outcome) {
  progress_.clear();
  if (!outcome.error.empty()) tool::say(program, outcome.error);
  if (!options_.quiet) {
    warn_of_files(source(), file_.get());
    warn_of_offsets();
  }
  return outcome.error.empty() ? tool::status_ok : tool::status_failed;
}

void Job::finish_file(Outcome& outcome) {
  // Half an archive is not written: there is nothing to report.
  const bool half = opened_.archive && !options_.source.keep_going;
  if (!outcome.error.empty() && file_ && half && is_folder(output_format_)) throw InputError(outcome.error);
  if (file_) close(*file_, outcome);
  if (!outcome.error.empty() && file_ && half) throw InputError(outcome.error);
}

int Job::replay() {
  EventSink& sink = file_ ? static_cast<EventSink&>(*file_) : nowhere_;  // the recording knows the recorded times
  std::unique_ptr<ShiftWatch> watch;
  std::function<void(const Corrected&)> observe;
  if (options_.max_shift_us) {
    watch = std::make_unique<ShiftWatch>(sink, definitions().resolution.ticks_of_microseconds(*options_.max_shift_us));
    observe = [&](const Corrected& event) { watch->look(event); };
  }
  Replayed replayed(options_, definitions(), sink, std::move(observe));
  DefinitionWatch watched(options_);
  bool whole = true;
  Outcome outcome = record(source(), replayed, aligned_ ? &recorded_ : nullptr, watched, progress_, whole);
  if (!outcome.error.empty() && opened_.archive && !options_.source.keep_going) throw InputError(outcome.error);
  if (options_.correction)
    replayed.correct(whole, options_.parameters, source().added_body(), recorded_.granularity());
  else
    replayed.copy(whole, source().added_body());
  finish_file(outcome);
  if (!options_.quiet && replayed.recording().is_window_empty()) {
    progress_.clear();
    tool::warn(program, empty_window(input_name(options_), replayed.recording(), whole));
  }
  if (options_.correction) return conclude(replayed.analysis(), outcome, watch.get(), nullptr);
  return conclude_copy(outcome);
}

int Job::sweep() {
  Parameters parameters = options_.parameters;
  if (aligned_ || options_.source.sort_window_us > 0) parameters.max_memory = half_of_memory();
  parameters.uncounted_body = source().added_body();
  Sweep sweep(parameters, definitions(), *options_.sweep, *sink_);
  DefinitionWatch watched(options_);
  const Outcome outcome = pump(source(), sweep, recorded_, nullptr, watched, progress_);
  const int status = conclude_copy(outcome);
  if (!options_.quiet) tool::warn(program, tool::unused_delays(options_.parameters, definitions()));
  sweep.write(std::cout);
  return status;
}

std::optional<int> Job::correct() {
  EventSink* sink = sink_;
  std::unique_ptr<ShiftWatch> watch;
  if (options_.max_shift_us) {
    watch = std::make_unique<ShiftWatch>(*sink, definitions().resolution.ticks_of_microseconds(*options_.max_shift_us));
    sink = watch.get();
  }
  Parameters parameters = options_.parameters;
  if (aligned_ || options_.source.sort_window_us > 0) parameters.max_memory = half_of_memory();
  parameters.uncounted_body = source().added_body();
  std::unique_ptr<Live> live;
  if (options_.online) {
    live = watch_live(*sink);
    sink = live.get();
  }
  Filter filter(parameters, definitions(), *sink);
  on_pause_ = [&] { return pause(*live, filter); };
  DefinitionWatch watched(options_);
  Outcome outcome = pump(source(), filter, recorded_, live.get(), watched, progress_);
  if (can_match_better(filter.analysis(), outcome)) {
    progress_.clear();
    return std::nullopt;
  }
  finish_file(outcome);
  return conclude(filter.analysis(), outcome, watch.get(), live.get());
}

/// The clock does not see which of the times that it reads were cut off when they were mapped.
int Job::conclude(const Analysis& of_clock, const Outcome& outcome, const ShiftWatch* watch, const Live* live) {
  if (recorded_.count_cut_off() == 0) return conclude_all(of_clock, outcome, watch, live);
  Recorder all;
  static_cast<Analysis&>(all) = of_clock;
  all.count(Case::time_saturated, recorded_.count_cut_off());
  return conclude_all(all, outcome, watch, live);
}

int Job::conclude_all(const Analysis& analysis, const Outcome& outcome, const ShiftWatch* watch, const Live* live) {
  RunFacts facts = this->facts(outcome, watch, live);
  if (look_ahead_ == nullptr) facts.map = map_figures(analysis);
  progress_.clear();
  if (!facts.alignment.empty())
    facts.alignment += "; corrected " + std::to_string(analysis.violations_left()) + " violations left";
  const Report report(analysis, definitions(), options_.parameters, facts);
  tell(report);
  // First what is wrong, then what follows from it.
  if (!outcome.error.empty()) tool::say(program, outcome.error);
  if (!options_.quiet) {
    warn_of_files(source(), file_.get());
    tool::warn(program, tool::unused_delays(options_.parameters, definitions()));
    warn_of_offsets();
    warn_of_cases(analysis, definitions(), facts);
    if (!can_start_again() && would_search(analysis, outcome))
      tool::warn(program,
                 "records are missing; to find more of them, read from a file and write to one, or use --match whole");
    if (const std::string changed = beyond_local_error(analysis); !changed.empty()) tool::warn(program, changed);
    tool::warn(program, report.verdict());
  }
  if (!outcome.error.empty()) return tool::status_failed;

  if (!options_.strict) return tool::status_ok;
  std::string failures;
  const auto add = [&failures](std::uint64_t count, const char* one, const char* many, const char* what) {
    if (count > 0)
      failures += (failures.empty() ? "" : ", ") + std::to_string(count) + (count == 1 ? one : many) + what;
  };
  add(analysis.unresolved(), " case", " cases", " stayed unresolved");
  add(analysis.violations_left(), " violation is", " violations are", " left");
  add(facts.beyond_max_shift, " event was", " events were", " moved by more than --max-shift");
  if (const std::string changed = beyond_local_error(analysis); !changed.empty())
    failures += (failures.empty() ? "" : ", ") + changed;
  if (report.verdict().judgement == Judgement::bad)
    failures += (failures.empty() ? "" : ", ") + std::string("the verdict is bad");
  if (failures.empty()) return tool::status_ok;
  std::cerr << program << ": --strict: " << failures << "; see --report\n";
  return tool::status_unresolved;
}

std::unique_ptr<Live> Job::watch_live(EventSink& sink) const {
  const Resolution resolution = definitions().resolution;
  std::optional<Ticks> transfer;
  if (const std::optional<double> us = options_.transfer_in_effect()) transfer = resolution.ticks_of_microseconds(*us);
  using Steady = std::chrono::steady_clock;
  return std::make_unique<Live>(sink, transfer, [resolution, start = Steady::now()] {
    const std::chrono::duration<double> seconds = Steady::now() - start;
    return Time(resolution.ticks_of_seconds(seconds.count()));
  });
}

/// The input pauses: what is final leaves. Returns after how long more may be final.
std::optional<std::chrono::milliseconds> Job::pause(Live& live, Filter& filter) {
  constexpr std::int64_t shortest = 5;
  constexpr std::int64_t busy = 10;  // for that many times as long as this took, so that it takes little of a processor
  const Time begin = live.now();
  // Records that wait for their map are older than all that the monitor's clock proves.
  std::optional<Time> proof;
  if (look_ahead_ == nullptr) proof = live.pause();
  bool again = false;
  if (proof)
    again = filter.advance(*proof);
  else
    filter.flush();
  if (live.take_left() && file_) file_->flush();
  if (!again) return std::nullopt;
  const auto took =
      static_cast<std::int64_t>(definitions().resolution.seconds(static_cast<double>(live.now() - begin)) * 1e3);
  return std::chrono::milliseconds(std::clamp(busy * took, shortest, std::int64_t{1000}));
}

RunFacts Job::facts(const Outcome& outcome, const ShiftWatch* watch, const Live* live) const {
  RunFacts facts;
  facts.program = program;
  facts.version = tool::version();
  facts.options = effective(options_, min_delay_us_);
  facts.alignment = alignment_;
  facts.clocks = estimated_;
  if (look_ahead_ != nullptr) {
    tool::GrownMap found = look_ahead_->found();
    facts.clocks = std::move(found.clocks);
    facts.map.clocks = tool::mapped_clocks(facts.clocks);
    facts.alignment = "with a look-ahead of " + tool::shortest(*options_.look_ahead_s) + " s, " +
                      std::to_string(found.estimates) + (found.estimates == 1 ? " estimate" : " estimates");
    if (!found.steps.empty()) facts.alignment += "; " + found.steps;
    facts.doubts = std::move(found.doubts);
  }
  facts.min_delay_chosen = options_.min_delay_auto && !definitions().min_delay;
  facts.input = options_.input;
  facts.format = name_of(opened_.format);
  facts.error = outcome.error;
  facts.remarks = source().remarks();
  facts.bytes = source().bytes_read();
  facts.seconds = progress_.seconds();
  facts.max_shift_us = options_.max_shift_us;
  facts.wording = [](std::string text) { return tool::with_flags(std::move(text)); };
  if (watch != nullptr) facts.beyond_max_shift = watch->beyond();
  if (live != nullptr) {
    const auto us = [this](Ticks ticks) { return definitions().resolution.microseconds(static_cast<double>(ticks)); };
    facts.live = LiveFacts{options_.transfer_in_effect(), {}, us(live->largest_stay()), us(live->late_by())};
    if (live->lag()) facts.live->lag_us = us(*live->lag());
  }
  return facts;
}

/// An estimate that is no better than the recorded times is not applied; what was measured is judged here.
MapFigures Job::map_figures(const Analysis& analysis) const {
  MapFigures figures;
  figures.clocks = tool::mapped_clocks(map_, definitions().resolution);
  const bool is_measured = !options_.estimate || *options_.estimate == sync::Method::measured;
  if (is_measured) tool::add_early(figures, map_, analysis, definitions(), min_delay_us_);
  return figures;
}

void Job::tell(const Report& report) {
  if (report_file_) {
    options_.report_format == ReportFormat::json ? report.write_json(report_file_->stream())
                                                 : report.write_text(report_file_->stream());
    report_file_->close();
  }
  if (!options_.verbose) return;
  std::ostringstream text;
  report.write_text(text);
  std::cerr << text.str();
}

}  // namespace

int run(const Options& options) {
  refuse_to_overwrite(options);
  if ((options.input == "-" || options.source.files_from == "-") && ::isatty(STDIN_FILENO) == 1)
    throw UsageError("standard input is a terminal; name a trace or use a pipe");
  Options again = options;
  std::shared_ptr<lost::Search> lost;
  std::optional<std::int64_t> end_of_output;
  {
    Job job(options);
    if (options.sweep) return job.sweep();
    if (options.replays()) return job.replay();
    if (!options.correction || options.write_offsets) return job.copy();
    if (const std::optional<int> status = job.correct()) return *status;
    again.match = again.parameters.match = job.better_match();
    lost = job.lost();
    end_of_output = job.end_of_output();
  }
  if (end_of_output && !cut_standard_output(*end_of_output))
    throw OutputError("standard output: the file cannot be cut to begin again; use -o FILE");
  if (!options.quiet)
    tool::say(program, again.match == Match::whole
                           ? "records are missing; correcting again with --match whole"
                           : "records seemed to be missing, but as many sends as receives were left over on each "
                             "channel; correcting again with --match fifo");
  return Job(again, lost).correct().value();
}

}  // namespace clc::filter
