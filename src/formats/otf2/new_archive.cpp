// Writes an archive of records of any other format: text, binary, or made by a program.
//
// Order    libotf2 keeps a file and memory per location that is open, and knows definitions last. So the records
//          wait in a spool, a stream per process, until all are known, then the locations are written one after the
//          other, then the definitions.
// Memory   The spool's, 16 MiB of different texts, and the definitions.
// Carried  Everything but what `warnings` counts. What OTF2 has no record for goes into properties, attributes and
//          a parameter, see own.hpp; other readers can see it, this program reads it back.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "clc/error.hpp"
#include "common/definition_lines.hpp"
#include "common/words.hpp"
#include "otf2/archive.hpp"
#include "otf2/new_folder.hpp"
#include "otf2/own.hpp"
#include "otf2/spool.hpp"
#include "otf2/writer.hpp"

namespace clc::otf2 {

namespace {

using formats::next_field;

constexpr std::uint32_t none = 0xffff'ffff;

OTF2_CollectiveOp operation_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::barrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case Operation::bcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Operation::scatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case Operation::scatterv:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case Operation::reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Operation::gather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case Operation::gatherv:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case Operation::allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Operation::allgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case Operation::allgatherv:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case Operation::alltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case Operation::alltoallv:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case Operation::alltoallw:
      return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case Operation::reduce_scatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case Operation::reduce_scatter_block:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case Operation::scan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case Operation::exscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
  }
  return OTF2_COLLECTIVE_OP_BARRIER;
}

/// Different texts with a number each. Beyond a bound they are all the empty text, number 0.
class Texts {
 public:
  Texts() { static_cast<void>(number({})); }
  std::uint32_t number(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    if (bytes_ + text.size() + overhead > most_bytes) {
      ++lost_;
      return 0;
    }
    bytes_ += text.size() + overhead;
    const auto added = numbers_.emplace(text, static_cast<std::uint32_t>(all_.size())).first;
    all_.push_back(&added->first);
    return added->second;
  }
  [[nodiscard]] const std::vector<const std::string*>& all() const noexcept { return all_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  static constexpr std::size_t most_bytes = std::size_t{16} << 20;
  static constexpr std::size_t overhead = 64;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> all_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_ = 0;
};

/// The members of a communicator for a while; a trace may change them, an archive cannot.
struct Members {
  std::uint64_t number = 0;
  CommunicatorIndex communicator = 0;
  std::vector<ProcessIndex> members;
  Ticks min_delay = 0;
  std::optional<std::unordered_map<ProcessIndex, Rank>> ranks;  ///< made when it is needed

