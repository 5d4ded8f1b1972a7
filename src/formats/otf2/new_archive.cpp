// Writes an archive of records of any other format: text, binary, or made by a program.
//
// Order    libotf2 keeps a file and memory per location that is open, and knows definitions last. So the records
//          wait in a spool, a stream per process, until all are known, then the locations are written one after the
//          other, then the definitions.
// Memory   The spool's, 16 MiB of different texts, up to 256 MiB of notes, and the definitions.
// Carried  Everything but what `warnings` counts. What OTF2 has no record for goes into properties, attributes and
//          a parameter, see own.hpp; other readers can see it, this program reads it back.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "clc/error.hpp"
#include "clc/io/record.hpp"
#include "common/definition_lines.hpp"
#include "common/measurement_line.hpp"
#include "common/new_folder.hpp"
#include "common/numbers.hpp"
#include "common/spool.hpp"
#include "common/words.hpp"
#include "otf2/archive.hpp"
#include "otf2/event_kinds.hpp"
#include "otf2/new_communicators.hpp"
#include "otf2/own.hpp"
#include "otf2/region_kind.hpp"
#include "otf2/writer.hpp"
#include "trace/hash.hpp"

namespace clc::otf2 {

namespace {

using formats::next_field;

/// Different texts with a number each. Beyond a bound they are all the empty text, number 0.
class NewTexts {
 public:
  NewTexts() { static_cast<void>(number({})); }
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
  HashMap<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> all_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_ = 0;
};

/// The texts that are names of regions, each with a number.
class Regions {
 public:
  std::uint32_t number(std::uint32_t text) {
    if (text >= region_of_text_.size()) region_of_text_.resize(std::size_t{text} + 1, none);
    if (region_of_text_[text] == none) {
      region_of_text_[text] = static_cast<std::uint32_t>(texts_.size());
      texts_.push_back(text);
    }
    return region_of_text_[text];
  }
  /// By number.
  [[nodiscard]] const std::vector<std::uint32_t>& texts() const noexcept { return texts_; }

 private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  std::vector<std::uint32_t> region_of_text_;  // or none
  std::vector<std::uint32_t> texts_;
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
        folder_(path, options.overwrite, options.sync),
        keep_original_(options.keep_original),
        provenance_(own::joined(options.provenance)) {}

  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) put(event);
  }

  void note(Body line) override {
    std::string_view rest = line;
    const std::string_view word = next_field(rest);
    if (word == "%clc-trace") return;
    if (word == "%process" || word == "%group" || word == "%resolution" || word == "%min-delay") {
      lost_.fields += formats::has_additional_fields(line) ? 1U : 0U;
      if (word == "%process") return take_process(line, rest);
      static_cast<void>(lines_.take(line));
      if (word == "%group") change_members(rest);
      return;
    }
    if (own::add_grown(provenance_, line)) return;
    take_note(line);
  }

  void flush() override {}
  void close() override;

  [[nodiscard]] std::vector<std::string> warnings() const override {
    std::vector<std::string> all = folder_.warnings();
    const auto add = [&](std::uint64_t count, const char* what) {
      if (count > 0) all.push_back(folder_.target() + ": " + std::to_string(count) + ' ' + what);
    };
    add(lost_.notes, "comments or other notes after the first record are lost, because an archive cannot hold them");
    add(lost_.long_notes, "notes are lost, because there are more than 256 MiB of them");
    add(lost_.measurements,
        "measured offsets, lines %sync or %offset, are lost, because there are more than 256 MiB of notes");
    add(lost_.fields, "definitions lost additional fields, because an archive cannot hold them");
    add(texts_.lost(), "records lost their text or name, because there are more than 16 MiB of distinct ones");
    add(communicators_.renumbered(), "communicators got a new number, because the trace uses one number for several");
    add(lost_.former,
        "processes changed their name or node after their first record; the archive has only the last one");
    add(communicators_.on_all(),
        "messages were moved to a communicator of all processes, because their own one changed, or does not contain "
        "both");
    add(communicators_.lost_delays(),
        "of these messages lost the minimum delay of their communicator, because it changed");
    add(wide_tags_, "messages have a tag beyond 32 bits, which other programs find in the attribute \"clc tag\"");
    return all;
  }

