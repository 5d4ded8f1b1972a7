#include "otf2/part.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "clc/error.hpp"
#include "common/corrections.hpp"
#include "common/new_folder.hpp"
#include "otf2/archive.hpp"
#include "otf2/event_reader.hpp"
#include "otf2/event_spool.hpp"
#include "otf2/own.hpp"
#include "otf2/rewrite.hpp"
#include "otf2/traffic.hpp"
#include "trace/short_queue.hpp"

namespace clc::otf2 {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t run_length = 512;

/// Locations that stay together: those that share a clock, and those of a process.
struct Blocks {
  explicit Blocks(const Archive& archive) {
    std::map<OTF2_LocationGroupRef, std::uint32_t> groups;
    for (ProcessIndex i = 0; i < archive.locations().size(); ++i) {
      const Archive::Location& location = archive.locations()[i];
      const ClockIndex clock = archive.definitions().processes()[i].clock;
      const auto next = static_cast<std::uint32_t>(events.size());
      of.push_back(clock != i ? of[clock] : groups.try_emplace(location.group, next).first->second);
      if (of.back() == next) events.emplace_back();
      events[of.back()] += 1 + location.events_defined;
    }
  }

  std::vector<std::uint32_t> of;      ///< by location
  std::vector<std::uint64_t> events;  ///< of each
};

/// What is counted while events are read.
constexpr std::array counters{&Archive::Oddities::unknown_communicators, &Archive::Oddities::unknown_records,
                              &Archive::Oddities::unknown_operations,    &Archive::Oddities::one_sided,
                              &Archive::Oddities::late_receives,         &Archive::Oddities::uneven_regions,
                              &Archive::Oddities::uneven_barriers,       &Archive::Oddities::below_zero,
                              &Archive::Oddities::unlike_offsets,        &Archive::Oddities::wrong_counts};

class PartOfFiles final : public ArchivePart {
 public:
  PartOfFiles(const std::string& path, const SourceOptions& options, Partners& partners, std::uint64_t memory,
              const DivideByTraffic& divide)
      : archive_(path, options, Archive::GlobalOnly()),
        partners_(partners),
        definitions_(archive_.definitions()),
        known_faults_(archive_.faults.size()) {
    archive_.group_lines = false;
    const Blocks blocks(archive_);
    own(blocks, divided_in_order(blocks.events, partners.size()));
    archive_.find_files(own_);
    exchange_files();
    find_definitions(own_, options);
    if (divide && partners.size() > 1 && blocks.events.size() > partners.size() && archive_.faults.empty())
      divide_again(blocks, divide, options);
    archive_.compare_offsets(own_);
    std::uint32_t lanes = 0;
    lane_of_.resize(own_.size());
    for (std::size_t i = 0; i < own_.size(); ++i)
      if (own_[i]) lane_of_[i] = lanes++;
    lanes_.resize(lanes);
    heads_.resize(lanes);
    spool_.emplace(lanes, false, memory / 2);
    corrections_.emplace(lanes, memory / 2, lane_of_);
  }