  [[nodiscard]] std::optional<Rank> rank(ProcessIndex process) {
    if (process < members.size() && members[process] == process) return process;
    if (!ranks) {
      ranks.emplace();
      for (Rank rank = 0; rank < members.size(); ++rank) ranks->emplace(members[rank], rank);
    }
    const auto found = ranks->find(process);
    return found == ranks->end() ? std::nullopt : std::optional<Rank>(found->second);
  }
};

/// A record in the spool: kind and flags, time, fields of the kind, further fields, recorded time.
constexpr std::uint64_t kind_mask = 7;
constexpr std::uint64_t has_fields = 8;
constexpr std::uint64_t has_recorded = 16;

class NewArchiveSink final : public Sink {
 public:
  NewArchiveSink(const std::string& path, const Definitions& definitions, const SinkOptions& options)
      : definitions_(definitions),
        decoder_(*options.decoder),
        folder_(path, options.overwrite),
        keep_original_(options.keep_original),
        provenance_(options.provenance) {}

  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) put(event);
  }

  void note(Body line) override {
    static_cast<void>(lines_.take(line));
    std::string_view rest = line;
    const std::string_view word = next_field(rest);
    if (word == "%group") return change_members(rest);
    if (word == "%clc-trace" || word == "%resolution" || word == "%min-delay" || word == "%process") return;
    if (any_ || notes_.size() + line.size() > most_notes) {
      ++lost_notes_;
      return;
    }
    if (!notes_.empty()) notes_ += '\n';
    notes_ += line;
  }

  void flush() override {}
  void close() override {
    settle();
    writer_ = create_writer(folder_.path(), "traces", folder_.target(), {});
    write_properties();
    written(OTF2_Archive_OpenEvtFiles(writer()), "create the event files");
    written(OTF2_Archive_OpenDefFiles(writer()), "create the definition files");
    for (ProcessIndex i = 0; i < states_.size(); ++i) write_location(i);
    written(OTF2_Archive_CloseDefFiles(writer()), "finish the definition files");
    written(OTF2_Archive_CloseEvtFiles(writer()), "finish the event files");
    write_definitions();
    written(OTF2_Archive_Close(writer_.release()), "finish the archive");
    folder_.publish();
  }

  [[nodiscard]] std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    const auto add = [&](std::uint64_t count, const char* what) {
      if (count > 0) all.push_back(folder_.target() + ": " + std::to_string(count) + ' ' + what);
    };
    add(lost_notes_,
        "comments or other notes behind the first record are not in the archive, which has no place for them");
    add(texts_.lost(), "records are without their text or name, because there are more than 16 MiB of different ones");
    add(renumbered_,
        "communicators have a number that the trace gives to another, because it gives one number to several");
    add(on_all_, "messages are on a communicator of all processes, because theirs changed or lacks one of the two");
    add(lost_delays_, "of these messages lost the minimum delay of their communicator, because it has had several");
    add(wide_tags_, "messages have a tag beyond 32 bits, which other programs find in the attribute \"clc tag\"");
    return all;
  }

 private:
  struct State {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t records = 0;
  };
  static constexpr std::size_t most_notes = std::size_t{64} << 10;

  [[nodiscard]] OTF2_Archive* writer() const noexcept { return writer_.get(); }
  void written(OTF2_ErrorCode result, const char* what) const { check_output(result, folder_.target(), what); }

  // Taking records.

  void put(const Corrected& corrected);
  void change_members(std::string_view rest);
  /// Number of the members that a communicator has now.
  std::uint32_t members_of(CommunicatorIndex communicator);
  std::uint32_t region_of(std::string_view name);

  // Writing the archive.

  void settle();
  void write_properties();
  void write_location(ProcessIndex process);
  void write_record(ProcessIndex process, Spool::Reader& reader, OTF2_EvtWriter* to, std::int64_t& time);
  /// Communicator and rank of the peer of a message.
  std::pair<OTF2_CommRef, std::uint32_t> route(ProcessIndex process, ProcessIndex peer, std::size_t which);
  void write_definitions();
  std::uint64_t free_number();
  [[nodiscard]] std::uint64_t in_file(std::int64_t time) const noexcept {
    return static_cast<std::uint64_t>(time) + shift_;
  }

  const Definitions& definitions_;
  const BodyDecoder& decoder_;
  NewFolder folder_;
  bool keep_original_;
  std::string provenance_;
  formats::DefinitionLines lines_;  ///< as far as they have left the filter; definitions_ may be ahead
  std::string notes_;
  bool any_ = false;  ///< there was a record
  Spool spool_{0};
  std::vector<State> states_;  ///< by process
  Texts texts_;
  std::vector<std::uint32_t> region_of_text_;  ///< or none
  std::vector<std::uint32_t> texts_of_regions_;
  std::vector<Members> members_;
  std::vector<std::uint32_t> current_;  ///< by communicator: index in members_

  WriterHandle writer_;
  std::uint64_t shift_ = 0;
  std::uint64_t lowest_ = 0;  ///< of all times in the file
  std::uint64_t highest_ = 0;
  std::vector<std::uint64_t> numbers_;   ///< of communicators, by reference; the first are those in members_
  std::vector<bool> changed_;            ///< by communicator: it has had several lists of members
  std::vector<OTF2_CommRef> everybody_;  ///< by communicator: the one of all processes in its place, or undefined
  std::vector<Ticks> delays_;            ///< of communicators, by reference
  std::vector<Ticks> shared_delays_;     ///< by communicator: of all its lists of members, 0 when they differ
  std::set<std::uint64_t> used_;
  std::uint64_t lowest_free_ = 0;
  Owned<OTF2_AttributeList, OTF2_AttributeList_Delete> attributes_{OTF2_AttributeList_New()};
  bool records_used_ = false;
  bool fields_used_ = false;
  bool recorded_used_ = false;
  bool overtakes_used_ = false;
  std::uint64_t lost_notes_ = 0;
  std::uint64_t renumbered_ = 0;
  std::uint64_t on_all_ = 0;
  std::uint64_t lost_delays_ = 0;
  std::uint64_t wide_tags_ = 0;
};