 private:
  struct State {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t records = 0;
  };
  struct Lost {
    std::uint64_t notes = 0;         ///< after the first record
    std::uint64_t long_notes = 0;    ///< beyond most_notes
    std::uint64_t measurements = 0;  ///< the same
    std::uint64_t fields = 0;        ///< definitions with additional ones
    std::uint64_t former = 0;        ///< names and nodes of processes
  };
  [[nodiscard]] std::uint64_t largest_definition() const;
  static constexpr std::size_t most_notes = std::size_t{256} << 20U;

  [[nodiscard]] OTF2_Archive* writer() const noexcept { return writer_.get(); }
  void written(OTF2_ErrorCode result, const char* what) const { check_output(result, folder_.target(), what); }

  // Taking records.

  void take_note(Body line);
  void put(const Corrected& corrected);
  [[noreturn]] void refuse_decrease(ProcessIndex process, std::int64_t time) const;
  void put_fields(ProcessIndex process, const Record& record);
  void take_process(Body line, std::string_view rest);
  void change_members(std::string_view rest);
  /// Number of the members that a communicator has now.
  OTF2_CommRef members_of(CommunicatorIndex communicator) {
    formats::require_communicator(definitions_, communicator);
    return communicators_.present(communicator, definitions_.communicators()[communicator]);
  }

  // Writing the archive.

  void settle();
  void settle_shift();
  /// Returns pieces of those that are too long.
  std::vector<std::string> write_properties();
  void write_location(ProcessIndex process);
  class Events;
  class GlobalDefinitions;
  [[nodiscard]] std::uint64_t in_file(std::int64_t time) const noexcept {
    return static_cast<std::uint64_t>(time) + shift_;
  }

  const Definitions& definitions_;
  const BodyDecoder& decoder_;
  formats::NewFolder folder_;
  bool keep_original_;
  std::string provenance_;
  formats::DefinitionLines lines_;  ///< as far as they have left the filter; definitions_ may be ahead
  std::string notes_;               ///< newlines between them
  bool any_ = false;                ///< there was a record
  formats::Spool spool_{0};
  std::vector<State> states_;  ///< by process
  NewTexts texts_;
  Regions regions_;
  NewCommunicators communicators_;

  WriterHandle writer_;
  std::uint64_t shift_ = 0;
  std::uint64_t lowest_ = 0;  ///< of all times in the file
  std::uint64_t highest_ = 0;
  Owned<OTF2_AttributeList, OTF2_AttributeList_Delete> attributes_{OTF2_AttributeList_New()};
  bool records_used_ = false;
  bool fields_used_ = false;
  bool recorded_used_ = false;
  bool overtakes_used_ = false;
  Lost lost_;
  std::uint64_t wide_tags_ = 0;
};

constexpr OTF2_AttributeRef fields_attribute = 0;
constexpr OTF2_AttributeRef tag_attribute = 1;
constexpr OTF2_AttributeRef recorded_attribute = 2;
constexpr OTF2_AttributeRef overtakes_attribute = 3;
constexpr OTF2_ParameterRef record_parameter = 0;

/// Archives have no notes between events. Measured offsets mean the same anywhere, other notes only in their place.
void NewArchiveSink::take_note(Body line) {
  const bool measured = formats::is_measurement(formats::plain_note(line));
  if (any_ && !measured) {
    ++lost_.notes;
  } else if (notes_.size() + line.size() > most_notes) {
    ++(measured ? lost_.measurements : lost_.long_notes);
  } else {
    if (!notes_.empty()) notes_ += '\n';
    notes_ += line;
  }
}

void NewArchiveSink::take_process(Body line, std::string_view rest) {
  std::uint64_t number = 0;
  static_cast<void>(formats::to_number(next_field(rest), number));
  const ProcessIndex process = lines_.process(number);
  std::optional<Process> before;
  if (process < states_.size() && states_[process].records > 0) before = lines_.definitions().processes()[process];
  static_cast<void>(lines_.take(line));
  if (!before) return;
  const Process& now = lines_.definitions().processes()[process];
  if (now.name != before->name || now.node != before->node) ++lost_.former;
}

void NewArchiveSink::change_members(std::string_view rest) {
  std::uint64_t number = 0;
  if (!formats::to_number(next_field(rest), number)) return;
  const CommunicatorIndex communicator = lines_.communicator(number);
  if (communicator == formats::NumberIndex::none) return;
  const Communicator& given = lines_.definitions().communicators()[communicator];
  communicators_.change(communicator, given);
}