  [[nodiscard]] const Definitions& definitions() const noexcept override { return definitions_; }
  [[nodiscard]] const std::vector<unsigned>& owners() const noexcept override { return owners_; }
  std::uint64_t read() override;
  void map(Offsets offsets) override {
    offsets_ = std::move(offsets);
    start();
  }
  bool next(ClockIndex clock, Event& event) override;
  bool messages(ClockIndex clock, std::vector<CountedEvent>& all) override;
  void rewind(bool is_last) override;
  std::span<const CorrectedTime> written(ProcessIndex process, std::span<const CorrectedTime> events) override;
  [[nodiscard]] std::uint64_t count_cut_off() const override {
    std::uint64_t count = 0;
    for (const Lane& lane : lanes_) count += lane.cut_off;
    return count;
  }
  void write(const std::string& path, const SinkOptions& options) override;
  [[nodiscard]] std::vector<std::string> warnings() const override {
    std::vector<std::string> all = warnings_of(archive_);
    all.insert(all.end(), folder_warnings_.begin(), folder_warnings_.end());
    return all;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override { return remarks_of(archive_); }
  [[nodiscard]] std::string fault() const override {
    return archive_.faults.empty() ? std::string() : archive_.faults.front();
  }

 private:
  /// An own location.
  struct Lane {
    std::optional<EventSpool::Reader> reader;
    ProcessIndex process = no_process;
    OffsetMap map;
    std::uint64_t cut_off = 0;  ///< mapped times that do not fit into 64 bits
    std::uint64_t taken = 0;
    std::uint64_t written = 0;
    ShortQueue<std::uint64_t> added;  ///< which of those between are not in the archive
    ShortQueue<Time> not_written;     ///< their times before they were mapped
    bool is_alone = true;             ///< no other location has its clock
    std::unique_ptr<Event> ahead;     ///< otherwise the one behind the last that was taken
    Time recorded;                    ///< of the one that was read last: before it was mapped
    bool is_added = false;            ///< that one
  };
  struct Head {
    Time time;
    Time recorded;
    ProcessIndex process;
    /// Heaps have the largest in front.
    friend bool operator<(const Head& a, const Head& b) noexcept {
      if (a.time != b.time) return a.time > b.time;
      return a.recorded != b.recorded ? a.recorded > b.recorded : a.process > b.process;
    }
  };

  /// What was found of an own location while it was read.
  using Messages = std::optional<std::vector<EventSpool::CountedKind>>;
  [[nodiscard]] Lane& lane_of(ProcessIndex process) { return lanes_[lane_of_[process]]; }
  void read_location(ProcessIndex index, RequestOrders& orders);
  /// is_added: it stands for something else than a message.
  [[noreturn]] void refuse_unnamed(ProcessIndex index, bool is_added) const;
  void own(const Blocks& blocks, const std::vector<unsigned>& ranks);
  void find_definitions(const std::vector<bool>& chosen, const SourceOptions& options);
  void divide_again(const Blocks& blocks, const DivideByTraffic& divide, const SourceOptions& options);
  [[nodiscard]] std::vector<unsigned> divided(const Blocks& blocks, const DivideByTraffic& divide);
  void exchange_files();
  void exchange_facts();
  void exchange_faults();
  void define_communicators(std::size_t known);
  void start();
  [[nodiscard, gnu::always_inline]] bool read_event(Lane& lane, Event& event) const {
    if (!lane.reader->read(event, lane.is_added)) return false;
    lane.recorded = event.time;
    if (maps_) {
      event.time = lane.map.next(event.time);
      lane.cut_off += lane.map.is_cut_off();
    }
    return true;
  }
  /// The event of the lane that was read last.
  void take(Lane& lane, Event& event) {
    if (renumbers_ && event.communicator != no_communicator) event.communicator = communicator_[event.communicator];
    Lane& of =
        event.process == lane.process ? lane : lane_of(event.process);  // an added one may be of another location
    if (lane.is_added) [[unlikely]]
      of.added.push_back(of.taken);
    if (maps_ && writes_) of.not_written.push_back(lane.recorded);
    ++of.taken;
  }
  [[nodiscard]] std::vector<Head>& heads_of(ClockIndex clock) { return heads_[lane_of_[clock]]; }
  [[nodiscard]] bool next_of_several(ClockIndex clock, Event& event);
  void push_head(ClockIndex clock, ProcessIndex process);
  [[nodiscard]] std::span<const CorrectedTime> written_of_others(Lane& lane, formats::Corrections::Writer& writer,
                                                                 std::span<const CorrectedTime> events);
  void move_to(const std::string& from, const std::string& to) const;

  Archive archive_;
  Partners& partners_;
  Definitions definitions_;
  std::vector<unsigned> owners_;
  std::vector<bool> own_;
  std::vector<std::uint32_t> lane_of_;           ///< of an own location
  std::optional<EventSpool> spool_;              ///< by lane
  std::vector<Lane> lanes_;                      ///< of the own locations
  std::vector<Messages> messages_;               ///< of the same: if their order does not matter
  std::vector<std::vector<Head>> heads_;         ///< by lane of the clock, of locations that are not alone: heaps
  std::vector<CommunicatorIndex> communicator_;  ///< of the archive's ones
  std::optional<formats::Corrections> corrections_;
  bool renumbers_ = false;  ///< some of these differ from those of the events
  Offsets offsets_;
  bool maps_ = false;
  bool writes_ = false;  ///< what is read is to be written
  std::vector<CorrectedTime> in_files_;
  Ticks raise_ = 0;
  std::uint64_t events_ = 0;
  std::vector<std::string> folder_warnings_;
  std::size_t known_faults_;  ///< so many are the same in all processes
};

/// ranks: of each block.
void PartOfFiles::own(const Blocks& blocks, const std::vector<unsigned>& ranks) {
  const std::size_t count = blocks.of.size();
  owners_.resize(count);
  own_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    owners_[i] = ranks[blocks.of[i]];
    own_[i] = owners_[i] == partners_.rank();
  }
}

void PartOfFiles::find_definitions(const std::vector<bool>& chosen, const SourceOptions& options) {
  archive_.expect_definition_files(chosen);
  exchange_faults();
  archive_.read_local_definitions(chosen, options.clock_offsets);
  exchange_faults();
}

/// By what the own locations send. What is known of those that others get now is forgotten.
void PartOfFiles::divide_again(const Blocks& blocks, const DivideByTraffic& divide, const SourceOptions& options) {
  const std::vector<bool> before = own_;
  own(blocks, divided(blocks, divide));
  std::vector<bool> added(own_.size());
  for (std::size_t i = 0; i < own_.size(); ++i) {
    added[i] = own_[i] && !before[i];
    if (own_[i] || !before[i]) continue;
    archive_.locations()[i].numbers.reset();
    archive_.locations()[i].offsets = {};
  }
  archive_.find_files(added);
  find_definitions(added, options);
}

/// The rank of each block. The first process divides them, from what all have sampled.
std::vector<unsigned> PartOfFiles::divided(const Blocks& blocks, const DivideByTraffic& divide) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sent;
  for (ProcessIndex i = 0; i < own_.size(); ++i) {
    if (!own_[i]) continue;
    for (const auto& [receiver, messages] : sampled_traffic(archive_, i))
      sent[{blocks.of[i], blocks.of[receiver]}] += messages;
  }
  std::vector<Partners::Numbers> to(partners_.size());
  for (const auto& [ends, messages] : sent)
    to.front().insert(to.front().end(), {ends.first, ends.second, static_cast<std::int64_t>(messages)});
  std::vector<Traffic> traffic;
  for (const Partners::Numbers& given : partners_.exchange(to))
    for (std::size_t i = 0; i < given.size(); i += 3)
      traffic.push_back({static_cast<std::uint32_t>(given[i]), static_cast<std::uint32_t>(given[i + 1]),
                         static_cast<std::uint64_t>(given[i + 2])});
  std::vector<unsigned> ranks;
  if (partners_.rank() == 0) ranks = divide(blocks.events, traffic, partners_.size());
  const Partners::Numbers all = partners_.all({ranks.begin(), ranks.end()}).front();
  return {all.begin(), all.end()};
}

