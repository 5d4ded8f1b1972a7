#include "otf2/rewrite.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "bytes/descriptors.hpp"
#include "clc/error.hpp"
#include "otf2/attribute_mapping.hpp"
#include "otf2/inspect.hpp"
#include "otf2/mapped_offsets.hpp"
#include "otf2/markers.hpp"
#include "otf2/own.hpp"
#include "otf2/records.hpp"
#include "otf2/retime.hpp"
#include "otf2/thumbnails.hpp"
#include "otf2/times.hpp"
#include "otf2/writer.hpp"
#include "threads/in_threads.hpp"

namespace clc::otf2 {

namespace {

namespace fs = std::filesystem;

/// Remembers the first record that could not be written; no exception may pass through libotf2.
struct Outcome {
  OTF2_ErrorCode result = OTF2_SUCCESS;
  const char* kind = nullptr;
  OTF2_CallbackCode of(OTF2_ErrorCode code, const char* name) noexcept {
    if (code == OTF2_SUCCESS) [[likely]]
      return OTF2_CALLBACK_SUCCESS;
    if (result == OTF2_SUCCESS) {
      result = code;
      kind = name;
    }
    return OTF2_CALLBACK_INTERRUPT;
  }
};

/// How many kinds of definitions libotf2 knows, from String on.
enum class LocalKind : unsigned {
#define CLC_NAME(Name) Name,
  CLC_OTF2_LOCAL_DEFINITIONS(CLC_NAME) end
};
enum class GlobalKind : unsigned { CLC_OTF2_GLOBAL_DEFINITIONS(CLC_NAME) end };
#undef CLC_NAME
template <class Kind>
constexpr unsigned known = static_cast<unsigned>(Kind::end) - static_cast<unsigned>(Kind::String);

class Rewriter {
 public:
  Rewriter(Archive& archive, formats::Corrections& corrections, const std::string& folder, const std::string& name,
           const RewriteOptions& options)
      : archive_(archive),
        corrections_(corrections),
        folder_(folder),
        name_(name),
        options_(options),
        markers_(archive) {
    for (ProcessIndex i = 0; i < archive.locations().size(); ++i)
      if (is_own(i)) own_.push_back(i);
  }

  void run() {
    reader_ = open_reader(archive_.anchor());
    for (const ProcessIndex i : own_) {
      const Archive::Location& location = archive_.locations()[i];
      check_input(OTF2_Reader_SelectLocation(reader(), location.ref), archive_.name_of(location), "select it");
    }
    open_writer();
    definition_files_ = has_definition_files();
    markers_.read(reader());
    copy_locations();
    if (options_.share) exchange();
    if (options_.share && !options_.share->first) return;
    markers_.write(writer(), name_);
    Thumbnails thumbnails(archive_, name_);
    thumbnails.count(reader(), writer());
    copy_global_definitions();
    written(OTF2_Archive_Close(writer_.release()), "finish the archive");
    thumbnails.copy(folder_);
  }

 private:
  [[nodiscard]] OTF2_Reader* reader() const noexcept { return reader_.get(); }
  [[nodiscard]] OTF2_Archive* writer() const noexcept { return writer_.get(); }
  void written(OTF2_ErrorCode result, const char* what) const { check_output(result, name_, what); }
  /// After reading with callbacks that write.
  /// known_damage: it has been told that not all of it can be read.
  void copied(OTF2_ErrorCode result, const Outcome& outcome, const std::string& where, const char* what,
              bool known_damage = false) const {
    if (outcome.result != OTF2_SUCCESS)
      fail_output(name_, "write a record of kind " + std::string(outcome.kind) + " of " + where, outcome.result);
    if (known_damage)
      static_cast<void>(take_complaint());
    else
      check_input(result, where, what);
  }
  void open_writer();
  void warn_of_missing_snapshots();
  void copy_properties();
  /// Number of the first string with provenance: the one before is that of the attribute for recorded times.
  [[nodiscard]] OTF2_StringRef first_of_provenance() const {
    const bool defines = options_.keep_original && archive_.own().recorded == OTF2_UNDEFINED_ATTRIBUTE;
    return archive_.free_string() + (defines ? 1 : 0);
  }
  /// How far the events of a location have been copied.
  struct Copied {
    std::optional<LocationTimes> times;
    bool retimed = false;      ///< the copy of its event file is complete, under the name of `unready_file`
    std::exception_ptr error;  ///< in a thread
  };
  [[nodiscard]] bool is_own(ProcessIndex location) const { return !options_.share || options_.share->own[location]; }
  void copy_locations();
  void create_empty_events(const Archive::Location& location) const;
  void exchange();
  void copy_location(ProcessIndex index, Copied& copied);
  /// Several threads, unless few files can be open.
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] bool has_snapshots(const Archive::Location& location) const noexcept {
    return snapshots_ && location.snapshot_file;
  }
  /// Nothing of its events needs libotf2, which one thread may use at a time, unless the event file is unusual.
  [[nodiscard]] bool is_plain(const Archive::Location& location) const noexcept {
    return location.event_file && !location.damaged && !has_snapshots(location);
  }
  [[noreturn]] void refuse_decrease(const Archive::Location& location,
                                    const std::pair<std::int64_t, std::int64_t>& times) const;
  void begin_times(ProcessIndex index, Copied& copied) const;
  /// The first step for a plain location, in any thread.
  void retime_in_thread(ProcessIndex index, Copied& copied) const;
  /// Number of the attribute for recorded times, in the archive.
  [[nodiscard]] OTF2_AttributeRef recorded_attribute() const {
    const OTF2_AttributeRef known = archive_.own().recorded;
    return known != OTF2_UNDEFINED_ATTRIBUTE ? known : archive_.free_attribute();
  }
  void define_recorded_attribute(OTF2_GlobalDefWriter* to) const;
  /// own_offsets: with the clock offsets in the archive. offsets: more of them.
  void copy_local_definitions(const Archive::Location& location, bool own_offsets, const ClockOffsets& offsets);
  /// Whether the copy has local definition files. Readers expect one for each location with events, or for none.
  [[nodiscard]] bool has_definition_files() const;
  [[nodiscard]] bool has_definition_file(const Archive::Location& location) const noexcept {
    return definition_files_ && (location.event_file || location.definition_file || location.damaged);
  }
  /// The map of a location's clock, from times in the file (the archive's clock offsets applied) to those that readers
  /// shall see.
  [[nodiscard]] OffsetLine map_of(const Archive::Location& location) const;
  void copy_definitions_with_offsets(const Archive::Location& location, const LocationTimes& times,
                                     const OffsetLine& map);
  [[nodiscard]] std::string event_file(const Archive::Location& location) const;
  [[nodiscard]] std::string unready_file(const Archive::Location& location) const {
    return event_file(location) + ".tmp";
  }
  [[nodiscard]] bool retime_events(const Archive::Location& location, LocationTimes& times) const;
  void name_retimed_events(const Archive::Location& location, const LocationTimes& times);
  void copy_events(const Archive::Location& location, LocationTimes& times);
  /// False: not all of them can be read. whole: they could be before.
  bool copy_snapshots(const Archive::Location& location, LocationTimes& times, bool asking, bool whole);
  void copy_global_definitions();