constexpr OTF2_AttributeRef fields_attribute = 0;
constexpr OTF2_AttributeRef tag_attribute = 1;
constexpr OTF2_AttributeRef recorded_attribute = 2;
constexpr OTF2_AttributeRef overtakes_attribute = 3;
constexpr OTF2_ParameterRef record_parameter = 0;

void NewArchiveSink::change_members(std::string_view rest) {
  std::uint64_t number = 0;
  if (!formats::to_number(next_field(rest), number)) return;
  const CommunicatorIndex communicator = lines_.communicator(number);
  if (communicator == formats::NumberIndex::none) return;
  const Communicator& given = lines_.definitions().communicators()[communicator];
  if (communicator < current_.size() && current_[communicator] != none) {
    const Members& current = members_[current_[communicator]];
    if (current.members == given.members && current.min_delay == given.min_delay) return;
  } else if (communicator >= current_.size()) {
    current_.resize(std::size_t{communicator} + 1, none);
  }
  current_[communicator] = static_cast<std::uint32_t>(members_.size());
  members_.push_back({number, communicator, given.members, given.min_delay, std::nullopt});
}

std::uint32_t NewArchiveSink::members_of(CommunicatorIndex communicator) {
  if (communicator >= current_.size()) current_.resize(std::size_t{communicator} + 1, none);
  if (current_[communicator] == none) {
    const Communicator& given = definitions_.communicators()[communicator];
    current_[communicator] = static_cast<std::uint32_t>(members_.size());
    members_.push_back({given.number, communicator, given.members, given.min_delay, std::nullopt});
  }
  return current_[communicator];
}

std::uint32_t NewArchiveSink::region_of(std::string_view name) {
  const std::uint32_t text = texts_.number(name);
  if (text >= region_of_text_.size()) region_of_text_.resize(std::size_t{text} + 1, none);
  if (region_of_text_[text] == none) {
    region_of_text_[text] = static_cast<std::uint32_t>(texts_of_regions_.size());
    texts_of_regions_.push_back(text);
  }
  return region_of_text_[text];
}