std::uint64_t PartOfFiles::read() {
  bool any = false;
  for (ProcessIndex i = 0; i < own_.size(); ++i) any = any || (own_[i] && archive_.locations()[i].event_file);
  if (any) check_input(OTF2_Reader_OpenEvtFiles(archive_.reader()), archive_.anchor(), "open the event files");
  bool complete = scan_teams(archive_, own_);
  for (const auto& given : partners_.all({complete ? 1 : 0})) complete = complete && given.front() != 0;
  if (complete) archive_.teams().compare();
  RequestOrders orders;
  orders.read(archive_, own_);
  const std::size_t known = archive_.definitions().communicators().size();
  for (ProcessIndex i = 0; i < own_.size(); ++i)
    if (own_[i]) read_location(i, orders);
  archive_.close_reader();
  exchange_facts();
  exchange_faults();
  define_communicators(known);
  start();
  return events_;
}

void PartOfFiles::read_location(ProcessIndex index, RequestOrders& orders) {
  NewLines none;
  AlikeMessages alike;
  EventReader reader(archive_, index, false, none, orders, &alike);
  EventSpool::Writer writer(*spool_, lane_of_[index]);
  for (Run run; reader.read(run_length, run);) {
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      const Event& event = run.events[i];
      if (event.peer == no_process && (event.role == Role::send || event.role == Role::receive))
        refuse_unnamed(index, run.is_added(i));
    }
    writer.append(run);
  }
  writer.complete();
  messages_.push_back(writer.messages());
  events_ += archive_.locations()[index].events;
}

