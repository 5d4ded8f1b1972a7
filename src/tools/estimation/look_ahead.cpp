// With Eigen.
#include "estimation/look_ahead.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "common/provenance.hpp"
#include "common/values.hpp"
#include "estimation/estimation.hpp"
#include "formats/common/decorator.hpp"
#include "formats/common/later_definitions.hpp"
#include "formats/common/order.hpp"
#include "sync/sliding.hpp"
#include "trace/offsets.hpp"
#include "trace/one_or_many.hpp"
#include "trace/time_order.hpp"

namespace clc::tool {

namespace {

/// Records and notes copied out of a batch of the source.
struct Chunk {
  std::string bytes;
  Batch batch;            ///< its bodies and notes point into bytes
  std::size_t read = 0;   ///< events that the estimator has seen
  std::size_t given = 0;  ///< events that have left
  std::size_t notes_given = 0;
  std::uint64_t memory_of_changes = 0;
  std::deque<std::pair<std::size_t, formats::Redefinition>> changes;  ///< with the numbers of their notes

  explicit Chunk(const Batch& from) {
    std::size_t size = 0;
    for (const Body body : from.bodies) size += body.size();
    for (const Batch::Note& note : from.notes) size += note.line.size();
    bytes.reserve(size);
    const auto kept = [this](Body body) {
      const std::size_t at = bytes.size();
      bytes.append(body);
      return Body(bytes.data() + at, body.size());
    };
    batch.events = from.events;
    batch.places = from.places;
    batch.bodies.reserve(from.bodies.size());
    for (const Body body : from.bodies) batch.bodies.push_back(kept(body));
    for (const Batch::Note& note : from.notes) batch.notes.push_back({note.before, kept(note.line), note.place});
  }
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return sizeof(Chunk) + bytes.size() + batch.notes.size() * sizeof(Batch::Note) +
           batch.events.size() * (sizeof(Event) + sizeof(Body) + sizeof(std::uint64_t)) + memory_of_changes;
  }
};

/// The map of a clock: the points that records still need, and where it began.
struct OfClock {
  std::vector<OffsetPoint> points;
  OffsetLine line;  ///< through these
  std::optional<OffsetPoint> first;
  std::vector<ProcessIndex> processes;  ///< those with events so far
};

/// The points of a process that were written.
struct Noted {
  bool any = false;
  bool moved = false;               ///< one of them changes times
  std::optional<OffsetPoint> held;  ///< the last one, not written: no point so far changes times
};

class Holding final : public formats::Decorator {
 public:
  Holding(std::unique_ptr<Source> from, const LookAhead& settings, RecordedTimes& recorded)
      : Decorator(std::move(from)), settings_(settings), recorded_(recorded), definitions_(inner().definitions()) {}

  /// Of the records that were given.
  [[nodiscard]] const Definitions& definitions() const noexcept override { return definitions_.now(); }
  [[nodiscard]] std::vector<std::string> warnings() const override;
  bool read(Batch& batch) override;
  [[nodiscard]] GrownMap found() const;

  /// No record that is still to be given is mapped to before this.
  [[nodiscard]] Time complete() const noexcept { return least_; }

 private:
  [[nodiscard]] std::string steps() const;
  [[nodiscard]] std::vector<std::string> doubts() const;
  void take();
  void keep_changes(Chunk& chunk);
  void look_ahead();
  void advance();
  void end();
  bool give(Batch& batch);
  void add_note(Batch& batch, std::string line);
  void note_point(Batch& batch, ProcessIndex process, const OffsetPoint& point);
  void add_points(Batch& batch);
  OffsetMap& map_of(ProcessIndex process, Batch& batch);
  [[nodiscard]] bool lacks_points(const Event& event);
  OfClock& clock(ClockIndex index);
  [[nodiscard]] std::string line_of(ProcessIndex process, const OffsetPoint& point) const;