void NewArchiveSink::put(const Corrected& corrected) {
  const Record record = decoder_.decode(corrected.body);
  const ProcessIndex process = corrected.process;
  if (process >= states_.size()) {
    formats::require_process(definitions_, process);
    states_.resize(definitions_.processes().size());
    spool_.grow(states_.size());
  }
  any_ = true;
  State& state = states_[process];
  const std::int64_t time = corrected.time.ticks();
  if (state.records == 0)
    state.first = time;
  else if (time < state.last)
    refuse_decrease(process, time);
  const bool keeps_recorded = keep_original_ || record.recorded.has_value();
  const bool text_is_own = record.kind == Kind::enter || record.kind == Kind::leave || record.kind == Kind::other;
  const bool further = !text_is_own && !record.text.empty();
  fields_used_ = fields_used_ || further;
  recorded_used_ = recorded_used_ || keeps_recorded;
  spool_.append_varint(process, static_cast<std::uint64_t>(record.kind) | (further ? has_fields : 0) |
                                    (keeps_recorded ? has_recorded : 0));
  spool_.append_varint(process, static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(state.last));
  put_fields(process, record);
  if (further) spool_.append_varint(process, texts_.number(record.text));
  if (keeps_recorded)
    spool_.append_varint(process, static_cast<std::uint64_t>(record.recorded.value_or(corrected.recorded).ticks()));
  state.last = time;
  ++state.records;
}

void NewArchiveSink::refuse_decrease(ProcessIndex process, std::int64_t time) const {
  throw OutputError(
      folder_.target() + ": found time " + std::to_string(time) + " after time " +
      std::to_string(states_[process].last) + " in process " +
      std::to_string(definitions_.processes()[process].number) +
      ", expected times in order; an OTF2 archive cannot hold others, choose text or binary with SinkOptions::format");
}

