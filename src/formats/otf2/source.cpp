// All locations of an archive as one stream, sorted by time, ties by location and then as recorded.
//
// Few locations are read side by side. Where there are more than `most_open`, or than files can be open at once, each
// is read to its end, one after the other, into a spool, because an open location takes a file and about a MiB of
// memory.
#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "bytes/descriptors.hpp"
#include "clc/io/record.hpp"
#include "common/batch.hpp"
#include "common/definition_lines.hpp"
#include "otf2/archive.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/event_reader.hpp"
#include "otf2/event_spool.hpp"
#include "trace/offsets.hpp"

namespace clc::otf2 {

namespace {

constexpr std::size_t most_open = 64;
constexpr std::size_t other_files = 8;        // that are opened while locations are read
constexpr std::size_t live_run_length = 512;  // runs of 64 locations stay in the cache
constexpr std::size_t spooled_run_length = 64;
constexpr std::size_t batch_length = 4096;
constexpr unsigned place_bits = 40;

/// " (by number 240, 241, of locations 242)"; empty: none is known.
std::string by_number(const std::vector<std::pair<std::string, std::set<unsigned>>>& sets) {
  std::string text;
  for (const auto& [whose, kinds] : sets) {
    std::string_view word = whose;
    for (const unsigned kind : kinds) {
      text += (text.empty() ? " (by number " : ", ") + std::string(std::exchange(word, {})) + std::to_string(kind);
    }
  }
  return text.empty() ? text : text + ")";
}

class ArchiveSource final : public Source {
 public:
  ArchiveSource(std::shared_ptr<Archive> archive, bool bodies) : archive_(std::move(archive)), bodies_(bodies) {
    for (const Archive::Location& location : archive_->locations()) bytes_total_ += location.bytes;
    const Definitions& definitions = archive_->definitions();
    lines_.push_back("%clc-trace 1");
    lines_.insert(lines_.end(), archive_->notes().begin(), archive_->notes().end());
    lines_.push_back("%resolution " + std::to_string(definitions.resolution.per_second()));
    if (definitions.min_delay)
      lines_.push_back("%min-delay " + std::to_string(*definitions.min_delay) +
                       (definitions.node_min_delay ? " node=" + std::to_string(*definitions.node_min_delay) : ""));
    for (const Process& process : definitions.processes()) {
      const Process& clock = definitions.processes()[process.clock];
      lines_.push_back(formats::process_line(
          process.number, process.name, process.node == no_node ? std::string() : definitions.nodes()[process.node],
          &clock == &process ? std::nullopt : std::optional(clock.number)));
    }
    add_offset_lines();
    if (!archive_->group_lines) next_group_ = definitions.communicators().size();
    first_groups_ = definitions.communicators().size();
  }

  [[nodiscard]] const Definitions& definitions() const noexcept override { return archive_->definitions(); }
  [[nodiscard]] const BodyDecoder& decoder() const noexcept override { return body_decoder(); }
  [[nodiscard]] std::string describe(std::uint64_t place) const override {
    return archive_->name_of(archive_->locations()[place >> place_bits]) + ", event " +
           std::to_string(place & ((std::uint64_t{1} << place_bits) - 1));
  }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return bytes_read_; }
  [[nodiscard]] std::uint64_t bytes_total() const noexcept override { return bytes_total_; }

  bool read(Batch& batch) override {
    batch.notes.clear();  // records stay until others are written over them
    if (ended_) {
      batch.clear();
      throw InputError(archive_->faults.front());
    }
    if (lines_.empty() && next_group_ < first_groups_) add_group_lines();
    if (!begun_ && !lines_.empty()) {
      batch.clear();
      give_lines(batch);
      return true;
    }
    try {
      if (!begun_) begin();
      if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
      if (exhausted_ != no_process) refill();
    } catch (...) {
      batch.clear();
      archive_->damaged = true;
      throw;
    }
    give_lines(batch);
    take(batch);
    if (!heap_.empty() || exhausted_ != no_process || fault_) return true;
    archive_->close_reader();
    ended_ = !archive_->faults.empty();
    return ended_;
  }

  [[nodiscard]] std::vector<std::string> warnings() const override { return warnings_of(*archive_); }

  [[nodiscard]] Body added_body() const override {
    return archive_->converted ? Body() : otf2::added_body;  // those that are converted become records
  }
  [[nodiscard]] std::vector<std::string> remarks() const override { return remarks_of(*archive_); }