void NewArchiveSink::put(const Corrected& corrected) {
  const Record record = decoder_.decode(corrected.body);
  const Event& event = record.event;
  const ProcessIndex process = corrected.process;
  if (process >= states_.size()) {
    states_.resize(definitions_.processes().size());
    spool_.grow(states_.size());
  }
  any_ = true;
  State& state = states_[process];
  const std::int64_t time = corrected.time.ticks();
  if (state.records == 0) {
    state.first = time;
  } else if (time < state.last) {
    throw OutputError(folder_.target() + ": found time " + std::to_string(time) + " after time " +
                      std::to_string(state.last) + " in process " +
                      std::to_string(definitions_.processes()[process].number) +
                      ", expected times in order; an OTF2 archive cannot hold others, choose text or binary with -F");
  }
  const auto put = [&](std::uint64_t value) { spool_.append_varint(process, value); };
  const auto recorded =
      keep_original_ ? record.recorded.value_or(corrected.recorded) : record.recorded.value_or(corrected.time);
  const bool keeps_recorded = keep_original_ || record.recorded.has_value();
  const bool text_is_own = record.kind == Kind::enter || record.kind == Kind::leave || record.kind == Kind::other;
  const bool further = !text_is_own && !record.text.empty();
  put(static_cast<std::uint64_t>(record.kind) | (further ? has_fields : 0) | (keeps_recorded ? has_recorded : 0));
  put(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(state.last));
  switch (record.kind) {
    case Kind::enter:
    case Kind::leave:
      put(region_of(record.text));
      break;
    case Kind::other:
      records_used_ = true;
      put(texts_.number(record.text));
      break;
    case Kind::send:
    case Kind::receive:
      put(event.peer);
      put(members_of(event.communicator));
      put(formats::zigzag(event.tag));
      put(event.bytes);
      if (record.kind == Kind::receive) put(event.overtakes);
      break;
    case Kind::collective_begin:
      put(formats::zigzag(event.tag));
      break;
    case Kind::collective_end:
      put(static_cast<std::uint64_t>(event.operation));
      put(members_of(event.communicator));
      put(event.root);
      put(formats::zigzag(event.tag));
      put(event.bytes);
      put(event.received);
      break;
  }
  fields_used_ = fields_used_ || further;
  recorded_used_ = recorded_used_ || keeps_recorded;
  if (further) put(texts_.number(record.text));
  if (keeps_recorded) put(static_cast<std::uint64_t>(recorded.ticks()));
  state.last = time;
  ++state.records;
}

/// What is known only when all records are: numbers of communicators, and the shift.
void NewArchiveSink::settle() {
  if (definitions_.processes().empty())
    throw OutputError(folder_.target() +
                      ": found a trace without processes, expected at least one; choose text or "
                      "binary with -F");
  states_.resize(definitions_.processes().size());
  spool_.grow(states_.size());
  for (const Process& process : definitions_.processes())
    if (process.number == OTF2_UNDEFINED_LOCATION)
      throw OutputError(folder_.target() + ": found process " + std::to_string(process.number) +
                        ", expected lower numbers in an OTF2 archive; give it another number");
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (const State& state : states_) {
    if (state.records == 0) continue;
    lowest = std::min(lowest, state.first);
    highest = std::max(highest, state.last);
  }
  if (lowest > highest) lowest = highest = 0;
  shift_ = lowest < 0 ? 0 - static_cast<std::uint64_t>(lowest) : 0;
  lowest_ = in_file(lowest);
  highest_ = in_file(highest);
  if (shift_ > static_cast<std::uint64_t>(ticks_max) || highest_ > static_cast<std::uint64_t>(ticks_max))
    throw OutputError(folder_.target() + ": found times from " + std::to_string(lowest) + " to " +
                      std::to_string(highest) +
                      ", expected a span below 2^63 ticks in an OTF2 archive; choose text or binary with -F");

  for (CommunicatorIndex i = 0; i < definitions_.communicators().size(); ++i) static_cast<void>(members_of(i));
  changed_.resize(current_.size());
  everybody_.resize(current_.size(), OTF2_UNDEFINED_COMM);
  shared_delays_.resize(current_.size());
  // The first members of a communicator have its number, others get one that is free.
  std::vector<bool> seen(current_.size());
  for (const Members& members : members_) used_.insert(members.number);
  for (const Members& members : members_) {
    const bool first = !seen[members.communicator];
    Ticks& shared = shared_delays_[members.communicator];
    shared = first || shared == members.min_delay ? members.min_delay : 0;
    delays_.push_back(members.min_delay);
    changed_[members.communicator] = !first;
    seen[members.communicator] = true;
    renumbered_ += first ? 0 : 1;
    numbers_.push_back(first ? members.number : free_number());
  }
}

std::uint64_t NewArchiveSink::free_number() {
  while (!used_.insert(lowest_free_).second) ++lowest_free_;
  return lowest_free_;
}