void NewArchiveSink::put_fields(ProcessIndex process, const Record& record) {
  const auto put = [&](std::uint64_t value) { spool_.append_varint(process, value); };
  const Event& event = record.event;
  switch (record.kind) {
    case Kind::enter:
    case Kind::leave:
      put(regions_.number(texts_.number(record.text)));
      break;
    case Kind::other:
      records_used_ = true;
      put(texts_.number(record.text));
      break;
    case Kind::send:
    case Kind::receive:
      if (event.peer != no_process) formats::require_process(definitions_, event.peer);
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
}

/// What is known only when all records are: numbers of communicators, and the shift.
void NewArchiveSink::settle() {
  if (definitions_.processes().empty())
    throw OutputError(folder_.target() +
                      ": found a trace without processes, expected at least one; choose text or "
                      "binary with SinkOptions::format");
  states_.resize(definitions_.processes().size());
  spool_.grow(states_.size());
  for (const Process& process : definitions_.processes())
    if (process.number == OTF2_UNDEFINED_LOCATION)
      throw OutputError(folder_.target() + ": found process " + std::to_string(process.number) +
                        ", expected lower numbers in an OTF2 archive; give it another number");
  settle_shift();
  // Also those that no record names.
  for (CommunicatorIndex i = 0; i < definitions_.communicators().size(); ++i) static_cast<void>(members_of(i));
  communicators_.settle();
}

void NewArchiveSink::settle_shift() {
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
  if (shift_ > static_cast<std::uint64_t>(ticks_max))  // readers of the shift, a signed number, would refuse it
    throw OutputError(folder_.target() + ": found time " + std::to_string(lowest) +
                      ", expected later ones in an OTF2 archive; choose text or binary with SinkOptions::format");
  if (highest_ > static_cast<std::uint64_t>(ticks_max))
    throw OutputError(
        folder_.target() + ": found times from " + std::to_string(lowest) + " to " + std::to_string(highest) +
        ", expected a span below 2^63 ticks in an OTF2 archive; choose text or binary with SinkOptions::format");
}

std::vector<std::string> NewArchiveSink::write_properties() {
  std::vector<std::string> pieces;
  const auto property = [&](const char* name, const std::string& value) {
    written(OTF2_Archive_SetProperty(writer(), name, value.c_str(), true), "write its properties");
  };
  written(OTF2_Archive_SetCreator(writer(), "clc"), "write its properties");
  const auto lines = [&](const char* name, const std::string& text) {
    if (text.empty()) return;
    own::Spread spread = own::spread(text, static_cast<OTF2_StringRef>(texts_.all().size() + pieces.size()));
    property(name, spread.property);
    pieces.insert(pieces.end(), spread.strings.begin(), spread.strings.end());
  };
  lines(own::provenance, provenance_);
  lines(own::notes, notes_);
  if (shift_ != 0) property(own::shift, std::to_string(shift_));
  if (definitions_.min_delay) property(own::min_delay, std::to_string(*definitions_.min_delay));
  if (definitions_.node_min_delay) property(own::node_min_delay, std::to_string(*definitions_.node_min_delay));
  return pieces;
}

/// The events of a location, from the spool to its file.
class NewArchiveSink::Events {
 public:
  Events(NewArchiveSink& sink, ProcessIndex process, OTF2_EvtWriter* to)
      : sink_(sink), process_(process), to_(to), spooled_(sink.spool_, process) {}

  void write_next() {
    attributes_ = nullptr;
    const Kind kind = read_next();
    const OTF2_ErrorCode result = write(kind);
    if (result != OTF2_SUCCESS)
      fail_output(sink_.folder_.target(),
                  "write an event of location " + std::to_string(sink_.definitions_.processes()[process_].number),
                  result);
  }

 private:
  std::uint64_t get() {
    std::uint64_t value = 0;
    static_cast<void>(spooled_.varint(value));
    return value;
  }
  Kind read_next();
  /// Those of the event at hand.
  OTF2_AttributeList* attributes();
  void added(OTF2_ErrorCode result) const { sink_.written(result, "write an attribute"); }
  [[nodiscard]] OTF2_ErrorCode write(Kind kind);
  [[nodiscard]] OTF2_ErrorCode write_message(Kind kind);
  [[nodiscard]] OTF2_ErrorCode write_collective_begin();
  [[nodiscard]] OTF2_ErrorCode write_collective_end();

  NewArchiveSink& sink_;
  ProcessIndex process_;
  OTF2_EvtWriter* to_;
  formats::Spool::Reader spooled_;
  std::int64_t time_ = 0;
  // Of the event at hand.
  std::uint64_t at_ = 0;  ///< time in the file
  std::array<std::uint64_t, 6> field_{};
  OTF2_AttributeList* attributes_ = nullptr;  ///< null: none
};

Kind NewArchiveSink::Events::read_next() {
  const std::uint64_t head = get();
  const auto kind = static_cast<Kind>(head & kind_mask);
  time_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(time_) + get());
  at_ = sink_.in_file(time_);
  constexpr std::array<std::size_t, 7> counts{1, 1, 4, 5, 1, 6, 1};  // by kind
  for (std::size_t i = 0; i < counts[static_cast<std::size_t>(kind)]; ++i) field_[i] = get();
  if ((head & has_fields) != 0)
    added(OTF2_AttributeList_AddStringRef(attributes(), fields_attribute, static_cast<OTF2_StringRef>(get())));
  if ((head & has_recorded) != 0)
    added(
        OTF2_AttributeList_AddInt64(attributes(), recorded_attribute, static_cast<std::int64_t>(get() + sink_.shift_)));
  return kind;
}

OTF2_AttributeList* NewArchiveSink::Events::attributes() {
  if (attributes_ == nullptr) {
    attributes_ = sink_.attributes_.get();
    added(OTF2_AttributeList_RemoveAllAttributes(attributes_));
  }
  return attributes_;
}

OTF2_ErrorCode NewArchiveSink::Events::write(Kind kind) {
  switch (kind) {
    case Kind::enter:
      return OTF2_EvtWriter_Enter(to_, attributes_, at_, static_cast<OTF2_RegionRef>(field_[0]));
    case Kind::leave:
      return OTF2_EvtWriter_Leave(to_, attributes_, at_, static_cast<OTF2_RegionRef>(field_[0]));
    case Kind::other:
      return OTF2_EvtWriter_ParameterString(to_, attributes_, at_, record_parameter,
                                            static_cast<OTF2_StringRef>(field_[0]));
    case Kind::send:
    case Kind::receive:
      return write_message(kind);
    case Kind::collective_begin:
      return write_collective_begin();
    case Kind::collective_end:
      return write_collective_end();
  }
  return OTF2_SUCCESS;
}