  Archive& archive_;
  formats::Corrections& corrections_;
  std::string folder_;
  std::string name_;
  const RewriteOptions& options_;
  std::vector<ProcessIndex> own_;  ///< the locations to be copied
  ReaderHandle reader_;
  WriterHandle writer_;
  bool snapshots_ = false;
  bool definition_files_ = false;                                ///< the copy has local definition files
  OTF2_AttributeRef local_recorded_ = OTF2_UNDEFINED_ATTRIBUTE;  ///< of the location at hand: that for recorded times
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();  ///< of all written times of events
  std::int64_t highest_ = -1;
  Markers markers_;
  std::vector<std::string> provenance_strings_;  ///< what the property has no room for
};

void Rewriter::open_writer() {
  writer_ = create_writer(folder_, archive_.name(), name_, archive_.layout());
  copy_properties();
  written(OTF2_Archive_OpenEvtFiles(writer()), "create the event files");
  written(OTF2_Archive_OpenDefFiles(writer()), "create the definition files");
  if (archive_.has_folder()) {
    check_input(OTF2_Reader_OpenEvtFiles(reader()), archive_.anchor(), "open the event files");
    check_input(OTF2_Reader_OpenDefFiles(reader()), archive_.anchor(), "open the definition files");
  }
  std::uint32_t snapshots = 0;
  check_input(OTF2_Reader_GetNumberOfSnapshots(reader(), &snapshots), archive_.anchor(), "count its snapshots");
  snapshots_ = snapshots > 0;
  if (!snapshots_) return;
  warn_of_missing_snapshots();
  check_input(OTF2_Reader_OpenSnapFiles(reader()), archive_.anchor(), "open the snapshots");
  written(OTF2_Archive_OpenSnapFiles(writer()), "create the snapshots");
  written(OTF2_Archive_SetNumberOfSnapshots(writer(), snapshots), "create the snapshots");
}

void Rewriter::warn_of_missing_snapshots() {
  // No error: nothing says that every location must have some.
  std::size_t missing = 0;
  std::string first;
  for (const Archive::Location& location : archive_.locations())
    if (location.event_file && !location.snapshot_file && missing++ == 0) first = archive_.file_of(location, ".snap");
  if (missing > 0)
    archive_.oddities.push_back(archive_.anchor() + ": " + std::to_string(missing) +
                                " locations have no snapshots although the archive has some, the first of them " +
                                first + "; check that it was copied whole");
}

void Rewriter::copy_properties() {
  const auto copy = [&](auto get, auto set, const char* what) {
    char* text = nullptr;
    check_input(get(reader(), &text), archive_.anchor(), what);
    const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
    if (text != nullptr && *text != '\0') written(set(writer(), text), what);
  };
  copy(OTF2_Reader_GetMachineName, OTF2_Archive_SetMachineName, "copy the machine's name");
  copy(OTF2_Reader_GetCreator, OTF2_Archive_SetCreator, "copy the creator");
  copy(OTF2_Reader_GetDescription, OTF2_Archive_SetDescription, "copy the description");
  std::string provenance = options_.provenance;
  for (const Property& property : properties_of(reader(), archive_.anchor())) {
    written(OTF2_Archive_SetProperty(writer(), property.name.c_str(), property.value.c_str(), true),
            "copy the properties");
    if (property.name == own::provenance) provenance += '\n' + property.value;
  }
  if (options_.raise != 0)
    written(OTF2_Archive_SetProperty(writer(), own::shift,
                                     std::to_string(add_saturating(archive_.in_file(Time()), options_.raise)).c_str(),
                                     true),
            "write the properties");
  if (options_.provenance.empty()) return;
  own::Spread spread = own::spread(provenance, first_of_provenance());
  written(OTF2_Archive_SetProperty(writer(), own::provenance, spread.property.c_str(), true), "write the provenance");
  provenance_strings_ = std::move(spread.strings);
}

void Rewriter::copy_locations() {
  const unsigned threads = this->threads();
  const std::size_t together = threads == 1 ? 1 : 8 * threads;
  for (std::size_t first = 0; first < own_.size(); first += together) {
    std::vector<Copied> copied(std::min(together, own_.size() - first));
    formats::in_threads(copied.size(), threads, [&](std::size_t i) { retime_in_thread(own_[first + i], copied[i]); });
    for (std::size_t i = 0; i < copied.size(); ++i) copy_location(own_[first + i], copied[i]);
  }
  written(OTF2_Archive_CloseDefFiles(writer()), "finish the definition files");
  written(OTF2_Archive_CloseEvtFiles(writer()), "finish the event files");
  if (snapshots_) written(OTF2_Archive_CloseSnapFiles(writer()), "finish the snapshots");
}

void Rewriter::create_empty_events(const Archive::Location& location) const {
  OTF2_EvtWriter* const empty = OTF2_Archive_GetEvtWriter(writer(), location.ref);
  if (empty == nullptr) fail_output(name_, "create the events of location " + std::to_string(location.ref));
  written(OTF2_Archive_CloseEvtWriter(writer(), empty), "write the events of a location");
}

/// The lowest and the highest time, and the times of markers: location, recorded, corrected.
void Rewriter::exchange() {
  std::vector<std::int64_t> facts{lowest_, highest_};
  for (const ProcessIndex i : own_) {
    const Markers::Times* const times = std::as_const(markers_).times_of(i);
    if (times == nullptr) continue;
    for (const auto& [time, corrected] : *times) facts.insert(facts.end(), {std::int64_t{i}, time, corrected});
  }
  for (const std::vector<std::int64_t>& given : options_.share->exchange(facts)) {
    lowest_ = std::min(lowest_, given[0]);
    highest_ = std::max(highest_, given[1]);
    for (std::size_t i = 2; i < given.size(); i += 3)
      markers_.times_of(static_cast<ProcessIndex>(given[i]))->at(given[i + 1]) = given[i + 2];
  }
}

unsigned Rewriter::threads() const {
  constexpr unsigned each = 2;    // files
  constexpr unsigned spare = 16;  // of libotf2 and others
  return formats::free_descriptors() < each * options_.threads + spare ? 1 : options_.threads;
}

void Rewriter::begin_times(ProcessIndex index, Copied& copied) const {
  static const ClockOffsets none;
  const bool keeps_times = options_.clock_offsets != nullptr;
  LocationTimes& times = copied.times.emplace(keeps_times ? none : archive_.locations()[index].offsets, corrections_,
                                              index, keeps_times ? 0 : options_.raise);
  const Markers::Times* const marker_times = markers_.times_of(index);
  if (marker_times != nullptr && !keeps_times)
    for (const auto& [time, corrected] : *marker_times) times.ask(time);
}

void Rewriter::retime_in_thread(ProcessIndex index, Copied& copied) const {
  const Archive::Location& location = archive_.locations()[index];
  if (!is_plain(location)) return;
  try {
    begin_times(index, copied);
    copied.times->begin();
    copied.retimed = retime_events(location, *copied.times);
  } catch (...) {
    copied.error = std::current_exception();
  }
}

void Rewriter::copy_location(ProcessIndex index, Copied& copied) {
  const Archive::Location& location = archive_.locations()[index];
  if (copied.error) std::rethrow_exception(copied.error);
  if (options_.keep_original) local_recorded_ = recorded_attribute();
  // The clock offsets that it gets depend on its events.
  const bool keeps_times = options_.clock_offsets != nullptr;
  if (!keeps_times && has_definition_file(location)) copy_local_definitions(location, false, {});
  const OffsetLine map = keeps_times ? map_of(location) : OffsetLine();
  const bool snapshot = has_snapshots(location);
  bool whole_snapshot = true;
  const auto begin = [&] {
    begin_times(index, copied);
    if (snapshot) whole_snapshot = copy_snapshots(location, *copied.times, true, whole_snapshot);
    copied.times->begin();
  };
  if (!is_plain(location)) {
    begin();
    copied.retimed = location.event_file && !location.damaged && retime_events(location, *copied.times);
  }
  LocationTimes& times = *copied.times;
  if (copied.retimed) {
    name_retimed_events(location, times);
  } else if (location.event_file || location.damaged) {
    begin();
    copy_events(location, times);
  }
  if (times.decrease()) refuse_decrease(location, *times.decrease());
  times.finish();
  if (snapshot) copy_snapshots(location, times, false, whole_snapshot);
  if (Markers::Times* const marker_times = markers_.times_of(index))
    for (auto& [time, corrected] : *marker_times)
      corrected = keeps_times ? std::max<std::int64_t>(0, map.at(Time(time)).ticks()) : times.answer_of(time);
  if (keeps_times) return copy_definitions_with_offsets(location, times, map);
  if (!times.any()) return;
  lowest_ = std::min(lowest_, times.lowest());
  highest_ = std::max(highest_, times.highest());
}

void Rewriter::refuse_decrease(const Archive::Location& location,
                               const std::pair<std::int64_t, std::int64_t>& times) const {
  throw OutputError(name_ + ": found time " + std::to_string(times.second) + " after time " +
                    std::to_string(times.first) + " in location " + std::to_string(location.ref) +
                    ", expected times in order; an OTF2 archive cannot hold others, choose text or binary with "
                    "SinkOptions::format");
}

bool Rewriter::has_definition_files() const {
  const std::vector<Archive::Location>& all = archive_.locations();
  return std::any_of(all.begin(), all.end(), [this](const Archive::Location& location) {
    return location.definition_file || (options_.clock_offsets != nullptr && !map_of(location).points().empty());
  });
}

OffsetLine Rewriter::map_of(const Archive::Location& location) const {
  const OffsetLine* const line = options_.clock_offsets->line_of(location.ref);
  std::vector<OffsetPoint> points;
  if (line != nullptr)
    points = line->points();
  else if (options_.raise != 0)
    points.emplace_back();
  for (OffsetPoint& point : points) {
    point.time = Time(archive_.in_file(point.time));
    point.offset = add_saturating(point.offset, options_.raise);
  }
  return OffsetLine(std::move(points));
}

void Rewriter::copy_definitions_with_offsets(const Archive::Location& location, const LocationTimes& times,
                                             const OffsetLine& map) {
  const bool mapped = times.any() && !map.points().empty();
  const ClockOffsets offsets =
      mapped ? mapped_offsets(location.offsets, map, times.lowest(), times.highest()) : ClockOffsets();
  std::int64_t before = 0;
  for (const auto& [time, offset, deviation] : offsets.points()) {
    const std::int64_t at = add_saturating(time, offset);
    if (at < before)
      throw OutputError(name_ + ": location " + std::to_string(location.ref) + ": at time " + std::to_string(time) +
                        " found an offset of " + std::to_string(offset) +
                        " ticks, with which time runs backwards from " + std::to_string(before) + " to " +
                        std::to_string(at) +
                        ", expected offsets with which it does not; leave out SinkOptions::clock_offsets");
    before = at;
  }
  // Without a map its own ones stay, if they are not to be ignored.
  const bool own = !mapped && !location.offsets.empty();
  if (has_definition_file(location)) copy_local_definitions(location, own, offsets);
  if (!times.any()) return;
  LocationClock clock(mapped ? offsets : location.offsets);
  lowest_ = std::min(lowest_, clock.at(times.lowest()));
  highest_ = std::max(highest_, clock.at(times.highest()));
}

/// Definitions: the callback hands all fields to the writer's function of the same name.
template <class Writer>
struct DefinitionCopy {
  Writer* writer;
  Outcome outcome;
  Archive* archive;

