#include "filter_mpi/run.hpp"

#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/error.hpp"
#include "common/cases.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "common/provenance.hpp"
#include "estimation/mapped.hpp"
#include "filter_mpi/alignment.hpp"
#include "filter_mpi/figures.hpp"
#include "filter_mpi/lost_records.hpp"
#include "filter_mpi/memory_limit.hpp"
#include "formats/bytes/files.hpp"
#include "ranks/division.hpp"
#include "ranks/mpi/exchange.hpp"
#include "ranks/replay.hpp"

namespace clc::filter_mpi {

namespace {

constexpr std::string_view program = "clc-filter-mpi";

/// The own locations as the replay sees them.
class Locations final : public ranks::Input, public ranks::Output {
 public:
  Locations(otf2::ArchivePart& part, Figures& figures) : part_(part), figures_(figures) {}
  bool next(ClockIndex clock, Event& event) override {
    ++events_read_;
    return marks_.empty() ? part_.next(clock, event) : next_marked(clock, event);
  }
  bool messages(ClockIndex clock, std::vector<CountedEvent>& all) override {
    return marks_.empty() && part_.messages(clock, all);
  }
  void rewind() override { begin_again(true); }
  /// Each as often as it was read; and the ends.
  [[nodiscard]] std::uint64_t events_read() const noexcept { return events_read_; }
  void written(ProcessIndex process, std::span<const CorrectedTime> events) override {
    figures_.last_events.written(process, events);
    figures_.add(part_.written(process, events));
  }
  /// They begin again, with what is known of lost records.
  void mark(lost::Marks marks) {
    marks_ = std::move(marks);
    begin_again(false);
  }

 private:
  [[nodiscard]] bool next_marked(ClockIndex clock, Event& event) {
    if (!part_.next(clock, event)) return false;
    marks_.mark(event);
    return true;
  }
  void begin_again(bool is_last) {
    part_.rewind(is_last);
    marks_.rewind();
  }

  otf2::ArchivePart& part_;
  Figures& figures_;
  lost::Marks marks_;
  std::uint64_t events_read_ = 0;
};

/// Until no process is in its replay any more. tells: the others do not know yet. noexcept: if memory is too short even
/// for this, the program ends, because the others would wait for ever.
void leave_replay(ranks::Exchange& exchange, bool tells) noexcept {
  if (tells) ranks::end_early(exchange);
  while (!ranks::drain(exchange)) {
  }
}

class Job {
 public:
  Job(const Options& options, MpiPartners& partners) : options_(options), partners_(partners) {}
  int run();

 private:
  void refuse_to_overwrite() const;
  void open();
  void map_clocks();
  [[nodiscard]] std::unique_ptr<ranks::Replay> counted_replay(Locations& locations, ranks::Exchange& exchange);
  [[nodiscard]] bool find_lost_records(Locations& locations, const ranks::Replay& replay);
  void replay();
  void write();
  /// Returns the exit status.
  [[nodiscard]] int conclude();
  [[nodiscard]] RunFacts facts() const;
  [[nodiscard]] MapFigures map_figures() const;
  void report(const RunFacts& facts) const;
  void warn(const Verdict& verdict) const;