void NewArchiveSink::write_properties() {
  const auto property = [&](const char* name, const std::string& value) {
    written(OTF2_Archive_SetProperty(writer(), name, value.c_str(), true), "write its properties");
  };
  written(OTF2_Archive_SetCreator(writer(), "clc"), "write its properties");
  if (!provenance_.empty()) property(own::provenance, provenance_);
  if (!notes_.empty()) property(own::notes, notes_);
  if (shift_ != 0) property(own::shift, std::to_string(shift_));
  if (definitions_.min_delay) property(own::min_delay, std::to_string(*definitions_.min_delay));
}

void NewArchiveSink::write_location(ProcessIndex process) {
  const OTF2_LocationRef location = definitions_.processes()[process].number;
  OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(writer(), location);
  if (to == nullptr) fail_output(folder_.target(), "create the events of location " + std::to_string(location));
  Spool::Reader reader(spool_, process);
  std::int64_t time = 0;
  for (std::uint64_t i = 0; i < states_[process].records; ++i) write_record(process, reader, to, time);
  written(OTF2_Archive_CloseEvtWriter(writer(), to), "write the events of a location");
  OTF2_DefWriter* const definitions = OTF2_Archive_GetDefWriter(writer(), location);
  if (definitions == nullptr)
    fail_output(folder_.target(), "create the definitions of location " + std::to_string(location));
  written(OTF2_Archive_CloseDefWriter(writer(), definitions), "write the definitions of a location");
}

std::pair<OTF2_CommRef, std::uint32_t> NewArchiveSink::route(ProcessIndex process, ProcessIndex peer,
                                                             std::size_t which) {
  Members& members = members_[which];
  if (peer == no_process) return {static_cast<OTF2_CommRef>(which), OTF2_UNDEFINED_UINT32};
  if (!changed_[members.communicator]) {
    const std::optional<Rank> rank = members.rank(peer);
    if (rank && members.rank(process)) return {static_cast<OTF2_CommRef>(which), *rank};
  }
  ++on_all_;
  OTF2_CommRef& comm = everybody_[members.communicator];
  if (comm == OTF2_UNDEFINED_COMM) {
    comm = static_cast<OTF2_CommRef>(numbers_.size());
    numbers_.push_back(free_number());
    delays_.push_back(shared_delays_[members.communicator]);
  }
  lost_delays_ += members.min_delay != delays_[comm];
  return {comm, peer};
}