void PartOfFiles::refuse_unnamed(ProcessIndex index, bool is_added) const {
  throw InputError(
      archive_.name_of(archive_.locations()[index]) +
      (is_added ? ": found a lock, or a thread that creates or awaits another one; only clc-filter orders threads "
                  "by these: use it, or ignore them with SourceOptions::thread_delay_us = 0"
                : ": found a message without the name of its other process, which only clc-filter matches"));
}

/// Of each location its number, and which files it has.
void PartOfFiles::exchange_files() {
  constexpr std::int64_t events = 1;
  constexpr std::int64_t definitions = 2;
  constexpr std::int64_t snapshots = 4;
  std::vector<std::int64_t> found;
  for (ProcessIndex i = 0; i < own_.size(); ++i) {
    const Archive::Location& location = archive_.locations()[i];
    if (own_[i])
      found.insert(found.end(), {i, (location.event_file ? events : 0) + (location.definition_file ? definitions : 0) +
                                        (location.snapshot_file ? snapshots : 0)});
  }
  for (const auto& given : partners_.all(found))
    for (std::size_t i = 0; i < given.size(); i += 2) {
      Archive::Location& location = archive_.locations()[static_cast<std::size_t>(given[i])];
      location.event_file = (given[i + 1] & events) != 0;
      location.definition_file = (given[i + 1] & definitions) != 0;
      location.snapshot_file = (given[i + 1] & snapshots) != 0;
    }
  exchange_faults();
}

/// Counters; then of each location its number, events of unknown kinds, whether it communicates, whether it is damaged,
/// and its events.
void PartOfFiles::exchange_facts() {
  std::vector<std::int64_t> facts;
  facts.reserve(counters.size());
  for (const auto counter : counters) facts.push_back(static_cast<std::int64_t>(archive_.oddities.*counter));
  for (ProcessIndex i = 0; i < own_.size(); ++i) {
    const Archive::Location& location = archive_.locations()[i];
    if (own_[i])
      facts.insert(facts.end(), {i, static_cast<std::int64_t>(location.unknown), location.communicates ? 1 : 0,
                                 location.damaged ? 1 : 0, static_cast<std::int64_t>(location.events)});
  }
  for (const auto counter : counters) archive_.oddities.*counter = 0;
  auto& unlike = archive_.oddities.first_unlike;
  for (const auto& given : partners_.all({std::int64_t{unlike.first}, std::int64_t{unlike.second}}))
    unlike = std::min(unlike, {static_cast<ProcessIndex>(given[0]), static_cast<ProcessIndex>(given[1])});
  for (const auto& given : partners_.all(facts)) {
    for (std::size_t i = 0; i < counters.size(); ++i)
      archive_.oddities.*counters[i] += static_cast<std::uint64_t>(given[i]);
    for (std::size_t i = counters.size(); i < given.size(); i += 5) {
      Archive::Location& location = archive_.locations()[static_cast<std::size_t>(given[i])];
      location.unknown = static_cast<std::uint64_t>(given[i + 1]);
      location.communicates = given[i + 2] != 0;
      location.damaged = given[i + 3] != 0;
      location.events = static_cast<std::uint64_t>(given[i + 4]);
    }
  }
}

/// Those that processes have found since: of each its length and its letters.
void PartOfFiles::exchange_faults() {
  std::vector<std::string>& faults = archive_.faults;
  std::vector<std::int64_t> found;
  for (std::size_t i = known_faults_; i < faults.size(); ++i) {
    found.push_back(std::ssize(faults[i]));
    found.insert(found.end(), faults[i].begin(), faults[i].end());
  }
  faults.resize(known_faults_);
  for (const auto& given : partners_.all(found))
    for (auto next = given.begin(); next != given.end();) {
      const std::int64_t length = *next++;
      faults.emplace_back(next, next + length);
      next += length;
    }
  known_faults_ = faults.size();
}