  template <class Signature>
  struct Copy;
  template <class... Fields>
  struct Copy<OTF2_CallbackCode (*)(void*, Fields...)> {
    template <auto write>
    static OTF2_CallbackCode call(void* user, Fields... fields) {
      auto& self = *static_cast<DefinitionCopy*>(user);
      return self.outcome.of(write(self.writer, fields...), "definition");
    }
  };
};

struct LocalDefinitionCopy : DefinitionCopy<OTF2_DefWriter> {
  OTF2_AttributeRef* recorded = nullptr;
  bool own_offsets = false;  ///< else they are in the times, or in others

  using Base = DefinitionCopy<OTF2_DefWriter>;
  static LocalDefinitionCopy& of(void* user) { return *static_cast<LocalDefinitionCopy*>(static_cast<Base*>(user)); }
  [[nodiscard]] static const OTF2_DefReaderCallbacks* callbacks();
};

const OTF2_DefReaderCallbacks* LocalDefinitionCopy::callbacks() {
  static const auto made = [] {
    Owned<OTF2_DefReaderCallbacks, OTF2_DefReaderCallbacks_Delete> all(OTF2_DefReaderCallbacks_New());
#define CLC_COPY(Name)                         \
  OTF2_DefReaderCallbacks_Set##Name##Callback( \
      all.get(), &Base::Copy<OTF2_DefReaderCallback_##Name>::call<&OTF2_DefWriter_Write##Name>);
    CLC_OTF2_LOCAL_DEFINITIONS(CLC_COPY)
#undef CLC_COPY
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(
        all.get(), [](void* user, OTF2_TimeStamp time, std::int64_t offset, double deviation) {
          LocalDefinitionCopy& self = of(user);
          if (!self.own_offsets) return OTF2_CALLBACK_SUCCESS;
          return self.outcome.of(OTF2_DefWriter_WriteClockOffset(self.writer, time, offset, deviation), "definition");
        });
    OTF2_DefReaderCallbacks_SetMappingTableCallback(
        all.get(), [](void* user, OTF2_MappingType type, const OTF2_IdMap* map) {
          LocalDefinitionCopy& self = of(user);
          if (type != OTF2_MAPPING_ATTRIBUTE || *self.recorded == OTF2_UNDEFINED_ATTRIBUTE)
            return self.outcome.of(OTF2_DefWriter_WriteMappingTable(self.writer, type, map), "definition");
          const AttributeMapping mapping(map, *self.recorded);
          *self.recorded = mapping.local();
          return self.outcome.of(mapping.map() == nullptr
                                     ? OTF2_ERROR_MEM_ALLOC_FAILED
                                     : OTF2_DefWriter_WriteMappingTable(self.writer, type, mapping.map()),
                                 "definition");
        });
    OTF2_DefReaderCallbacks_SetUnknownCallback(all.get(), [](void* user) {
      ++static_cast<Base*>(user)->archive->unknown_definitions;
      return OTF2_CALLBACK_SUCCESS;
    });
    return all;
  }();
  return made.get();
}

void Rewriter::copy_local_definitions(const Archive::Location& location, bool own_offsets,
                                      const ClockOffsets& offsets) {
  const std::string where = archive_.name_of(location);
  OTF2_DefReader* const from = location.definition_file ? OTF2_Reader_GetDefReader(reader(), location.ref) : nullptr;
  if (from == nullptr && location.definition_file && !location.damaged) fail_input(where, "open its definitions");
  LocalDefinitionCopy copying;
  copying.writer = OTF2_Archive_GetDefWriter(writer(), location.ref);
  copying.archive = &archive_;
  copying.recorded = &local_recorded_;
  copying.own_offsets = own_offsets;
  if (copying.writer == nullptr)
    fail_output(name_, "create the definitions of location " + std::to_string(location.ref));
  if (from != nullptr) {
    check_input(OTF2_Reader_RegisterDefCallbacks(reader(), from, LocalDefinitionCopy::callbacks(),
                                                 static_cast<LocalDefinitionCopy::Base*>(&copying)),
                where, "read its definitions");
    const std::uint64_t unknown = archive_.unknown_definitions;
    const std::string file = archive_.file_of(location, ".def");
    const OTF2_ErrorCode result = archive_.read_part(reader(), from, OTF2_Reader_ReadAllLocalDefinitions,
                                                     OTF2_Reader_ReadLocalDefinitions, file, Part::definitions);
    if (archive_.unknown_definitions > unknown)
      collect_kinds(file, archive_.layout(), Part::definitions, known<LocalKind>, archive_.unknown_local_kinds);
    copied(result, copying.outcome, where, "read its definitions", location.damaged);
    check_input(OTF2_Reader_CloseDefReader(reader(), from), where, "close its definitions");
  }
  for (const auto& [time, offset, deviation] : offsets.points())
    written(OTF2_DefWriter_WriteClockOffset(copying.writer, static_cast<OTF2_TimeStamp>(time), offset, deviation),
            "write the clock offsets of a location");
  written(OTF2_Archive_CloseDefWriter(writer(), copying.writer), "write the definitions of a location");
}

struct EventCopy {
  OTF2_EvtWriter* writer;
  LocationTimes& times;
  OTF2_AttributeRef recorded;  ///< attribute for the recorded time; undefined: it is not wanted
  Outcome outcome;

