// An OTF2 archive that is open for reading: its paths, its global definitions, and the locations of its
// ranks. Shared by the source, which reads its events, and the sink, which rewrites it.
//
// Shapes   A location is a process, with the same index as in `Definitions`.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/error.hpp"
#include "clc/io/format.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/communicators.hpp"
#include "otf2/inspect.hpp"
#include "otf2/library.hpp"
#include "otf2/number_tables.hpp"
#include "otf2/regions.hpp"
#include "otf2/teams.hpp"
#include "otf2/texts.hpp"

namespace clc {

class Archive {
 public:
  struct Location {
    // In an order that wastes no room: there may be very many.
    OTF2_LocationRef ref = 0;
    OTF2_LocationGroupRef group = OTF2_UNDEFINED_LOCATION_GROUP;          ///< of an accelerator: its creator's
    OTF2_LocationGroupRef defined_group = OTF2_UNDEFINED_LOCATION_GROUP;  ///< its own
    otf2::ClockOffsets offsets;                                           ///< empty when they are to be ignored
    /// From the numbers of definitions that its events use to those of the archive; null: these are the same.
    std::unique_ptr<otf2::NumberTables> numbers;
    std::uint64_t bytes = 0;           ///< of the event file
    std::uint64_t events_defined = 0;  ///< according to the definition, which some recorders write wrongly
    std::uint64_t events = 0;          ///< read
    std::uint64_t unknown = 0;         ///< those of kinds that libotf2 does not know
    /// Readable events of a truncated file; nullopt: the file is not known to be truncated.
    std::optional<std::uint64_t> before_cut;
    std::uint32_t threads = 0;  ///< in its location group
    OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
    bool event_file = false;       ///< there is one
    bool definition_file = false;  ///< there is one
    bool snapshot_file = false;    ///< there is one, in an archive with snapshots
    bool damaged = false;          ///< it cannot be read completely
    bool communicates = false;     ///< takes part in a message or a collective operation, as far as read
  };

  /// Which locations, by index; empty: all.
  using Chosen = std::vector<bool>;
  /// Reads the global definitions, and no more.
  struct GlobalOnly {};

  /// path: the anchor file or its folder. Reads the global definitions and the definitions of all locations.
  /// Throws InputError.
  Archive(const std::string& path, const SourceOptions& options);
  /// To be followed by `find_files`, `expect_definition_files` and `read_local_definitions`, in this order.
  Archive(const std::string& path, const SourceOptions& options, GlobalOnly);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Which files the chosen locations have. Throws InputError if one without an event file has events.
  void find_files(const Chosen& chosen);
  /// What `find_files` found of all locations is known: if any has a definition file, the chosen ones with events must
  /// have one. Throws InputError.
  void expect_definition_files(const Chosen& chosen);
  /// Of the chosen locations.
  void read_local_definitions(const Chosen& chosen, bool use_clock_offsets);
  /// Counts chosen locations whose clock offsets are not those of the first location with events of their process and
  /// clock.
  void compare_offsets(const Chosen& chosen);

  [[nodiscard]] const std::string& anchor() const noexcept { return anchor_; }
  /// The anchor's name without folder and ".otf2".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const otf2::Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] Definitions& definitions() noexcept { return definitions_; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  [[nodiscard]] std::vector<Location>& locations() noexcept { return locations_; }
  [[nodiscard]] const std::vector<Location>& locations() const noexcept { return locations_; }
  /// The location under which the messages and operations of a location count: that of the rank of its process, in
  /// programs whose threads call MPI, else its own.
  [[nodiscard]] ProcessIndex rank_location(ProcessIndex location) const noexcept {
    return rank_locations_.empty() ? location : rank_locations_[location];
  }
  [[nodiscard]] otf2::Communicators& communicators() noexcept { return communicators_; }
  [[nodiscard]] const otf2::Communicators& communicators() const noexcept { return communicators_; }
  [[nodiscard]] const otf2::Regions& regions() const noexcept { return regions_; }
  /// mu between threads of one process, ticks; 0: no edges between threads.
  [[nodiscard]] Ticks thread_delay() const noexcept { return thread_delay_; }
  [[nodiscard]] otf2::Teams& teams() noexcept { return teams_; }
  [[nodiscard]] OTF2_Reader* reader() const noexcept { return reader_.get(); }
  /// Calls read. If it throws InputError with SourceOptions::keep_going, stores the error in faults and returns false;
  /// else the error names that option.
  template <class Read>
  bool readable(Read read) {
    try {
      read();
      return true;
    } catch (const InputError& error) {
      if (!given_.keep_going) otf2::fail_without_keep_going(error);
      faults.emplace_back(error.what());
      static_cast<void>(otf2::take_complaint());
      return false;
    }
  }
  /// Reads a part of the archive other than events, completely or up to the point where its file was truncated. reader:
  /// of this archive.
  template <class From>
  OTF2_ErrorCode read_part(OTF2_Reader* reader, From* from, OTF2_ErrorCode (*all)(OTF2_Reader*, From*, std::uint64_t*),
                           OTF2_ErrorCode (*some)(OTF2_Reader*, From*, std::uint64_t, std::uint64_t*),
                           const std::string& file, otf2::Part part) const {
    std::uint64_t count = 0;
    const auto before_cut = otf2::records_before_cut(file, layout_, part);
    if (!before_cut) return all(reader, from, &count);
    const OTF2_ErrorCode result = *before_cut == 0 ? OTF2_SUCCESS : some(reader, from, *before_cut, &count);
    return result == OTF2_SUCCESS ? otf2::cut_off : result;
  }
  [[nodiscard]] bool keep_going() const noexcept { return given_.keep_going; }
  /// Additions to OTF2 in archives that this program wrote.
  struct Own {
    OTF2_ParameterRef record = OTF2_UNDEFINED_PARAMETER;
    OTF2_AttributeRef fields = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef tag = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef overtakes = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef recorded = OTF2_UNDEFINED_ATTRIBUTE;
    bool attributes = false;  ///< any of the attributes is defined
    bool peers = false;       ///< messages without a peer are intended
  };
  [[nodiscard]] const Own& own() const noexcept { return own_; }
  /// Unused numbers for strings and attributes; undefined: there are none.
  [[nodiscard]] OTF2_StringRef free_string() const noexcept { return free_.string; }
  [[nodiscard]] OTF2_AttributeRef free_attribute() const noexcept { return free_.attribute; }
  /// A string of the archive, for `own`.
  [[nodiscard]] std::string_view text(OTF2_StringRef ref) const noexcept;
  /// Notes before the first record, and lines of provenance.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }
  /// The amount by which all times in the file were raised to avoid negative ones.
  [[nodiscard]] Time in_trace(std::int64_t time) const noexcept { return Time(time - shift_); }
  [[nodiscard]] std::int64_t in_file(Time time) const noexcept {
    std::int64_t sum = 0;
    return __builtin_add_overflow(time.ticks(), shift_, &sum) ? ticks_max : sum;
  }
  /// Frees the memory of libotf2 for reading.
  void close_reader() noexcept { reader_.reset(); }