OTF2_ErrorCode NewArchiveSink::Events::write_message(Kind kind) {
  const auto [comm, rank] =
      sink_.communicators_.route(process_, static_cast<ProcessIndex>(field_[0]), static_cast<std::size_t>(field_[1]));
  const std::int64_t tag = formats::unzigzag(field_[2]);
  const std::uint64_t bytes = field_[3];
  const auto narrow = static_cast<std::uint32_t>(tag);
  if (narrow != tag) {
    ++sink_.wide_tags_;
    added(OTF2_AttributeList_AddInt64(attributes(), tag_attribute, tag));
  }
  if (kind == Kind::send) return OTF2_EvtWriter_MpiSend(to_, attributes_, at_, rank, comm, narrow, bytes);
  if (const auto overtakes = static_cast<std::uint16_t>(field_[4]); overtakes > 0) {
    sink_.overtakes_used_ = true;
    added(OTF2_AttributeList_AddUint16(attributes(), overtakes_attribute, overtakes));
  }
  return OTF2_EvtWriter_MpiRecv(to_, attributes_, at_, rank, comm, narrow, bytes);
}

// Call ids are requests, less one: 0 is that of blocking operations.

OTF2_ErrorCode NewArchiveSink::Events::write_collective_begin() {
  const std::int64_t call = formats::unzigzag(field_[0]);
  return call == 0
             ? OTF2_EvtWriter_MpiCollectiveBegin(to_, attributes_, at_)
             : OTF2_EvtWriter_NonBlockingCollectiveRequest(to_, attributes_, at_, static_cast<std::uint64_t>(call) - 1);
}

OTF2_ErrorCode NewArchiveSink::Events::write_collective_end() {
  const OTF2_CollectiveOp operation = operation_of(static_cast<Operation>(field_[0]));
  const auto comm = static_cast<OTF2_CommRef>(field_[1]);
  const auto root = static_cast<std::uint32_t>(field_[2]);
  const std::int64_t call = formats::unzigzag(field_[3]);
  return call == 0
             ? OTF2_EvtWriter_MpiCollectiveEnd(to_, attributes_, at_, operation, comm, root, field_[4], field_[5])
             : OTF2_EvtWriter_NonBlockingCollectiveComplete(to_, attributes_, at_, operation, comm, root, field_[4],
                                                            field_[5], static_cast<std::uint64_t>(call) - 1);
}

void NewArchiveSink::write_location(ProcessIndex process) {
  const OTF2_LocationRef location = definitions_.processes()[process].number;
  OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(writer(), location);
  if (to == nullptr) fail_output(folder_.target(), "create the events of location " + std::to_string(location));
  Events events(*this, process, to);
  for (std::uint64_t i = 0; i < states_[process].records; ++i) events.write_next();
  written(OTF2_Archive_CloseEvtWriter(writer(), to), "write the events of a location");
  OTF2_DefWriter* const definitions = OTF2_Archive_GetDefWriter(writer(), location);
  if (definitions == nullptr)
    fail_output(folder_.target(), "create the definitions of location " + std::to_string(location));
  written(OTF2_Archive_CloseDefWriter(writer(), definitions), "write the definitions of a location");
}

class NewArchiveSink::GlobalDefinitions {
 public:
  explicit GlobalDefinitions(const NewArchiveSink& sink)
      : sink_(sink),
        to_(OTF2_Archive_GetGlobalDefWriter(sink.writer())),
        next_string_(static_cast<OTF2_StringRef>(sink.texts_.all().size())) {
    if (to_ == nullptr) fail_output(sink.folder_.target(), "create the global definitions");
  }