 private:
  void give_lines(Batch& batch) {
    given_.swap(lines_);
    lines_.clear();
    for (const std::string& line : given_) batch.notes.push_back({0, line});
  }
  /// Of clock offsets that state a deviation: they are applied to the times, so what is left are offsets of 0, as known
  /// as those are. Where some do, 0 is exact; where none does, it means nothing.
  void add_offset_lines() {
    const auto& locations = archive_->locations();
    const bool stated = std::ranges::any_of(locations, [](const Archive::Location& location) {
      const auto& points = location.offsets.points();
      return std::ranges::any_of(points, [](const auto& point) { return point.deviation > 0; });
    });
    for (ProcessIndex i = 0; stated && i < locations.size(); ++i) {
      LocationClock clock(locations[i].offsets);
      for (const ClockOffsets::Point& point : locations[i].offsets.points())
        lines_.push_back(offset_line(archive_->definitions().processes()[i].number,
                                     {archive_->in_trace(clock.at(point.time)), 0, 0, point.deviation}));
    }
  }
  /// The next communicators of the archive; not all at once, because each names all its members.
  void add_group_lines() {
    const auto& communicators = archive_->definitions().communicators();
    constexpr std::size_t most_bytes = std::size_t{1} << 20;
    for (std::size_t bytes = 0; bytes < most_bytes && next_group_ < first_groups_; ++next_group_) {
      lines_.push_back(group_line(archive_->definitions(), communicators[next_group_]));
      bytes += lines_.back().size();
    }
  }

  struct Lane {
    std::unique_ptr<EventReader> live;
    std::unique_ptr<EventSpool::Reader> spooled;
    Run run;
    std::uint64_t taken = 0;       ///< events of the archive so far
    std::uint64_t bytes_read = 0;  ///< about so many, up to these
  };
  struct Entry {
    Time time;
    ProcessIndex process;
    /// Heaps have the largest in front.
    friend bool operator<(const Entry& a, const Entry& b) noexcept {
      return a.time != b.time ? a.time > b.time : a.process > b.process;
    }
  };

  void begin() {
    begun_ = true;
    const auto count = static_cast<ProcessIndex>(archive_->locations().size());
    lanes_.resize(count);
    if (std::ranges::any_of(archive_->locations(), [](const auto& location) { return location.event_file; }))
      check_input(OTF2_Reader_OpenEvtFiles(archive_->reader()), archive_->anchor(), "open the event files");
    read_teams(*archive_);
    orders_.read(*archive_, {});
    const std::size_t room = formats::free_descriptors();
    if (count > most_open || count + other_files > room) {
      spool_ = std::make_unique<EventSpool>(count, bodies_);
      Run run;
      for (ProcessIndex i = 0; i < count; ++i) {
        EventReader reader(*archive_, i, bodies_, lines_, orders_);
        EventSpool::Writer writer(*spool_, i);
        while (reader.read(live_run_length, run)) writer.append(run);
        writer.complete();
        bytes_read_ += archive_->locations()[i].bytes;
      }
      archive_->close_reader();
    }
    for (ProcessIndex i = 0; i < count; ++i) {
      if (spool_)
        lanes_[i].spooled = std::make_unique<EventSpool::Reader>(*spool_, i, i);
      else
        lanes_[i].live = std::make_unique<EventReader>(*archive_, i, bodies_, lines_, orders_);
      push_next(i);
    }
  }

  /// Reads the next run of a location and puts it on the heap.
  void push_next(ProcessIndex process) {
    Lane& lane = lanes_[process];
    const bool more =
        spool_ ? lane.spooled->read(spooled_run_length, lane.run) : lane.live->read(live_run_length, lane.run);
    if (!spool_) count_bytes(process, lane, more);
    if (!more) return;
    heap_.push_back({lane.run.events.front().time, process});
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// How far libotf2 is in a file it does not tell: taken for proportional to the events, as far as their number is
  /// known.
  void count_bytes(ProcessIndex process, Lane& lane, bool more) {
    const Archive::Location& location = archive_->locations()[process];
    std::uint64_t bytes = location.bytes;
    if (more && lane.taken < location.events_defined)
      bytes = static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(lane.taken) /
                                         static_cast<double>(location.events_defined));
    else if (more && location.events_defined == 0)
      bytes = 0;
    bytes_read_ += bytes - std::exchange(lane.bytes_read, bytes);
  }

  void refill() { push_next(std::exchange(exhausted_, no_process)); }
  /// Refills within a batch. False: the rest has to wait for the next read, because there are new lines or a fault.
  bool refill_at_once() {
    try {
      refill();
    } catch (...) {
      fault_ = std::current_exception();
    }
    return !fault_ && lines_.empty();
  }

  /// Merges until the batch is full. Where there are bodies, until a run ends: they must stay until the next read.
  void take(Batch& batch) {
    std::size_t count = 0;
    while (!heap_.empty() && count < batch_length) {
      const Entry front = heap_.front();
      Run& run = lanes_[front.process].run;
      count = take(front.process, batch, count);
      if (run.at == run.events.size()) {
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
        exhausted_ = front.process;
        if (bodies_ || !refill_at_once()) break;
        continue;
      }
      sink_front(run.events[run.at].time);
    }
    formats::resize_records(batch, count);
  }