  static EventCopy& of(void* user) { return *static_cast<EventCopy*>(user); }
  /// The corrected time of the next event. An event that keeps its recorded time already has that from before.
  [[nodiscard]] OTF2_TimeStamp next(OTF2_TimeStamp time, OTF2_AttributeList* attributes) {
    const auto corrected = static_cast<OTF2_TimeStamp>(times.next(static_cast<std::int64_t>(time)));
    if (recorded != OTF2_UNDEFINED_ATTRIBUTE && !OTF2_AttributeList_TestAttributeByID(attributes, recorded))
      static_cast<void>(outcome.of(OTF2_AttributeList_AddInt64(attributes, recorded, times.recorded()), "attribute"));
    return corrected;
  }

  template <class Signature>
  struct Copy;
  template <class... Fields>
  struct Copy<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*,
                                    Fields...)> {
    template <auto write>
    static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, std::uint64_t /*position*/,
                                  void* user, OTF2_AttributeList* attributes, Fields... fields) {
      EventCopy& self = of(user);
      const OTF2_TimeStamp corrected = self.next(time, attributes);
      return self.outcome.of(write(self.writer, attributes, corrected, fields...), "event");
    }
  };
};

std::string Rewriter::event_file(const Archive::Location& location) const {
  return (fs::path(folder_) / archive_.name() / (std::to_string(location.ref) + ".evt")).string();
}