  Options options_;
  MpiPartners& partners_;
  MemoryLimit memory_{options_.parameters.max_memory};
  LostRecords lost_{options_};
  double min_delay_us_ = 0;
  std::unique_ptr<OutputFile> report_file_;  ///< of the first process
  std::unique_ptr<otf2::ArchivePart> part_;
  GivenOffsets given_offsets_;  ///< of the first process
  Alignment alignment_;
  Figures figures_;
};

void Job::refuse_to_overwrite() const {
  if (!options_.dry_run && tool::within(options_.output, options_.input))
    throw UsageError(options_.output + " holds the input; write to another folder and rename it");
  if (!options_.report) return;
  const std::string report = output_name(*options_.report);
  if (writes_over(options_.input, *options_.report)) throw UsageError("--report: " + report + " is the input");
  if (options_.offsets && writes_over(*options_.offsets, *options_.report))
    throw UsageError("--report: " + report + " is the file of --offsets");
  if (*options_.report == "-") return;
  if (!options_.dry_run && same_output(options_.output, *options_.report))
    throw UsageError("--report: " + *options_.report + " is the output");
}

void Job::open() {
  refuse_to_overwrite();
  if (partners_.rank() == 0) {
    given_offsets_ = read_given_offsets(options_);
    if (options_.report) report_file_ = std::make_unique<OutputFile>(*options_.report, options_.sync);
  }
  const DivideByTraffic divide = ranks::can_divide_by_traffic() ? ranks::divided_by_traffic : DivideByTraffic();
  part_ = otf2::open_part(options_.input, options_.source, partners_, memory_.for_packed(), divide);
}

void Job::map_clocks() {
  alignment_ = align(options_, std::move(given_offsets_), lost_, *part_, partners_);
  part_->map(alignment_.maps);
  options_.parameters.node_delay_us = tool::node_delay_in_effect(options_.parameters, part_->definitions());
  min_delay_us_ = tool::min_delay_in_effect(options_.parameters, part_->definitions());
}

/// A replay that has counted the records.
std::unique_ptr<ranks::Replay> Job::counted_replay(Locations& locations, ranks::Exchange& exchange) {
  auto replay = std::make_unique<ranks::Replay>(options_.parameters, part_->definitions(), part_->owners(), locations,
                                                locations, exchange);
  while (!replay->is_counted()) replay->advance();
  return replay;
}

/// False: none are missing, or nothing is known of them. Otherwise the locations begin again, with what is known. After
/// a complete search the matching is that of `whole`, even if it has found nothing.
bool Job::find_lost_records(Locations& locations, const ranks::Replay& replay) {
  if (options_.match == Match::fifo) return false;
  const bool seems_complete = partners_.sum({replay.lacks_records() ? 1 : 0}).front() == 0;
  if (seems_complete && options_.match != Match::whole) return false;
  lost::Marks marks = lost_.marks(partners_, part_->definitions());
  if (partners_.sum({lost_.too_many() ? 1 : 0}).front() > 0) return false;
  options_.parameters.match = Match::whole;
  if (marks.empty()) return false;
  locations.mark(std::move(marks));
  return true;
}

void Job::replay() {
  ranks::MpiExchange exchange(MPI_COMM_WORLD);
  Locations locations(*part_, figures_);
  std::unique_ptr<ranks::Replay> replay;
  const auto together = [&](const std::function<void()>& work) {
    partners_.step([&] {
      try {
        work();
      } catch (const ranks::OtherRankFailed&) {
        leave_replay(exchange, false);
      } catch (...) {
        if (!replay || !replay->is_done()) leave_replay(exchange, true);
        throw;
      }
    });
  };
  const auto count = [&] {
    replay.reset();  // first, for the memory
    replay = counted_replay(locations, exchange);
  };
  together(count);
  if (find_lost_records(locations, *replay)) {
    if (!options_.quiet && !options_.match) tool::say(program, "records are missing; matching with --match whole");
    together(count);
  }
  together([&] {
    while (replay->advance()) memory_.look(*replay, locations.events_read(), part_->definitions());
  });
  for (const CaseInfo& info : cases)
    figures_.counted[static_cast<std::size_t>(info.which)] = replay->counted(info.which);
  figures_.counted[static_cast<std::size_t>(Case::time_saturated)] += part_->count_cut_off();
  figures_.items = exchange.items_sent();
  figures_.regulation = replay->regulation();
  figures_.evidence = replay->evidence();
  figures_.trips = replay->trips();
  figures_.losses = replay->losses();
  figures_.received = replay->directions();
}

void Job::write() {
  SinkOptions to;
  to.overwrite = options_.overwrite;
  to.sync = options_.sync;
  to.keep_original = options_.keep_original;
  if (options_.provenance) {
    to.provenance = tool::provenance_of(alignment_.maps);
    to.provenance.insert(to.provenance.begin(), std::string(program) + ' ' + std::string(tool::version()) + ' ' +
                                                    effective(options_, min_delay_us_));
  }
  part_->write(options_.output, to);
}

RunFacts Job::facts() const {
  RunFacts facts{std::string(tool::version()),
                 effective(options_, min_delay_us_),
                 options_.input,
                 options_.parameters,
                 partners_.size(),
                 alignment_.line,
                 part_->fault(),
                 part_->remarks(),
                 options_.min_delay_auto && !part_->definitions().min_delay,
                 map_figures(),
                 alignment_.measured,
                 alignment_.doubts,
                 {}};
  facts.verdict = verdict_of(figures_, part_->definitions(), facts);
  return facts;
}

/// An estimate that is no better than the recorded times is not applied; what was measured is judged here, by the
/// sample of messages.
MapFigures Job::map_figures() const {
  const Definitions& definitions = part_->definitions();
  MapFigures figures = alignment_.binding;
  figures.clocks = tool::mapped_clocks(alignment_.maps, definitions.resolution);
  const bool is_measured = !options_.estimate || *options_.estimate == sync::Method::measured;
  if (!is_measured || alignment_.maps.empty()) return figures;
  tool::Unmapping unmapping(alignment_.maps, definitions);
  const auto recorded = [&](ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay) {
    return unmapping.delay(sender, receiver, received, delay);
  };
  std::vector<tool::MappedPair> pairs;
  for (const ranks::TripSample::Direction& each : figures_.trips.directions(recorded))
    pairs.push_back({each.sender, each.receiver, {each.smallest_delay, each.smallest_recorded}});
  figures.slack_us = tool::slack_of_offsets(figures_.trips.trips(), definitions.resolution, min_delay_us_);
  tool::add_messages(figures, pairs, definitions);
  return figures;
}

void Job::report(const RunFacts& facts) const {
  if (partners_.rank() != 0) return;
  if (report_file_) {
    (options_.json ? write_json : write_text)(report_file_->stream(), figures_, part_->definitions(), facts);
    report_file_->close();
  }
  if (!options_.verbose) return;
  std::ostringstream text;
  write_text(text, figures_, part_->definitions(), facts);
  std::cerr << text.str();
}

void Job::warn(const Verdict& verdict) const {
  if (options_.quiet || partners_.rank() != 0) return;
  tool::warn(program, part_->warnings());
  if (const std::string text = memory_.warning(part_->definitions()); !text.empty()) tool::warn(program, text);
  if (lost_.too_many())
    tool::warn(program,
               "records are missing, but there are more sends, receives and calls than --max-memory holds to find out "
               "which; messages match first in, first out; use a larger --max-memory");
  tool::warn(program, tool::unused_delays(options_.parameters, part_->definitions()));
  tool::warn(program, tool::warnings_of_offsets(options_, alignment_.maps, part_->definitions()));
  const auto counted = [&](Case which) { return figures_.counted[static_cast<std::size_t>(which)]; };
  tool::warn(program, tool::warnings_of_cases(counted, part_->definitions(), !part_->fault().empty(),
                                              options_.match == Match::fifo ? "--match whole" : ""));
  tool::warn(program, verdict);
}

int Job::conclude() {
  const RunFacts facts = this->facts();
  report(facts);
  if (!part_->fault().empty() && partners_.rank() == 0) tool::say(program, part_->fault());
  warn(facts.verdict);
  if (!part_->fault().empty()) return tool::status_failed;
  if (!options_.strict) return tool::status_ok;
  tool::StrictFailures failures;
  failures.add_unresolved(figures_.unresolved());
  failures.add(facts.verdict);
  if (!failures.any()) return tool::status_ok;
  if (partners_.rank() == 0) failures.say(program);
  return tool::status_unresolved;
}

int Job::run() {
  partners_.step([this] {
    open();
    static_cast<void>(part_->read());
  });
  map_clocks();
  replay();
  partners_.step([this] { figures_.join(partners_, part_->definitions(), part_->owners()); });
  if (!options_.dry_run) partners_.step([this] { write(); });
  int status = tool::status_ok;
  partners_.step([&] { status = conclude(); });
  return status;
}

}  // namespace

int run(const Options& options, MpiPartners& partners) { return Job(options, partners).run(); }

}  // namespace clc::filter_mpi