  /// pieces: of properties.
  void write(const std::vector<std::string>& pieces) {
    write_clock();
    write_texts();
    for (const std::string& piece : pieces) string(piece);
    write_attributes();
    define(OTF2_GlobalDefWriter_WriteParadigm(to_, OTF2_PARADIGM_MPI, string("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    write_nodes();
    write_locations();
    write_regions();
    write_communicators();
    define(OTF2_Archive_CloseGlobalDefWriter(sink_.writer(), to_));
  }

 private:
  static constexpr OTF2_StringRef no_text = 0;

  void define(OTF2_ErrorCode result) const { sink_.written(result, "write the global definitions"); }
  OTF2_StringRef string(const std::string& text) {
    define(OTF2_GlobalDefWriter_WriteString(to_, next_string_, text.c_str()));
    return next_string_++;
  }
  [[nodiscard]] OTF2_SystemTreeNodeRef unknown_node() const noexcept {
    return static_cast<OTF2_SystemTreeNodeRef>(sink_.definitions_.nodes().size() + 1);
  }
  void write_clock() const;
  void write_texts() const;
  void write_attributes();
  void write_nodes();
  void write_locations();
  void write_regions() const;
  void write_communicators();
  void write_group(OTF2_GroupRef self, OTF2_GroupType type, const std::vector<std::uint64_t>& members) const;

  const NewArchiveSink& sink_;
  OTF2_GlobalDefWriter* to_;
  OTF2_StringRef next_string_;  ///< those of the records come first
};

void NewArchiveSink::GlobalDefinitions::write_clock() const {
  define(OTF2_GlobalDefWriter_WriteClockProperties(
      to_, static_cast<std::uint64_t>(sink_.definitions_.resolution.per_second()), sink_.lowest_,
      sink_.highest_ - sink_.lowest_, OTF2_UNDEFINED_TIMESTAMP));
}

void NewArchiveSink::GlobalDefinitions::write_texts() const {
  const std::vector<const std::string*>& texts = sink_.texts_.all();
  for (OTF2_StringRef i = 0; i < texts.size(); ++i) define(OTF2_GlobalDefWriter_WriteString(to_, i, texts[i]->c_str()));
}

/// What records are written with that OTF2 has no place for, as far as it occurs. The numbers of attributes have no
/// gap: readers warn of one.
void NewArchiveSink::GlobalDefinitions::write_attributes() {
  const auto attribute = [&](OTF2_AttributeRef self, const char* name, OTF2_Type type) {
    define(OTF2_GlobalDefWriter_WriteAttribute(to_, self, string(name), no_text, type));
  };
  const bool to_recorded = sink_.recorded_used_ || sink_.overtakes_used_;
  const bool to_tag = sink_.wide_tags_ > 0 || to_recorded;
  if (sink_.fields_used_ || to_tag) attribute(fields_attribute, own::fields, OTF2_TYPE_STRING);
  if (to_tag) attribute(tag_attribute, own::tag, OTF2_TYPE_INT64);
  if (to_recorded) attribute(recorded_attribute, own::recorded, OTF2_TYPE_INT64);
  if (sink_.overtakes_used_) attribute(overtakes_attribute, own::overtakes, OTF2_TYPE_UINT16);
  if (sink_.records_used_)
    define(OTF2_GlobalDefWriter_WriteParameter(to_, record_parameter, string(own::record), OTF2_PARAMETER_TYPE_STRING));
}

/// Processes stand on their nodes. Readers look for a machine and for a node above each.
void NewArchiveSink::GlobalDefinitions::write_nodes() {
  const OTF2_StringRef machine = string("machine");
  const OTF2_StringRef node = string("node");
  define(OTF2_GlobalDefWriter_WriteSystemTreeNode(to_, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  define(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(to_, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
  const auto& nodes = sink_.definitions_.nodes();
  for (NodeIndex i = 0; i < nodes.size(); ++i) {
    define(OTF2_GlobalDefWriter_WriteSystemTreeNode(to_, i + 1, string(nodes[i]), node, 0));
    define(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(to_, i + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
  }
  const auto& processes = sink_.definitions_.processes();
  if (std::any_of(processes.begin(), processes.end(), [](const Process& process) { return process.node == no_node; }))
    define(OTF2_GlobalDefWriter_WriteSystemTreeNode(to_, unknown_node(), string(own::no_node), node, 0));
}

namespace {

/// "GROUP:LOCATION" as it is read; a name without colon is that of both.
std::pair<std::string, std::string> names_of(const Process& process) {
  const std::size_t colon = process.name.find(':');
  if (colon == std::string::npos) return {process.name, process.name};
  std::string group = process.name.substr(0, colon);
  std::string location = process.name.substr(colon + 1);
  if (group.empty() || location.empty() || group == location) return {process.name, process.name};
  return {std::move(group), std::move(location)};
}

}  // namespace

/// Processes that share a clock are locations of one group, or of groups that it created.
void NewArchiveSink::GlobalDefinitions::write_locations() {
  const std::deque<Process>& processes = sink_.definitions_.processes();
  for (ProcessIndex i = 0; i < sink_.states_.size(); ++i) {
    const Process& process = processes[i];
    const auto [group, location] = names_of(process);
    const OTF2_StringRef group_name = string(group);
    const OTF2_StringRef location_name = group == location ? group_name : string(location);
    const bool in_group = process.clock != i && process.node == processes[process.clock].node &&
                          group == names_of(processes[process.clock]).first;
    const bool created = process.clock != i;
    if (!in_group)
      define(OTF2_GlobalDefWriter_WriteLocationGroup(
          to_, i, group_name, created ? OTF2_LOCATION_GROUP_TYPE_ACCELERATOR : OTF2_LOCATION_GROUP_TYPE_PROCESS,
          process.node == no_node ? unknown_node() : process.node + 1,
          created ? process.clock : OTF2_UNDEFINED_LOCATION_GROUP));
    define(OTF2_GlobalDefWriter_WriteLocation(to_, process.number, location_name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                              sink_.states_[i].records, in_group ? process.clock : i));
  }
}

void NewArchiveSink::GlobalDefinitions::write_regions() const {
  const std::vector<std::uint32_t>& texts = sink_.regions_.texts();
  for (OTF2_RegionRef i = 0; i < texts.size(); ++i) {
    const RegionKind kind = kind_of_region(*sink_.texts_.all()[texts[i]]);
    define(OTF2_GlobalDefWriter_WriteRegion(to_, i, texts[i], texts[i], no_text, kind.role, kind.paradigm,
                                            OTF2_REGION_FLAG_NONE, no_text, 0, 0));
  }
}

/// Members are positions in the list of all locations.
void NewArchiveSink::GlobalDefinitions::write_communicators() {
  std::vector<std::uint64_t> list;
  for (const Process& process : sink_.definitions_.processes()) list.push_back(process.number);
  OTF2_GroupRef groups = 0;
  write_group(groups++, OTF2_GROUP_TYPE_COMM_LOCATIONS, list);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = i;
  const OTF2_GroupRef all = groups++;
  write_group(all, OTF2_GROUP_TYPE_COMM_GROUP, list);
  const NewCommunicators& communicators = sink_.communicators_;
  for (OTF2_CommRef i = 0; i < communicators.size(); ++i) {
    OTF2_GroupRef of = all;
    std::string name = own::communicator + std::to_string(communicators.number(i));
    if (communicators.min_delay(i) > 0) name += own::communicator_delay + std::to_string(communicators.min_delay(i));
    if (i < communicators.lists()) {
      const Members& members = communicators.members(i);
      list.assign(members.begin(), members.end());
      of = groups++;
      write_group(of, OTF2_GROUP_TYPE_COMM_GROUP, list);
    }
    define(OTF2_GlobalDefWriter_WriteComm(to_, i, string(name), of, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
}

void NewArchiveSink::GlobalDefinitions::write_group(OTF2_GroupRef self, OTF2_GroupType type,
                                                    const std::vector<std::uint64_t>& members) const {
  define(OTF2_GlobalDefWriter_WriteGroup(to_, self, no_text, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(members.size()), members.data()));
}

/// About the bytes of the largest definition, which has to fit into a chunk: the members of all communicators, or a
/// text.
std::uint64_t NewArchiveSink::largest_definition() const {
  std::uint64_t largest = 9 * definitions_.processes().size();
  for (const std::string* text : texts_.all()) largest = std::max<std::uint64_t>(largest, text->size());
  for (const Process& process : definitions_.processes())
    largest = std::max<std::uint64_t>(largest, process.name.size());
  for (const std::string& node : definitions_.nodes()) largest = std::max<std::uint64_t>(largest, node.size());
  return largest + 1024;
}

void NewArchiveSink::close() {
  settle();
  Layout layout;
  layout.definition_chunk = std::clamp(std::bit_ceil(largest_definition()), layout.definition_chunk, largest_chunk);
  writer_ = create_writer(folder_.path(), "traces", folder_.target(), layout);
  const std::vector<std::string> pieces = write_properties();
  written(OTF2_Archive_OpenEvtFiles(writer()), "create the event files");
  written(OTF2_Archive_OpenDefFiles(writer()), "create the definition files");
  for (ProcessIndex i = 0; i < states_.size(); ++i) write_location(i);
  written(OTF2_Archive_CloseDefFiles(writer()), "finish the definition files");
  written(OTF2_Archive_CloseEvtFiles(writer()), "finish the event files");
  GlobalDefinitions(*this).write(pieces);
  written(OTF2_Archive_Close(writer_.release()), "finish the archive");
  folder_.publish();
}

}  // namespace

std::unique_ptr<Sink> new_archive_sink(const std::string& path, const Definitions& definitions,
                                       const SinkOptions& options) {
  return std::make_unique<NewArchiveSink>(path, definitions, options);
}

}  // namespace clc::otf2
