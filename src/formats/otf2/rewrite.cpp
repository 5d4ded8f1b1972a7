#include "otf2/rewrite.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>

#include "bytes/descriptors.hpp"
#include "clc/error.hpp"
#include "otf2/copying.hpp"
#include "otf2/mapped_offsets.hpp"
#include "otf2/markers.hpp"
#include "otf2/own.hpp"
#include "otf2/retime.hpp"
#include "otf2/thumbnails.hpp"
#include "otf2/writer.hpp"
#include "threads/in_threads.hpp"

namespace clc::otf2 {

namespace {

namespace fs = std::filesystem;

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
    copy_global_definitions(copying(), global_changes());
    written(OTF2_Archive_Close(writer_.release()), "finish the archive");
    thumbnails.copy(folder_);
  }

 private:
  [[nodiscard]] OTF2_Reader* reader() const noexcept { return reader_.get(); }
  [[nodiscard]] OTF2_Archive* writer() const noexcept { return writer_.get(); }
  void written(OTF2_ErrorCode result, const char* what) const { check_output(result, name_, what); }
  [[nodiscard]] Copying copying() { return {archive_, reader(), writer(), name_}; }
  [[nodiscard]] GlobalChanges global_changes() const;
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
    archive_.oddities.in_definitions.push_back(
        archive_.anchor() + ": " + std::to_string(missing) +
        " locations have no snapshots although the archive has some, the first of them " + first +
        "; check that it was copied whole");
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
  if (!keeps_times && has_definition_file(location))
    copy_local_definitions(copying(), location, false, {}, local_recorded_);
  const OffsetLine map = keeps_times ? map_of(location) : OffsetLine();
  const bool snapshot = has_snapshots(location);
  bool whole_snapshot = true;
  const auto begin = [&] {
    begin_times(index, copied);
    if (snapshot) whole_snapshot = copy_snapshots(copying(), location, *copied.times, true, whole_snapshot);
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
    copy_events(copying(), location, times, local_recorded_);
  }
  if (times.decrease()) refuse_decrease(location, *times.decrease());
  times.finish();
  if (snapshot) static_cast<void>(copy_snapshots(copying(), location, times, false, whole_snapshot));
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
                        " ticks, which makes time run backwards from " + std::to_string(before) + " to " +
                        std::to_string(at) + ", expected increasing times; leave out SinkOptions::clock_offsets");
    before = at;
  }
  // Without a map its own ones stay, if they are not to be ignored.
  const bool own = !mapped && !location.offsets.empty();
  if (has_definition_file(location)) copy_local_definitions(copying(), location, own, offsets, local_recorded_);
  if (!times.any()) return;
  LocationClock clock(mapped ? offsets : location.offsets);
  lowest_ = std::min(lowest_, clock.at(times.lowest()));
  highest_ = std::max(highest_, clock.at(times.highest()));
}

std::string Rewriter::event_file(const Archive::Location& location) const {
  return (fs::path(folder_) / archive_.name() / (std::to_string(location.ref) + ".evt")).string();
}

bool Rewriter::retime_events(const Archive::Location& location, LocationTimes& times) const {
  // Without what this libotf2 does not know, as definitions are.
  if (archive_.layout().compressed() || archive_.oddities.unknown_records > 0 || options_.keep_original) return false;
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

GlobalChanges Rewriter::global_changes() const {
  return {lowest_,
          highest_,
          options_.raise,
          options_.keep_original ? std::optional(recorded_attribute()) : std::nullopt,
          first_of_provenance(),
          provenance_strings_};
}

}  // namespace

void rewrite(Archive& archive, formats::Corrections& corrections, const std::string& folder, const std::string& name,
             const RewriteOptions& options) {
  Rewriter(archive, corrections, folder, name, options).run();
}

}  // namespace clc::otf2