void NewArchiveSink::write_record(ProcessIndex process, Spool::Reader& reader, OTF2_EvtWriter* to, std::int64_t& time) {
  const auto get = [&] {
    std::uint64_t value = 0;
    static_cast<void>(reader.varint(value));
    return value;
  };
  const std::uint64_t head = get();
  const auto kind = static_cast<Kind>(head & kind_mask);
  time = static_cast<std::int64_t>(static_cast<std::uint64_t>(time) + get());
  std::array<std::uint64_t, 6> field{};
  constexpr std::array<std::size_t, 7> counts{1, 1, 4, 5, 1, 6, 1};  // by kind
  for (std::size_t i = 0; i < counts[static_cast<std::size_t>(kind)]; ++i) field[i] = get();

  OTF2_AttributeList* attributes = nullptr;
  const auto with_attributes = [&] {
    if (attributes == nullptr) {
      attributes = attributes_.get();
      written(OTF2_AttributeList_RemoveAllAttributes(attributes), "write an attribute");
    }
    return attributes;
  };
  if ((head & has_fields) != 0)
    written(OTF2_AttributeList_AddStringRef(with_attributes(), fields_attribute, static_cast<OTF2_StringRef>(get())),
            "write an attribute");
  if ((head & has_recorded) != 0)
    written(
        OTF2_AttributeList_AddInt64(with_attributes(), recorded_attribute, static_cast<std::int64_t>(get() + shift_)),
        "write an attribute");

  const std::uint64_t at = in_file(time);
  OTF2_ErrorCode result = OTF2_SUCCESS;
  switch (kind) {
    case Kind::enter:
      result = OTF2_EvtWriter_Enter(to, attributes, at, static_cast<OTF2_RegionRef>(field[0]));
      break;
    case Kind::leave:
      result = OTF2_EvtWriter_Leave(to, attributes, at, static_cast<OTF2_RegionRef>(field[0]));
      break;
    case Kind::other:
      result =
          OTF2_EvtWriter_ParameterString(to, attributes, at, record_parameter, static_cast<OTF2_StringRef>(field[0]));
      break;
    case Kind::send:
    case Kind::receive: {
      const auto [comm, rank] = route(process, static_cast<ProcessIndex>(field[0]), static_cast<std::size_t>(field[1]));
      const std::int64_t tag = formats::unzigzag(field[2]);
      const auto narrow = static_cast<std::uint32_t>(tag);
      if (narrow != tag) {
        ++wide_tags_;
        written(OTF2_AttributeList_AddInt64(with_attributes(), tag_attribute, tag), "write an attribute");
      }
      if (kind == Kind::receive && field[4] > 0) {
        overtakes_used_ = true;
        written(
            OTF2_AttributeList_AddUint16(with_attributes(), overtakes_attribute, static_cast<std::uint16_t>(field[4])),
            "write an attribute");
      }
      result = kind == Kind::send ? OTF2_EvtWriter_MpiSend(to, attributes, at, rank, comm, narrow, field[3])
                                  : OTF2_EvtWriter_MpiRecv(to, attributes, at, rank, comm, narrow, field[3]);
      break;
    }
    case Kind::collective_begin: {
      const std::int64_t call = formats::unzigzag(field[0]);
      // Call ids are requests, less one: 0 is that of blocking operations.
      result = call == 0 ? OTF2_EvtWriter_MpiCollectiveBegin(to, attributes, at)
                         : OTF2_EvtWriter_NonBlockingCollectiveRequest(to, attributes, at,
                                                                       static_cast<std::uint64_t>(call) - 1);
      break;
    }
    case Kind::collective_end: {
      const OTF2_CollectiveOp operation = operation_of(static_cast<Operation>(field[0]));
      const auto comm = static_cast<OTF2_CommRef>(field[1]);
      const auto root = static_cast<std::uint32_t>(field[2]);
      const std::int64_t call = formats::unzigzag(field[3]);
      result = call == 0
                   ? OTF2_EvtWriter_MpiCollectiveEnd(to, attributes, at, operation, comm, root, field[4], field[5])
                   : OTF2_EvtWriter_NonBlockingCollectiveComplete(to, attributes, at, operation, comm, root, field[4],
                                                                  field[5], static_cast<std::uint64_t>(call) - 1);
      break;
    }
  }
  if (result != OTF2_SUCCESS)
    fail_output(folder_.target(),
                "write an event of location " + std::to_string(definitions_.processes()[process].number), result);
}