bool Rewriter::retime_events(const Archive::Location& location, LocationTimes& times) const {
  // Without what this libotf2 does not know, as definitions are.
  if (archive_.layout().compressed() || archive_.unknown_records > 0 || options_.keep_original) return false;
  const std::string unready = unready_file(location);
  if (retime(archive_.file_of(location, ".evt"), unready, name_, archive_.layout().event_chunk, times)) return true;
  std::error_code error;
  fs::remove(unready, error);
  return false;
}

void Rewriter::name_retimed_events(const Archive::Location& location, const LocationTimes& times) {
  if (!location.definition_file) create_empty_events(location);  // so that libotf2 knows of the location
  std::error_code error;
  fs::rename(unready_file(location), event_file(location), error);
  if (error) throw OutputError(name_ + ": cannot write the events of a location: " + error.message());
  times.check_count(archive_.name_of(location));
}

void Rewriter::copy_events(const Archive::Location& location, LocationTimes& times) {
  static const auto callbacks = [] {
    Owned<OTF2_EvtReaderCallbacks, OTF2_EvtReaderCallbacks_Delete> all(OTF2_EvtReaderCallbacks_New());
#define CLC_COPY(Name)                         \
  OTF2_EvtReaderCallbacks_Set##Name##Callback( \
      all.get(), &EventCopy::Copy<OTF2_EvtReaderCallback_##Name>::call<&OTF2_EvtWriter_##Name>);
    CLC_OTF2_EVENTS(CLC_COPY)
#undef CLC_COPY
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(all.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                                                 void* user, OTF2_AttributeList* attributes,
                                                                 OTF2_TimeStamp stop) {
      EventCopy& self = EventCopy::of(user);
      const OTF2_TimeStamp corrected = self.next(time, attributes);
      const auto corrected_stop = static_cast<OTF2_TimeStamp>(self.times.within(static_cast<std::int64_t>(stop)));
      return self.outcome.of(OTF2_EvtWriter_BufferFlush(self.writer, attributes, corrected, corrected_stop), "event");
    });
    OTF2_EvtReaderCallbacks_SetUnknownCallback(
        all.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList*) {
          static_cast<void>(EventCopy::of(user).times.next(static_cast<std::int64_t>(time)));
          return OTF2_CALLBACK_SUCCESS;
        });
    return all;
  }();
  const std::string where = archive_.name_of(location);
  // Of a damaged location no event beyond those that were readable before.
  OTF2_EvtReader* const from =
      location.damaged && location.events == 0 ? nullptr : OTF2_Reader_GetEvtReader(reader(), location.ref);
  EventCopy copying{OTF2_Archive_GetEvtWriter(writer(), location.ref), times, local_recorded_, {}};
  if (copying.writer == nullptr) fail_output(name_, "create the events of location " + std::to_string(location.ref));
  if (from != nullptr) {
    check_input(OTF2_EvtReader_ApplyClockOffsets(from, false), where, "open its events again");
    check_input(OTF2_EvtReader_ApplyMappingTables(from, false), where, "open its events again");
    check_input(OTF2_Reader_RegisterEvtCallbacks(reader(), from, callbacks.get(), &copying), where,
                "open its events again");
    std::uint64_t count = 0;
    const OTF2_ErrorCode result = location.damaged
                                      ? OTF2_Reader_ReadLocalEvents(reader(), from, location.events, &count)
                                      : OTF2_Reader_ReadAllLocalEvents(reader(), from, &count);
    copied(result, copying.outcome, where, "read its events again");
    times.check_count(where);
    check_input(OTF2_Reader_CloseEvtReader(reader(), from), where, "close its events");
  } else if (!location.damaged) {
    fail_input(where, "open its events again");
  }
  written(OTF2_Archive_CloseEvtWriter(writer(), copying.writer), "write the events of a location");
}