  /// Takes from the location in front what comes before all others and fits, behind the first `count` records. Returns
  /// how many there are then.
  std::size_t take(ProcessIndex process, Batch& batch, std::size_t count) {
    Lane& lane = lanes_[process];
    Run& run = lane.run;
    const Entry next = second();
    const std::uint64_t first = std::uint64_t{process} << place_bits;
    const Event* event = run.events.data() + run.at;
    const std::size_t most = std::min(run.events.size() - run.at, batch_length - count);
    const Event* const end = event + most;
    if (batch.events.size() < count + most) formats::resize_records(batch, count + most);
    do {
      batch.events[count] = *event;
      batch.bodies[count] = run.body(run.at);
      batch.places[count] = first | lane.taken;
      lane.taken += run.is_added(run.at) ? 0U : 1U;
      ++run.at;
      ++count;
      ++event;
    } while (event != end && next < Entry{event->time, process});
    return count;
  }

  /// What comes when the front has been taken.
  [[nodiscard]] Entry second() const noexcept {
    if (heap_.size() < 2) return {Time::latest(), no_process};
    return heap_.size() == 2 || heap_[2] < heap_[1] ? heap_[1] : heap_[2];
  }

  /// The front goes on later: to its place in the heap, in one way down.
  void sink_front(Time time) noexcept {
    const Entry moved{time, heap_.front().process};
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child] < heap_[child + 1]) ++child;
      if (!(moved < heap_[child])) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = moved;
  }

  std::shared_ptr<Archive> archive_;
  bool bodies_;
  bool begun_ = false;
  bool ended_ = false;  ///< all is delivered but what cannot be read
  RequestOrders orders_;
  std::vector<Lane> lanes_;
  std::unique_ptr<EventSpool> spool_;  ///< null: locations are read side by side
  std::vector<Entry> heap_;
  ProcessIndex exhausted_ = no_process;  ///< its run has been taken whole
  std::exception_ptr fault_;             ///< thrown by the next read
  NewLines lines_;                       ///< not yet given
  std::size_t next_group_ = 0;           ///< communicator of the archive whose line comes next
  std::size_t first_groups_ = 0;         ///< communicators that the archive names
  NewLines given_;                       ///< what the notes of the last batch point into
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_total_ = 0;
};

}  // namespace

std::vector<std::string> warnings_of(const Archive& archive) {
  std::vector<std::string> all = archive.oddities.in_definitions;
  // The first is the error.
  for (std::size_t i = 1; i < archive.faults.size(); ++i) all.push_back(archive.faults[i]);
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) all.push_back(archive.anchor() + ": " + std::to_string(count) + ' ' + what);
  };
  if (archive.oddities.unlike_offsets > 0) {
    const auto [unlike, first] = archive.oddities.first_unlike;
    const auto number_of = [&](ProcessIndex location) { return std::to_string(archive.locations()[location].ref); };
    all.push_back(archive.anchor() + ": the clock offsets of locations " + number_of(first) + " and " +
                  number_of(unlike) + " differ, although both share the clock of a process; " +
                  std::to_string(archive.oddities.unlike_offsets) +
                  (archive.oddities.unlike_offsets == 1 ? " location has" : " locations have") +
                  " other offsets than the first one of their process: record them for all, or use "
                  "SourceOptions::clock_offsets = false");
  }
  add(archive.oddities.wrong_counts, "locations have a different number of events than their definition says");
  add(archive.oddities.unknown_communicators,
      "messages or collective operations name an undefined communicator or rank; they are ignored");
  add(archive.oddities.unknown_operations, "ends of collective operations have unknown kinds; they are ignored");
  add(archive.oddities.late_receives,
      "receives ended more than 4096 events after one of the same sender, communicator and tag that was posted "
      "later; they are matched in the order in which they ended");
  add(archive.oddities.uneven_regions,
      "times a thread entered a team whose members recorded different parallel regions; such a team orders "
      "nothing");
  add(archive.oddities.uneven_barriers,
      "barriers of threads order nothing, because members of the team recorded different numbers of them in the "
      "same parallel region");
  add(archive.oddities.unknown_records, "events have kinds that this libotf2 does not know" +
                                            by_number({{"", archive.oddities.unknown_kinds}}) +
                                            "; they are left out of an output archive");
  add(archive.oddities.unknown_definitions, "definitions have kinds that this libotf2 does not know" +
                                                by_number({{"", archive.oddities.unknown_global_kinds},
                                                           {"of locations ", archive.oddities.unknown_local_kinds}}) +
                                                "; they are left out of the output");
  add(archive.oddities.below_zero,
      "events have negative times because of the archive's clock offsets; they are set to 0: use "
      "SourceOptions::clock_offsets = false");
  return all;
}

std::vector<std::string> remarks_of(const Archive& archive) {
  if (archive.oddities.one_sided == 0) return {};
  return {std::to_string(archive.oddities.one_sided) +
          " events of one-sided communication are ignored, because only one side of them is recorded"};
}

std::unique_ptr<Source> archive_source(std::shared_ptr<Archive> archive, bool bodies) {
  return std::make_unique<ArchiveSource>(std::move(archive), bodies);
}

}  // namespace clc::otf2