void NewArchiveSink::write_definitions() {
  OTF2_GlobalDefWriter* const to = OTF2_Archive_GetGlobalDefWriter(writer());
  if (to == nullptr) fail_output(folder_.target(), "create the global definitions");
  const auto define = [&](OTF2_ErrorCode result) { written(result, "write the global definitions"); };
  auto next_string = static_cast<OTF2_StringRef>(texts_.all().size());
  const auto string = [&](const std::string& text) {
    define(OTF2_GlobalDefWriter_WriteString(to, next_string, text.c_str()));
    return next_string++;
  };
  define(OTF2_GlobalDefWriter_WriteClockProperties(to, static_cast<std::uint64_t>(definitions_.resolution.per_second()),
                                                   lowest_, highest_ - lowest_, OTF2_UNDEFINED_TIMESTAMP));
  constexpr OTF2_StringRef no_text = 0;
  for (OTF2_StringRef i = 0; i < texts_.all().size(); ++i)
    define(OTF2_GlobalDefWriter_WriteString(to, i, texts_.all()[i]->c_str()));
  if (fields_used_)
    define(OTF2_GlobalDefWriter_WriteAttribute(to, fields_attribute, string(own::fields), no_text, OTF2_TYPE_STRING));
  if (wide_tags_ > 0)
    define(OTF2_GlobalDefWriter_WriteAttribute(to, tag_attribute, string(own::tag), no_text, OTF2_TYPE_INT64));
  if (recorded_used_)
    define(
        OTF2_GlobalDefWriter_WriteAttribute(to, recorded_attribute, string(own::recorded), no_text, OTF2_TYPE_INT64));
  if (overtakes_used_)
    define(OTF2_GlobalDefWriter_WriteAttribute(to, overtakes_attribute, string(own::overtakes), no_text,
                                               OTF2_TYPE_UINT16));
  if (records_used_)
    define(OTF2_GlobalDefWriter_WriteParameter(to, record_parameter, string(own::record), OTF2_PARAMETER_TYPE_STRING));

  // Processes stand on their nodes, or on the machine itself.
  const OTF2_StringRef machine = string("machine");
  const OTF2_StringRef node = string("node");
  define(OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (NodeIndex i = 0; i < definitions_.nodes().size(); ++i)
    define(OTF2_GlobalDefWriter_WriteSystemTreeNode(to, i + 1, string(definitions_.nodes()[i]), node, 0));
  for (ProcessIndex i = 0; i < states_.size(); ++i) {
    const Process& process = definitions_.processes()[i];
    // "GROUP:LOCATION" as it is read; a name without colon is that of both.
    const std::size_t colon = process.name.find(':');
    std::string group = process.name.substr(0, colon);
    std::string location = colon == std::string::npos ? group : process.name.substr(colon + 1);
    if (colon != std::string::npos && (group.empty() || location.empty() || group == location))
      group = location = process.name;
    const OTF2_StringRef group_name = string(group);
    const OTF2_StringRef location_name = group == location ? group_name : string(location);
    define(OTF2_GlobalDefWriter_WriteLocationGroup(to, i, group_name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                   process.node == no_node ? 0 : process.node + 1,
                                                   OTF2_UNDEFINED_LOCATION_GROUP));
    define(OTF2_GlobalDefWriter_WriteLocation(to, process.number, location_name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                              states_[i].records, i));
  }
  for (OTF2_RegionRef i = 0; i < texts_of_regions_.size(); ++i)
    define(OTF2_GlobalDefWriter_WriteRegion(to, i, texts_of_regions_[i], texts_of_regions_[i], no_text,
                                            OTF2_REGION_ROLE_UNKNOWN, OTF2_PARADIGM_UNKNOWN, OTF2_REGION_FLAG_NONE,
                                            no_text, 0, 0));

  // Members are positions in the list of all locations.
  std::vector<std::uint64_t> list;
  const auto group = [&](OTF2_GroupRef self, OTF2_GroupType type) {
    define(OTF2_GlobalDefWriter_WriteGroup(to, self, no_text, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                           static_cast<std::uint32_t>(list.size()), list.data()));
  };
  for (const Process& process : definitions_.processes()) list.push_back(process.number);
  OTF2_GroupRef groups = 0;
  group(groups++, OTF2_GROUP_TYPE_COMM_LOCATIONS);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = i;
  const OTF2_GroupRef all = groups++;
  group(all, OTF2_GROUP_TYPE_COMM_GROUP);
  for (OTF2_CommRef i = 0; i < numbers_.size(); ++i) {
    OTF2_GroupRef of = all;
    std::string name = own::communicator + std::to_string(numbers_[i]);
    if (delays_[i] > 0) name += own::communicator_delay + std::to_string(delays_[i]);
    if (i < members_.size()) {
      list.assign(members_[i].members.begin(), members_[i].members.end());
      of = groups++;
      group(of, OTF2_GROUP_TYPE_COMM_GROUP);
    }
    define(OTF2_GlobalDefWriter_WriteComm(to, i, string(name), of, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
  written(OTF2_Archive_CloseGlobalDefWriter(writer(), to), "write the global definitions");
}

}  // namespace

std::unique_ptr<Sink> new_archive_sink(const std::string& path, const Definitions& definitions,
                                       const SinkOptions& options) {
  return std::make_unique<NewArchiveSink>(path, definitions, options);
}

}  // namespace clc::otf2