struct SnapshotCopy {
  OTF2_SnapWriter* writer;  ///< null: the times are asked for, nothing is written
  LocationTimes& times;
  Outcome outcome;
  bool open = false;  ///< a snapshot has begun and not ended
  OTF2_TimeStamp newest = 0;

  static SnapshotCopy& of(void* user) { return *static_cast<SnapshotCopy*>(user); }
  [[nodiscard]] OTF2_TimeStamp map(OTF2_TimeStamp time) {
    if (writer == nullptr) {
      times.ask_file(static_cast<std::int64_t>(time));
      return time;
    }
    return static_cast<OTF2_TimeStamp>(times.answer_of_file(static_cast<std::int64_t>(time)));
  }
  /// Of the snapshot itself: as with events, these do not decrease, whatever the clock offsets say.
  [[nodiscard]] OTF2_TimeStamp map_snapshot(OTF2_TimeStamp time) { return newest = std::max(newest, map(time)); }
  template <class Function>
  static OTF2_CallbackCode write(void* user, Function function) {
    SnapshotCopy& self = of(user);
    return self.writer == nullptr ? OTF2_CALLBACK_SUCCESS : self.outcome.of(function(self), "snapshot");
  }

  template <class Signature>
  struct Copy;
  /// All kinds but start and end carry the time of the event that they repeat.
  template <class... Fields>
  struct Copy<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, void*, OTF2_AttributeList*, OTF2_TimeStamp,
                                    Fields...)> {
    template <auto function>
    static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, void* user,
                                  OTF2_AttributeList* attributes, OTF2_TimeStamp event_time, Fields... fields) {
      SnapshotCopy& self = of(user);
      const OTF2_TimeStamp mapped = self.map_snapshot(time);
      const OTF2_TimeStamp mapped_event = self.map(event_time);
      return write(
          user, [&](SnapshotCopy& copy) { return function(copy.writer, attributes, mapped, mapped_event, fields...); });
    }
  };
};

