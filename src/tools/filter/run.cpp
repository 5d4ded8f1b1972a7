#include "filter/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "clc/error.hpp"
#include "clc/filter.hpp"
#include "clc/io/batch.hpp"
#include "common/min_delay.hpp"
#include "common/nowhere.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/values.hpp"
#include "filter/again.hpp"
#include "filter/conclusion.hpp"
#include "filter/input.hpp"
#include "filter/live.hpp"
#include "filter/output.hpp"
#include "filter/reading.hpp"
#include "filter/replayed.hpp"
#include "filter/shift_watch.hpp"
#include "filter/sweep.hpp"
#include "formats/bytes/files.hpp"
#include "formats/common/aligned.hpp"
#include "lost/search.hpp"

namespace clc::filter {

namespace {

/// Copier as `Job::pump` needs it.
struct CopyingStage : Copier {
  CopyingStage(const Definitions& all, EventSink& sink) : Copier(sink), definitions(all) {}
  void finish() {}
  static void recorded_granularity(std::uint64_t /*ticks*/) noexcept {}
  [[nodiscard]] std::uint64_t definition_memory() const noexcept { return definitions.memory(); }

  const Definitions& definitions;
};

tool::Progress::When progress_wanted(const Options& options) {
  if (options.quiet) return tool::Progress::When::never;
  if (options.progress) return tool::Progress::When::always;
  const bool trace_on_terminal = options.output == "-" && !options.dry_run && ::isatty(STDOUT_FILENO) == 1;
  return trace_on_terminal ? tool::Progress::When::never : tool::Progress::When::large;
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

/// One run: from the input through filter or copier to the sink.
class Job {
 public:
  /// lost: what is known of lost records from before; else Match::whole reads the trace for them.
  Job(const Options& options, lost::Search& lost);
  /// Copies the records. Returns the exit status, as correct does.
  int copy();
  /// None, with nothing written: messages can be matched better, and the input can be read again.
  std::optional<int> correct();
  /// How, after none.
  [[nodiscard]] Match better_match() const noexcept { return better_match_; }
  /// Where to cut the standard output then, once the job has ended.
  [[nodiscard]] std::optional<std::int64_t> end_of_output() const noexcept { return end_of_output_; }
  /// The same in another direction, or of a window.
  int replay();
  /// With several minimum delays; writes a table.
  int sweep();

 private:
  [[nodiscard]] double take_delays();
  [[nodiscard]] Parameters parameters_of_clock() const;
  [[nodiscard]] std::unique_ptr<ShiftWatch> watch_shifts(EventSink& sink) const;
  [[nodiscard]] std::unique_ptr<Live> watch_live(EventSink& sink) const;
  std::optional<std::chrono::milliseconds> pause(Live& live, Filter& filter);
  /// Reads all records into stage: a Filter, a Sweep or a CopyingStage. live: or null.
  template <class Stage>
  [[nodiscard]] Outcome pump(Stage& stage, Live* live);
  [[nodiscard]] Outcome record(Replayed& replayed, bool& whole);
  void close_file(Outcome& outcome);
  void finish_file(Outcome& outcome);
  /// To be concluded.
  [[nodiscard]] Ended ended(const Outcome& outcome);
  [[nodiscard]] Source& source() const noexcept { return input_.source(); }
  [[nodiscard]] const Definitions& definitions() const noexcept { return input_.definitions(); }

  Options options_;
  lost::Search& lost_;
  Match better_match_ = Match::fifo;
  OnPause on_pause_;  ///< what to do when live input pauses
  std::shared_ptr<Threads> threads_;
  Input input_;
  double min_delay_us_;  ///< in effect
  std::unique_ptr<OutputFile> report_file_;
  std::optional<std::int64_t> end_of_output_;  ///< before the trace, in a file from which it can be taken back
  std::unique_ptr<Sink> file_;                 ///< null: nothing is written
  tool::Nowhere nowhere_;
  std::unique_ptr<WithRecorded> with_recorded_;
  EventSink* sink_;
  tool::Progress progress_;
};

Job::Job(const Options& options, lost::Search& lost)
    : options_(options),
      lost_(lost),
      threads_(std::make_shared<Threads>(options.online ? 1 : options.threads)),
      input_(options_, lost, threads_, [this] { return on_pause_ ? on_pause_() : std::nullopt; }),
      min_delay_us_(take_delays()),
      report_file_(options.reporting.report
                       ? std::make_unique<OutputFile>(*options.reporting.report, options.writing.sync)
                       : nullptr),
      end_of_output_(options.output == "-" && !options.dry_run ? end_of_standard_output() : std::nullopt),
      file_(open_output(options_, input_, threads_, min_delay_us_)),
      sink_(file_ ? static_cast<EventSink*>(file_.get()) : &nowhere_),
      progress_(progress_wanted(options), input_name(options)) {
  if (!input_.is_mapped()) return;
  with_recorded_ = std::make_unique<WithRecorded>(*sink_, input_.recorded());
  sink_ = with_recorded_.get();
}

/// The delays of the trace, unless the user named some. Returns the one between nodes.
double Job::take_delays() {
  // Each value of a sweep replaces both.
  if (!options_.sweep)
    options_.parameters.node_delay_us = tool::node_delay_in_effect(options_.parameters, definitions());
  return tool::min_delay_in_effect(options_.parameters, definitions());
}

Parameters Job::parameters_of_clock() const {
  Parameters parameters = options_.parameters;
  if (input_.is_mapped() || options_.source.sort_window_us > 0) parameters.max_memory = options_.half_of_memory();
  parameters.uncounted_body = source().added_body();
  return parameters;
}

template <class Stage>
Outcome Job::pump(Stage& stage, Live* live) {
  const auto take = [&](const Batch& batch) {
    if (live != nullptr) live->arrived(batch.events);
    stage.recorded_granularity(input_.recorded().granularity());
    pass_on(batch, stage);
    return true;
  };
  Outcome outcome = read_all(source(), options_, progress_, take, [&] { return stage.definition_memory(); });
  stage.finish();
  return outcome;
}

/// Reads all records, or those that are needed, for a replay. whole: it did not stop before the rest.
Outcome Job::record(Replayed& replayed, bool& whole) {
  std::vector<Time> times;
  whole = true;
  const auto take = [&](const Batch& batch) {
    times.clear();
    for (const Event& event : batch.events)
      times.push_back(input_.is_mapped() ? input_.recorded().pop(event.process) : event.time);
    whole = replayed.record(batch, times);
    return whole;
  };
  return read_all(source(), options_, progress_, take, [&] { return definitions().memory(); });
}

int Job::copy() {
  CopyingStage copier(definitions(), *sink_);
  on_pause_ = [this]() -> std::optional<std::chrono::milliseconds> {
    if (file_) file_->flush();
    return std::nullopt;
  };
  Outcome outcome = pump(copier, nullptr);
  close_file(outcome);
  return conclude_copy(ended(outcome));
}

void Job::close_file(Outcome& outcome) {
  if (!file_) return;
  file_->close();
  if (outcome.error.empty()) outcome.error = tool::with_flags(file_->damage());
}

void Job::finish_file(Outcome& outcome) {
  // Half an archive is not written: there is nothing to report.
  const bool half = file_ && input_.opened().archive && !options_.source.keep_going;
  if (!outcome.error.empty() && half && is_folder(output_format(options_, input_))) throw InputError(outcome.error);
  close_file(outcome);
  if (!outcome.error.empty() && half) throw InputError(outcome.error);
}

Ended Job::ended(const Outcome& outcome) {
  progress_.clear();
  return {options_,
          input_,
          file_.get(),
          report_file_.get(),
          min_delay_us_,
          progress_.seconds(),
          can_start_again(options_, end_of_output_.has_value()),
          lost_.too_many(),
          outcome};
}

int Job::replay() {
  EventSink& sink = file_ ? static_cast<EventSink&>(*file_) : nowhere_;  // the recording knows the recorded times
  const std::unique_ptr<ShiftWatch> watch = watch_shifts(sink);
  std::function<void(const Corrected&)> observe;
  if (watch) observe = [&](const Corrected& event) { watch->look(event); };
  Replayed replayed(options_, definitions(), sink, std::move(observe));
  bool whole = true;
  Outcome outcome = record(replayed, whole);
  if (!outcome.error.empty() && input_.opened().archive && !options_.source.keep_going) throw InputError(outcome.error);
  if (options_.correction)
    replayed.correct(whole, options_.parameters, source().added_body(), input_.recorded().granularity(),
                     input_.observer());
  else
    replayed.copy(whole, source().added_body());
  finish_file(outcome);
  if (!options_.quiet && replayed.recording().is_window_empty()) {
    progress_.clear();
    tool::warn(program, empty_window(input_name(options_), replayed.recording(), whole));
  }
  if (options_.correction) return conclude(ended(outcome), replayed.analysis(), watch.get(), nullptr);
  return conclude_copy(ended(outcome));
}

int Job::sweep() {
  Sweep sweep(parameters_of_clock(), definitions(), *options_.sweep, *sink_);
  const Outcome outcome = pump(sweep, nullptr);
  const int status = conclude_copy(ended(outcome));
  if (!options_.quiet) tool::warn(program, tool::unused_delays(options_.parameters, definitions()));
  sweep.write(std::cout);
  return status;
}

std::optional<int> Job::correct() {
  const std::unique_ptr<ShiftWatch> watch = watch_shifts(*sink_);
  EventSink* sink = watch ? watch.get() : sink_;
  std::unique_ptr<Live> live;
  if (options_.online) {
    live = watch_live(*sink);
    sink = live.get();
  }
  const Parameters parameters = parameters_of_clock();
  Filter filter(parameters, definitions(), *sink);
  if (FilterObserver* const observer = input_.observer()) filter.observe(*observer);
  on_pause_ = [&] { return pause(*live, filter); };
  Outcome outcome = pump(filter, live.get());
  if (can_start_again(options_, end_of_output_.has_value())) {
    if (const auto better = filter::better_match(options_, filter.analysis(), outcome, lost_)) {
      better_match_ = *better;
      progress_.clear();
      return std::nullopt;
    }
  }
  finish_file(outcome);
  return conclude(ended(outcome), filter.analysis(), watch.get(), live.get());
}

/// null: no limit was given.
std::unique_ptr<ShiftWatch> Job::watch_shifts(EventSink& sink) const {
  if (!options_.reporting.max_shift_us) return nullptr;
  return std::make_unique<ShiftWatch>(sink,
                                      definitions().resolution.ticks_of_microseconds(*options_.reporting.max_shift_us));
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
  if (!input_.looks_ahead()) proof = live.pause();
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

}  // namespace

int run(const Options& options) {
  refuse_to_overwrite(options);
  if ((options.input == "-" || options.source.files_from == "-") && ::isatty(STDIN_FILENO) == 1)
    throw UsageError("standard input is a terminal; name a trace or use a pipe");
  Options again = options;
  lost::Search lost = search_for(options);
  std::optional<std::int64_t> end_of_output;
  {
    Job job(options, lost);
    if (options.sweep) return job.sweep();
    if (options.replays()) return job.replay();
    if (!options.correction || options.write_offsets) return job.copy();
    if (const std::optional<int> status = job.correct()) return *status;
    again.match = again.parameters.match = job.better_match();
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