/// Of each that was found by reading: number, delay, number of members, members.
void PartOfFiles::define_communicators(std::size_t known) {
  std::vector<std::int64_t> found;
  std::map<std::uint64_t, CommunicatorIndex> numbers;
  const auto& all = archive_.definitions().communicators();
  for (std::size_t c = known; c < all.size(); ++c) {
    if (all[c].members.size() < 2) continue;
    found.insert(found.end(), {static_cast<std::int64_t>(all[c].number), all[c].min_delay,
                               static_cast<std::int64_t>(all[c].members.size())});
    found.insert(found.end(), all[c].members.begin(), all[c].members.end());
  }
  std::map<std::uint64_t, std::pair<Ticks, std::vector<ProcessIndex>>> sorted;
  for (const auto& given : partners_.all(found))
    for (std::size_t i = 0; i < given.size(); i += 3 + static_cast<std::size_t>(given[i + 2])) {
      auto& [delay, members] = sorted[static_cast<std::uint64_t>(given[i])];
      const auto first = given.begin() + static_cast<std::ptrdiff_t>(i) + 3;
      delay = given[i + 1];
      members.clear();
      std::transform(first, first + given[i + 2], std::back_inserter(members),
                     [](std::int64_t member) { return static_cast<ProcessIndex>(member); });
    }
  for (const auto& [number, what] : sorted)
    numbers[number] = definitions_.add_communicator(number, what.second, what.first);
  for (CommunicatorIndex c = 0; c < all.size(); ++c) {
    const auto shared = numbers.find(all[c].number);
    communicator_.push_back(c < known ? c
                            : shared != numbers.end()
                                ? shared->second
                                : definitions_.add_communicator(all[c].number, all[c].members, all[c].min_delay));
    renumbers_ = renumbers_ || communicator_[c] != c;
  }
}

void PartOfFiles::rewind(bool is_last) {
  writes_ = is_last;
  if (is_last) messages_ = {};  // they were counted
  start();
}

void PartOfFiles::start() {
  maps_ = !offsets_.empty();
  for (std::vector<Head>& heap : heads_) heap.clear();
  for (ProcessIndex i = 0; i < own_.size(); ++i) {
    if (!own_[i]) continue;
    Lane& lane = lane_of(i);
    lane = {};
    lane.reader.emplace(*spool_, lane_of_[i], i);
    lane.process = i;
    lane.map = OffsetMap(line_of_clock(offsets_, definitions_, i));
    const ClockIndex clock = definitions_.processes()[i].clock;
    if (clock != i) lane.is_alone = lane_of(clock).is_alone = false;
  }
  for (ProcessIndex i = 0; i < own_.size(); ++i) {
    if (!own_[i] || lane_of(i).is_alone) continue;
    lane_of(i).ahead = std::make_unique<Event>();
    push_head(definitions_.processes()[i].clock, i);
  }
}

/// Reads the next event of a location that is not alone.
void PartOfFiles::push_head(ClockIndex clock, ProcessIndex process) {
  Lane& lane = lane_of(process);
  if (!read_event(lane, *lane.ahead)) return;
  std::vector<Head>& heap = heads_of(clock);
  heap.push_back({lane.ahead->time, lane.recorded, process});
  std::push_heap(heap.begin(), heap.end());
}

bool PartOfFiles::next(ClockIndex clock, Event& event) {
  Lane& first = lane_of(clock);
  if (!first.is_alone) [[unlikely]]
    return next_of_several(clock, event);
  if (!read_event(first, event)) return false;
  take(first, event);
  return true;
}