bool Rewriter::copy_snapshots(const Archive::Location& location, LocationTimes& times, bool asking, bool whole) {
  static const auto callbacks = [] {
    Owned<OTF2_SnapReaderCallbacks, OTF2_SnapReaderCallbacks_Delete> all(OTF2_SnapReaderCallbacks_New());
#define CLC_COPY(Name)                          \
  OTF2_SnapReaderCallbacks_Set##Name##Callback( \
      all.get(), &SnapshotCopy::Copy<OTF2_SnapReaderCallback_##Name>::call<&OTF2_SnapWriter_##Name>);
    CLC_OTF2_SNAPSHOTS(CLC_COPY)
#undef CLC_COPY
    // Their number is no time.
    OTF2_SnapReaderCallbacks_SetSnapshotStartCallback(
        all.get(),
        [](OTF2_LocationRef, OTF2_TimeStamp time, void* user, OTF2_AttributeList* attributes, std::uint64_t records) {
          SnapshotCopy::of(user).open = true;
          const OTF2_TimeStamp mapped = SnapshotCopy::of(user).map_snapshot(time);
          return SnapshotCopy::write(user, [&](SnapshotCopy& copy) {
            return OTF2_SnapWriter_SnapshotStart(copy.writer, attributes, mapped, records);
          });
        });
    OTF2_SnapReaderCallbacks_SetSnapshotEndCallback(
        all.get(),
        [](OTF2_LocationRef, OTF2_TimeStamp time, void* user, OTF2_AttributeList* attributes, std::uint64_t position) {
          SnapshotCopy::of(user).open = false;
          const OTF2_TimeStamp mapped = SnapshotCopy::of(user).map_snapshot(time);
          return SnapshotCopy::write(user, [&](SnapshotCopy& copy) {
            return OTF2_SnapWriter_SnapshotEnd(copy.writer, attributes, mapped, position);
          });
        });
    return all;
  }();
  const std::string where = archive_.name_of(location);
  OTF2_SnapReader* const from = OTF2_Reader_GetSnapReader(reader(), location.ref);
  if (from == nullptr) {
    if (!whole) return false;
    return archive_.readable([&] { fail_input(where, "open its snapshots"); });
  }
  SnapshotCopy copying{asking ? nullptr : OTF2_Archive_GetSnapWriter(writer(), location.ref), times, {}};
  if (!asking && copying.writer == nullptr)
    fail_output(name_, "create the snapshots of location " + std::to_string(location.ref));
  check_input(OTF2_Reader_RegisterSnapCallbacks(reader(), from, callbacks.get(), &copying), where,
              "read its snapshots");
  const OTF2_ErrorCode result =
      archive_.read_part(reader(), from, OTF2_Reader_ReadAllLocalSnapshots, OTF2_Reader_ReadLocalSnapshots,
                         archive_.file_of(location, ".snap"), Part::snapshots);
  const bool readable = archive_.readable([&] {
    if (asking && whole)
      check_read(result, where, "read its snapshots");
    else
      copied(result, copying.outcome, where, "read its snapshots", !whole);
    if (whole && copying.open)
      throw InputError(where + ": its last snapshot has no end, expected a SnapshotEnd; copy the whole archive");
  });
  whole = whole && readable;
  check_input(OTF2_Reader_CloseSnapReader(reader(), from), where, "close its snapshots");
  if (!asking) written(OTF2_Archive_CloseSnapWriter(writer(), copying.writer), "write the snapshots of a location");
  return whole;
}

void Rewriter::define_recorded_attribute(OTF2_GlobalDefWriter* to) const {
  if (archive_.own().recorded != OTF2_UNDEFINED_ATTRIBUTE) return;
  const OTF2_StringRef name = archive_.free_string();
  written(OTF2_GlobalDefWriter_WriteString(to, name, own::recorded), "write the global definitions");
  written(OTF2_GlobalDefWriter_WriteAttribute(to, recorded_attribute(), name, name, OTF2_TYPE_INT64),
          "write the global definitions");
}

struct GlobalDefinitionCopy : DefinitionCopy<OTF2_GlobalDefWriter> {
  using Base = DefinitionCopy<OTF2_GlobalDefWriter>;

  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  Ticks raise = 0;  ///< was added to all times