  LookAhead settings_;
  RecordedTimes& recorded_;
  formats::LaterDefinitions definitions_;
  std::optional<sync::Sliding> sliding_;
  Provenance provenance_;
  std::deque<Chunk> chunks_;
  std::size_t looking_at_ = 0;  ///< the first chunk that the estimator has not seen to its end
  std::uint64_t memory_ = 0;
  Time until_ = Time::earliest();               ///< records before this can leave
  Time complete_ = Time::earliest();            ///< records from until_ on are not mapped to before this
  Time least_ = Time::earliest();               ///< the same of the records that can leave
  std::deque<OfClock> clocks_;                  ///< maps_ point to their lines
  std::vector<sync::Sliding::Fixed> points_;    ///< not noted yet
  std::vector<std::optional<OffsetMap>> maps_;  ///< by process; none: it has had no event
  std::vector<Noted> noted_;                    ///< by process
  RunningMaxima maxima_;                        ///< of mapped times
  std::deque<std::string> lines_;               ///< what notes of the last batch point into
  std::uint64_t raised_ = 0;
  bool ended_ = false;
  std::exception_ptr fault_;  ///< thrown when everything before it has been given
};

/// Reads a batch.
void Holding::take() {
  Batch batch;
  bool more = false;
  try {
    more = inner().read(batch);
  } catch (const InputError&) {
    fault_ = std::current_exception();
  }
  if (!batch.events.empty() || !batch.notes.empty()) {
    chunks_.emplace_back(batch);
    keep_changes(chunks_.back());
    memory_ += chunks_.back().memory();
  }
  if (memory_ > settings_.most_memory && !fault_) {
    const std::string place =
        batch.places.empty() ? std::string("byte ") + std::to_string(bytes_read()) : describe(batch.places.back());
    fault_ = std::make_exception_ptr(InputError(
        place + ": the records of the look-ahead take more than " + std::to_string(settings_.most_memory >> 10U) +
        " KiB, their share of --max-memory; use a shorter --look-ahead or a larger --max-memory"));
  }
  if (!more || fault_) ended_ = true;
}

/// A redefinition takes effect with its note, as the records before it are still to be given.
void Holding::keep_changes(Chunk& chunk) {
  const Definitions& read = inner().definitions();
  for (std::size_t note = 0; note < chunk.batch.notes.size(); ++note)
    if (std::optional<formats::Redefinition> change = definitions_.change(chunk.batch.notes[note].line, read)) {
      chunk.memory_of_changes += sizeof chunk.changes.front() + change->memory();
      chunk.changes.emplace_back(note, *std::move(change));
    }
  definitions_.grow(read);
}

/// Shows the estimator one more event.
void Holding::look_ahead() {
  if (looking_at_ == chunks_.size()) {
    if (ended_) return end();
    return take();
  }
  Chunk& chunk = chunks_[looking_at_];
  if (chunk.read == chunk.batch.events.size()) {
    ++looking_at_;
    return;
  }
  if (!sliding_) {
    const Definitions& read = inner().definitions();  // of the records that the estimator sees
    add_definitions(settings_.estimation, read);
    sliding_.emplace(read, read.resolution.ticks_of_seconds(settings_.seconds), settings_.estimation);
  }
  sliding_->add(chunk.batch.events[chunk.read++]);
  if (sliding_->fixed_until() > until_) advance();
}

void Holding::end() {
  if (until_ == Time::latest()) return;
  if (sliding_) sliding_->finish();
  advance();
  until_ = Time::latest();
}

/// More of the map is fixed.
void Holding::advance() {
  const Time before = until_;
  until_ = sliding_ ? sliding_->fixed_until() : Time::latest();
  least_ = complete_;
  std::vector<sync::Sliding::Fixed> fixed;
  if (sliding_) fixed = sliding_->take();
  for (const sync::Sliding::Fixed& one : fixed) {
    OfClock& of = clock(one.clock);
    of.points.push_back(one.point);
    if (!of.first) of.first = one.point;
  }
  if (until_ != Time::latest()) complete_ = until_;
  for (OfClock& clock : clocks_) {
    // The last point before the records that wait, and those behind.
    auto from = std::ranges::find_if(clock.points, [&](const OffsetPoint& point) { return point.time > before; });
    if (from != clock.points.begin()) --from;
    clock.points.erase(clock.points.begin(), from);
    clock.line = OffsetLine(clock.points);
    if (until_ != Time::latest()) complete_ = std::min(complete_, clock.line.at(until_));
  }
  complete_ = std::max(complete_, least_);
  points_.insert(points_.end(), fixed.begin(), fixed.end());
}

std::string Holding::line_of(ProcessIndex process, const OffsetPoint& point) const {
  // "%offset PROCESS ..." with the number of the correction.
  const std::string line = offset_line(definitions().processes()[process].number, point);
  return "%provenance offset@" + std::to_string(provenance_.corrections() + 1) + line.substr(line.find(' '));
}

void Holding::add_note(Batch& batch, std::string line) {
  if (!settings_.write_map) return;
  lines_.push_back(std::move(line));
  batch.notes.push_back({batch.events.size(), lines_.back()});
}

/// As long as a clock keeps its times, its first point says all. Where the map begins, it needs the last one as well.
void Holding::note_point(Batch& batch, ProcessIndex process, const OffsetPoint& point) {
  if (process >= noted_.size()) noted_.resize(process + std::size_t{1});
  Noted& noted = noted_[process];
  const bool moves = point.offset != 0 || point.fraction != 0;
  if (noted.any && !noted.moved && !moves) {
    noted.held = point;
    return;
  }
  if (noted.held) add_note(batch, line_of(process, *std::exchange(noted.held, std::nullopt)));
  add_note(batch, line_of(process, point));
  noted.any = true;
  noted.moved |= moves;
}

/// Notes the points that are new, for all processes met so far.
void Holding::add_points(Batch& batch) {
  for (const sync::Sliding::Fixed& one : points_)
    for (const ProcessIndex process : clock(one.clock).processes) note_point(batch, process, one.point);
  points_.clear();
}

OfClock& Holding::clock(ClockIndex index) {
  if (index >= clocks_.size()) clocks_.resize(index + std::size_t{1});
  return clocks_[index];
}

/// With its first event, a process gets the points of its clock.
OffsetMap& Holding::map_of(ProcessIndex process, Batch& batch) {
  if (process >= maps_.size()) maps_.resize(process + std::size_t{1});
  std::optional<OffsetMap>& map = maps_[process];
  if (!map) {
    OfClock& of = clock(definitions().processes()[process].clock);
    of.processes.push_back(process);
    for (const OffsetPoint& point : of.points) note_point(batch, process, point);
    map.emplace(&of.line);
  }
  return *map;
}

/// The points around this time are not kept any more.
bool Holding::lacks_points(const Event& event) {
  const OfClock& of = clock(definitions().processes()[event.process].clock);
  return of.first && event.time < of.points.front().time && !(of.points.front() == *of.first);
}

/// Gives the records of the first chunk that can leave. False: none can.
bool Holding::give(Batch& batch) {
  while (!chunks_.empty()) {
    Chunk& chunk = chunks_.front();
    const std::vector<Event>& events = chunk.batch.events;
    const std::vector<Batch::Note>& notes = chunk.batch.notes;
    for (;;) {
      const bool can_leave =
          chunk.given < chunk.read && (events[chunk.given].time < until_ || until_ == Time::latest());
      const bool note_is_next = chunk.notes_given < notes.size() && notes[chunk.notes_given].before == chunk.given;
      if (note_is_next && (can_leave || chunk.given == chunk.read)) {
        if (!chunk.changes.empty() && chunk.changes.front().first == chunk.notes_given) {
          if (!batch.events.empty()) return true;  // a change of definitions begins a batch
          definitions_.make(chunk.changes.front().second, inner().definitions());
          chunk.changes.pop_front();
        }
        const Body line = notes[chunk.notes_given++].line;
        provenance_.note(line);
        lines_.emplace_back(line);
        batch.notes.push_back({batch.events.size(), lines_.back()});
        continue;
      }
      if (!can_leave) break;
      if (!points_.empty()) add_points(batch);
      Event event = events[chunk.given];
      OffsetMap& map = map_of(event.process, batch);
      if (lacks_points(event)) {
        if (!batch.events.empty() || !batch.notes.empty()) return true;
        throw InputError(describe(chunk.batch.places[chunk.given]) + ": found time " +
                         std::to_string(event.time.ticks()) +
                         " of a clock that was set back by more than the map is kept, expected smaller steps; use "
                         "--estimate without --look-ahead");
      }
      recorded_.push(event.process, event.time);
      event.time = map.next(event.time);
      if (map.is_cut_off()) recorded_.cut_off();
      // A clock that came late may be mapped to before what has left.
      if (maxima_.next(event) < least_) {
        ++raised_;
        event.time = least_;
      }
      batch.events.push_back(event);
      batch.bodies.push_back(chunk.batch.bodies[chunk.given]);
      batch.places.push_back(chunk.batch.places[chunk.given]);
      ++chunk.given;
    }
    const bool done = chunk.given == events.size() && chunk.notes_given == notes.size() && looking_at_ > 0;
    if (!done || !batch.events.empty() || !batch.notes.empty()) break;
    memory_ -= chunk.memory();
    chunks_.pop_front();
    --looking_at_;
  }
  return !batch.events.empty() || !batch.notes.empty();
}

bool Holding::read(Batch& batch) {
  batch.clear();
  lines_.clear();
  while (!give(batch)) {
    if (ended_ && looking_at_ == chunks_.size() && until_ == Time::latest()) {
      if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
      return false;
    }
    look_ahead();
  }
  return true;
}

std::vector<std::string> Holding::warnings() const {
  std::vector<std::string> lines = Decorator::warnings();
  if (raised_ > 0)
    lines.push_back(
        std::to_string(raised_) +
        " events of clocks that begin late were mapped to later times than the map says, because the output "
        "had gone on");
  if (std::string set = steps(); !set.empty()) lines.push_back(std::move(set));
  return lines;
}

std::string Holding::steps() const {
  if (!sliding_) return {};
  const std::map<sync::ClockIndex, Time>& steps = sliding_->steps();
  const std::string set = words_of(Steps(steps.begin(), steps.end()), definitions());
  if (set.empty()) return {};
  return set + (sliding_->maps() ? "; the map is wrong around each step" : "; nothing is mapped");
}

std::vector<std::string> Holding::doubts() const {
  constexpr double enough = 2;  // with fewer, a quarter of the windows have no messages both ways: (1 - exp(-2))^2
  constexpr double wanted = 5;
  std::vector<std::string> lines;
  if (!sliding_) return lines;
  if (const auto messages = sliding_->messages_in_window(); messages && *messages < enough)
    lines.push_back(
        "windows of " + significant(1e3 * sliding_->window_seconds(), 4) + " ms, an eighth of the " +
        "look-ahead, hold " + (*messages > 0 ? significant(*messages, 2) : "no") +
        " messages from one process to another" + (sliding_->maps() ? "" : ", so nothing is mapped") + "; use " +
        (*messages > 0 ? "--look-ahead " + significant(settings_.seconds * wanted / *messages, 1) + " or more"
                       : "a far longer --look-ahead"));
  if (const auto& wrong = sliding_->wrong(); !wrong.empty()) {
    const auto first =
        std::ranges::min_element(wrong, [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto number = [&](sync::ClockIndex clock) { return std::to_string(definitions().processes()[clock].number); };
    lines.push_back("records are missing, or clocks were set again and again: messages of " +
                    std::to_string(wrong.size()) + one_or_many(wrong.size(), " pair", " pairs") +
                    " of processes contradict themselves, first of " + number(first->first.first) + " and " +
                    number(first->first.second) + " before tick " + std::to_string(first->second.ticks()) +
                    "; the look-ahead does not use them, and clocks that need them go on in straight lines; use "
                    "--estimate without --look-ahead");
  }
  return lines;
}

GrownMap Holding::found() const {
  GrownMap result;
  if (sliding_) result.estimates = sliding_->estimates();
  result.steps = steps();
  result.doubts = doubts();
  const Resolution resolution = definitions().resolution;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (ProcessIndex process = 0; process < maps_.size(); ++process) {
    EstimatedClock& to = result.clocks.emplace_back();
    to.process = definitions().processes()[process].number;
    to.first_us = to.last_us = to.rate_ppm = to.deviation_us = to.error_us = to.bound_us = unknown;
    to.note = std::string(sync::name_of(sync::Flag::no_messages));
    if (!maps_[process]) continue;
    const OfClock& of = clocks_[definitions().processes()[process].clock];
    if (!of.first) continue;
    const OffsetPoint& first = *of.first;
    const OffsetPoint& last = of.points.back();
    const auto ahead = [&](const OffsetPoint& point) {
      return -resolution.microseconds(static_cast<double>(point.offset) + point.fraction);
    };
    to.first_us = ahead(first);
    to.last_us = ahead(last);
    if (last.time > first.time)
      to.rate_ppm = (to.last_us - to.first_us) / resolution.seconds(static_cast<double>(last.time - first.time));
    to.note = "with look-ahead";
  }
  return result;
}

}  // namespace

MappedAhead with_look_ahead(std::unique_ptr<Source> inner, const LookAhead& settings, RecordedTimes& recorded) {
  auto holding = std::make_unique<Holding>(std::move(inner), settings, recorded);
  const Holding& held = *holding;
  return {formats::sorted_until(
              std::move(holding), [&held] { return held.complete(); }, settings.most_memory, settings.on_definitions),
          [&held] { return held.found(); }};
}

}  // namespace clc::tool