/// The same where locations share a clock.
bool PartOfFiles::next_of_several(ClockIndex clock, Event& event) {
  std::vector<Head>& heap = heads_of(clock);
  if (heap.empty()) return false;
  const ProcessIndex process = heap.front().process;
  Lane& lane = lane_of(process);
  event = *lane.ahead;
  take(lane, event);
  std::pop_heap(heap.begin(), heap.end());
  heap.pop_back();
  push_head(clock, process);
  return true;
}

bool PartOfFiles::messages(ClockIndex clock, std::vector<CountedEvent>& all) {
  if (messages_.empty() || !lane_of(clock).is_alone) return false;
  const Messages& known = messages_[lane_of_[clock]];
  if (!known) return false;
  for (const auto& [kind, count] : *known) {
    Event& event = all.emplace_back(CountedEvent{{}, count}).event;
    kind.give(event);
    event.process = clock;
    if (event.communicator != no_communicator) event.communicator = communicator_[event.communicator];
  }
  return true;
}

std::span<const CorrectedTime> PartOfFiles::written(ProcessIndex process, std::span<const CorrectedTime> events) {
  Lane& lane = lane_of(process);
  if (lane.written == 0) raise_ = std::max(raise_, subtract_saturating(0, archive_.in_file(events.front().corrected)));
  formats::Corrections::Writer writer(*corrections_, process);
  if (!lane.added.empty() || !lane.not_written.empty()) return written_of_others(lane, writer, events);
  lane.written += events.size();
  for (const CorrectedTime& event : events)
    writer.add(archive_.in_file(event.recorded), archive_.in_file(event.corrected));
  return events;
}

/// The same where some of the events are not in the archive, or have other times there.
std::span<const CorrectedTime> PartOfFiles::written_of_others(Lane& lane, formats::Corrections::Writer& writer,
                                                              std::span<const CorrectedTime> events) {
  const bool all = lane.added.empty();
  in_files_.clear();
  for (const CorrectedTime& event : events) {
    Time recorded = event.recorded;
    if (!lane.not_written.empty()) {
      recorded = lane.not_written.front();
      lane.not_written.pop_front();
    }
    if (const std::uint64_t index = lane.written++; !lane.added.empty() && lane.added.front() == index) {
      lane.added.pop_front();
      continue;
    }
    writer.add(archive_.in_file(recorded), archive_.in_file(event.corrected));
    if (!all) in_files_.push_back(event);
  }
  return all ? events : in_files_;
}

void PartOfFiles::write(const std::string& path, const SinkOptions& options) {
  formats::NewFolder folder(path, options.overwrite, options.sync);
  corrections_->finish();
  RewriteOptions to{options.keep_original, own::joined(options.provenance), nullptr, raise_, 1, Share{}};
  for (const auto& given : partners_.all({raise_})) to.raise = std::max(to.raise, given.front());
  const bool first = partners_.rank() == 0;
  to.share = {own_, first, [this](const std::vector<std::int64_t>& facts) { return partners_.all(facts); }};
  rewrite(archive_, *corrections_, folder.path(), folder.target(), to);
  const std::string own = first ? folder.path() : std::string();
  const auto target = partners_.all({own.begin(), own.end()}).front();
  if (!first) {
    move_to(folder.path(), std::string(target.begin(), target.end()));
    folder.sync();
  }
  static_cast<void>(partners_.all({}));
  if (first) folder.publish();
  folder_warnings_ = folder.warnings();
  exchange_faults();
}

/// The files of the own locations.
void PartOfFiles::move_to(const std::string& from, const std::string& to) const {
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (!own_[i]) continue;
    for (const char* const extension : {".evt", ".def", ".snap"}) {
      const fs::path file = fs::path(archive_.name()) / (std::to_string(archive_.locations()[i].ref) + extension);
      std::error_code error;
      fs::rename(from / file, to / file, error);
      if (error && error != std::errc::no_such_file_or_directory)
        throw OutputError(to + ": cannot be written: " + error.message());
    }
  }
}

}  // namespace

std::unique_ptr<ArchivePart> open_part(const std::string& path, const SourceOptions& options, Partners& partners,
                                       std::uint64_t memory, const DivideByTraffic& divide) {
  return std::make_unique<PartOfFiles>(path, options, partners, memory, divide);
}

}  // namespace clc::otf2