  static GlobalDefinitionCopy& of(void* user) { return *static_cast<GlobalDefinitionCopy*>(static_cast<Base*>(user)); }
  /// The span of the trace holds all its events.
  static OTF2_CallbackCode clock(void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                                 std::uint64_t realtime) {
    GlobalDefinitionCopy& self = of(user);
    std::uint64_t begin = offset;
    std::uint64_t end = offset + length;
    if (self.highest >= self.lowest) {
      begin = std::min(begin, static_cast<std::uint64_t>(self.lowest));
      end = std::max(end, static_cast<std::uint64_t>(self.highest));
    }
    if (realtime != OTF2_UNDEFINED_TIMESTAMP) realtime = self.date_at(begin, offset, realtime);
    return self.outcome.of(
        OTF2_GlobalDefWriter_WriteClockProperties(self.writer, resolution, begin, end - begin, realtime), "definition");
  }
  /// In nanoseconds; date: of the recorded offset, which is not before begin.
  [[nodiscard]] std::uint64_t date_at(std::uint64_t begin, std::uint64_t offset, std::uint64_t date) const noexcept {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide second = 1'000'000'000;
    const auto per_second = static_cast<Wide>(archive->definitions().resolution.per_second());
    const Wide ticks = Wide{offset - begin} + static_cast<Wide>(raise);
    const Wide back = (ticks * second + per_second / 2) / per_second;
    return back < date ? date - static_cast<std::uint64_t>(back) : 0;
  }
  /// With as many events as are written.
  static OTF2_CallbackCode location(void* user, OTF2_LocationRef ref, OTF2_StringRef name, OTF2_LocationType type,
                                    std::uint64_t events, OTF2_LocationGroupRef group) {
    GlobalDefinitionCopy& self = of(user);
    const auto index = self.archive->definitions().find_process(ref);
    if (index) {
      const Archive::Location& location = self.archive->locations()[*index];
      if (location.damaged) events = location.events;
      events -= std::min(events, location.unknown);
    }
    return self.outcome.of(OTF2_GlobalDefWriter_WriteLocation(self.writer, ref, name, type, events, group),
                           "definition");
  }
  static OTF2_CallbackCode unknown(void* user) {
    ++of(user).archive->unknown_definitions;
    return OTF2_CALLBACK_SUCCESS;
  }
  [[nodiscard]] static auto callbacks() {
    Owned<OTF2_GlobalDefReaderCallbacks, OTF2_GlobalDefReaderCallbacks_Delete> all(OTF2_GlobalDefReaderCallbacks_New());
#define CLC_COPY(Name)                               \
  OTF2_GlobalDefReaderCallbacks_Set##Name##Callback( \
      all.get(), &Base::Copy<OTF2_GlobalDefReaderCallback_##Name>::call<&OTF2_GlobalDefWriter_Write##Name>);
    CLC_OTF2_GLOBAL_DEFINITIONS(CLC_COPY)
#undef CLC_COPY
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(all.get(), &clock);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(all.get(), &location);
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(all.get(), &unknown);
    return all;
  }
};

void Rewriter::copy_global_definitions() {
  const auto callbacks = GlobalDefinitionCopy::callbacks();
  OTF2_GlobalDefReader* const from = OTF2_Reader_GetGlobalDefReader(reader());
  if (from == nullptr) fail_input(archive_.anchor(), "open the global definitions again");
  GlobalDefinitionCopy copying;
  copying.writer = OTF2_Archive_GetGlobalDefWriter(writer());
  copying.archive = &archive_;
  copying.lowest = lowest_;
  copying.highest = highest_;
  copying.raise = options_.raise;
  if (copying.writer == nullptr) fail_output(name_, "create the global definitions");
  check_input(OTF2_Reader_RegisterGlobalDefCallbacks(reader(), from, callbacks.get(),
                                                     static_cast<GlobalDefinitionCopy::Base*>(&copying)),
              archive_.anchor(), "read the global definitions again");
  const std::uint64_t unknown = archive_.unknown_definitions;
  const std::string file = archive_.file_of(".def");
  const OTF2_ErrorCode result = archive_.read_part(reader(), from, OTF2_Reader_ReadAllGlobalDefinitions,
                                                   OTF2_Reader_ReadGlobalDefinitions, file, Part::definitions);
  if (archive_.unknown_definitions > unknown)
    collect_kinds(file, archive_.layout(), Part::definitions, known<GlobalKind>, archive_.unknown_global_kinds);
  copied(result, copying.outcome, archive_.anchor(), "read the global definitions again", archive_.definitions_damaged);
  OTF2_Reader_CloseGlobalDefReader(reader(), from);
  if (options_.keep_original) define_recorded_attribute(copying.writer);
  OTF2_StringRef string = first_of_provenance();
  for (const std::string& text : provenance_strings_)
    written(OTF2_GlobalDefWriter_WriteString(copying.writer, string++, text.c_str()), "write the global definitions");
  written(OTF2_Archive_CloseGlobalDefWriter(writer(), copying.writer), "write the global definitions");
}

}  // namespace

void rewrite(Archive& archive, formats::Corrections& corrections, const std::string& folder, const std::string& name,
             const RewriteOptions& options) {
  Rewriter(archive, corrections, folder, name, options).run();
}

}  // namespace clc::otf2