  /// "run/traces.otf2: location 3"
  [[nodiscard]] std::string name_of(const Location& location) const;
  /// "run/traces/3.evt"
  [[nodiscard]] std::string file_of(const Location& location, const char* extension) const;
  /// "run/traces.def"
  [[nodiscard]] std::string file_of(const char* extension) const;
  /// An optional file.
  [[nodiscard]] bool has_markers() const noexcept { return has_markers_; }
  /// The folder of the files of locations, which is optional, too.
  [[nodiscard]] bool has_folder() const;

  /// Unusual events and definitions, for warnings.
  struct Oddities {
    std::uint64_t unknown_communicators = 0;  ///< events that name an unknown communicator or rank
    std::uint64_t unknown_records = 0;        ///< events that libotf2 does not know
    std::set<unsigned> unknown_kinds;         ///< their kinds, if the files show them
    std::uint64_t unknown_definitions = 0;    ///< definitions that libotf2 does not know
    std::set<unsigned> unknown_global_kinds;  ///< their kinds, if the files show them
    std::set<unsigned> unknown_local_kinds;   ///< the same for the files of locations, which have numbers of their own
    std::uint64_t unknown_operations = 0;     ///< ends of collective operations of unknown kinds
    std::uint64_t one_sided = 0;              ///< events of one-sided communication without edges
    std::uint64_t late_receives = 0;          ///< completed too long after one of their channel that was posted later
    std::uint64_t uneven_regions = 0;         ///< times a thread entered a team whose members have different regions
    std::uint64_t uneven_barriers = 0;        ///< barriers of threads in regions where members have different numbers
    std::uint64_t below_zero = 0;             ///< events with negative times because of clock offsets
    std::uint64_t unlike_offsets = 0;         ///< locations whose clock has other offsets in another location
    /// The first of them, and that other one.
    std::pair<ProcessIndex, ProcessIndex> first_unlike{no_process, no_process};
    std::uint64_t wrong_counts = 0;           ///< locations whose number of events differs from the definition
    std::vector<std::string> in_definitions;  ///< faults of the definitions
  };
  Oddities oddities;
  bool damaged = false;     ///< reading has failed
  bool converted = false;   ///< will be written in another format
  bool group_lines = true;  ///< SourceOptions::group_lines
  /// Unreadable parts, if the rest is to be delivered.
  std::vector<std::string> faults;
  bool definitions_damaged = false;  ///< the global definitions could not be read completely

 private:
  struct Loader;
  void find_files(Location& location, bool snapshots);
  void read_own_properties();
  void count_memory();

  std::string anchor_;
  std::string name_;
  otf2::Layout layout_;
  Definitions definitions_;
  std::vector<Location> locations_;
  otf2::Communicators communicators_{*this};
  std::vector<ProcessIndex> rank_locations_;  ///< by location; empty: each is its own
  otf2::Regions regions_;                     ///< names: in texts_
  otf2::Teams teams_;
  bool has_markers_ = false;
  /// SourceOptions of these names.
  struct Given {
    bool keep_going = false;
    ClockOf clock_of = ClockOf::process;
    double thread_delay_us = 0;
  };
  Given given_;
  Ticks thread_delay_ = 0;
  Own own_;
  struct FreeNumbers {
    OTF2_StringRef string = 0;
    OTF2_AttributeRef attribute = 0;
  };
  FreeNumbers free_;
  otf2::Texts texts_;
  std::vector<std::string> notes_;
  std::int64_t shift_ = 0;
  otf2::ReaderHandle reader_;
};

namespace otf2 {

/// Reads the events of all locations as one stream sorted by time.
[[nodiscard]] std::unique_ptr<Source> archive_source(std::shared_ptr<Archive> archive, bool bodies);
/// What was odd in the archive, as far as it was read.
[[nodiscard]] std::vector<std::string> warnings_of(const Archive& archive);
[[nodiscard]] std::vector<std::string> remarks_of(const Archive& archive);
/// Rewrites the archive that the events come from, with their corrected times.
[[nodiscard]] std::unique_ptr<Sink> archive_sink(const std::string& path, const SinkOptions& options);
/// Writes a new archive of records from any other format.
[[nodiscard]] std::unique_ptr<Sink> new_archive_sink(const std::string& path, const Definitions& definitions,
                                                     const SinkOptions& options);
/// "libotf2 3.0.2"
[[nodiscard]] std::string library_version();

}  // namespace otf2

}  // namespace clc
