// An OTF2 archive that is open for reading: its paths, its global definitions, and the locations of its
// ranks. Shared by the source, which reads its events, and the sink, which rewrites it.
//
// Shapes   A location is a process, with the same index as in `Definitions`.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/error.hpp"
#include "clc/hash.hpp"
#include "clc/io/format.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/inspect.hpp"
#include "otf2/library.hpp"
#include "otf2/number_tables.hpp"
#include "otf2/teams.hpp"

namespace clc {

namespace otf2 {

/// Collects communicators that were defined on the way, as lines of the text format.
using NewLines = std::vector<std::string>;

/// "%group NUMBER MEMBERS..."
[[nodiscard]] std::string group_line(const Definitions& definitions, const Communicator& communicator);

}  // namespace otf2

class Archive {
 public:
  struct Location {
    OTF2_LocationRef ref = 0;
    OTF2_LocationGroupRef group = OTF2_UNDEFINED_LOCATION_GROUP;  ///< of an accelerator: its creator's
    OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
    otf2::ClockOffsets offsets;        ///< empty when they are to be ignored
    bool event_file = false;           ///< there is one
    bool definition_file = false;      ///< there is one
    bool snapshot_file = false;        ///< there is one, in an archive with snapshots
    bool own_numbers = false;          ///< its events name definitions by numbers that tables map to global ones
    otf2::NumberTables numbers;        ///< these, as far as needed
    std::uint64_t bytes = 0;           ///< of the event file
    std::uint32_t threads = 0;         ///< in its location group
    std::uint64_t events_defined = 0;  ///< as the definition says; some recorders are wrong
    std::uint64_t events = 0;          ///< read
    std::uint64_t unknown = 0;         ///< of them of kinds that libotf2 does not know
    /// Events that can be read of a file that was cut off; nullopt: nothing is known of a cut.
    std::optional<std::uint64_t> before_cut;
    bool damaged = false;       ///< not all of it can be read
    bool communicates = false;  ///< takes part in a message or a collective operation, as far as read
  };

  /// Who talks to whom on a communicator.
  struct Ranks {
    enum class Kind : std::uint8_t { plain, self, inter };
    Kind kind = Kind::plain;
    CommunicatorIndex index = no_communicator;
    Members group;                                      ///< plain: members by rank; inter: group A
    Members remote;                                     ///< inter: group B
    std::shared_ptr<const std::vector<bool>> in_group;  ///< inter: by process
    bool threads = false;                               ///< of one process
  };

  /// path: the anchor file or its folder. Reads the global definitions and the definitions of all locations.
  /// Throws InputError.
  Archive(const std::string& path, const SourceOptions& options);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  [[nodiscard]] const std::string& anchor() const noexcept { return anchor_; }
  /// The anchor's name without folder and ".otf2".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const otf2::Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] Definitions& definitions() noexcept { return definitions_; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  [[nodiscard]] std::vector<Location>& locations() noexcept { return locations_; }
  [[nodiscard]] const std::vector<Location>& locations() const noexcept { return locations_; }
  [[nodiscard]] const Ranks* ranks(OTF2_CommRef communicator) const noexcept {
    // One and the same, mostly.
    return last_ranks_ != nullptr && communicator == last_communicator_ ? last_ranks_ : find_ranks(communicator);
  }
  [[nodiscard]] std::string_view region(OTF2_RegionRef region) const noexcept;
  /// Communicators that the archive implies; a new one is added to lines.
  /// A location alone, for MPI_COMM_SELF.
  CommunicatorIndex self_communicator(OTF2_CommRef communicator, ProcessIndex process, otf2::NewLines& lines);
  /// The first members of a team of threads.
  CommunicatorIndex team_communicator(OTF2_CommRef team, std::uint32_t size, otf2::NewLines& lines);
  /// All threads of a process, for their locks.
  CommunicatorIndex lock_communicator(OTF2_LocationGroupRef group, OTF2_Paradigm paradigm, otf2::NewLines& lines);
  /// Non-blocking operations on a communicator, by the order in which they were requested.
  CommunicatorIndex request_communicator(OTF2_CommRef communicator, std::uint64_t number, otf2::NewLines& lines);
  /// The members of the communicator of a window; no_communicator: it is not known.
  CommunicatorIndex window_communicator(OTF2_RmaWinRef window, otf2::NewLines& lines);
  /// A group that synchronizes on a window; no_communicator: it is not known, or lacks the process.
  CommunicatorIndex group_communicator(OTF2_RmaWinRef window, OTF2_GroupRef group, ProcessIndex process,
                                       otf2::NewLines& lines);
  /// Everybody on an inter-communicator, for what the first group sends to the second, or the other way round; who
  /// sends has the lower ranks.
  CommunicatorIndex direction_communicator(OTF2_CommRef communicator, bool first_sends, otf2::NewLines& lines);
  /// call: what reading calls before it adds a communicator. When it throws, rethrow does so, too.
  void on_definitions(std::function<void()> call) { before_change_ = std::move(call); }
  /// Behind a call of libotf2, which no exception may pass through.
  void rethrow() const {
    if (stopped_) [[unlikely]]
      std::rethrow_exception(stopped_);
  }
  /// Who a rank of a window is; no_process: nobody.
  [[nodiscard]] ProcessIndex window_rank(OTF2_RmaWinRef window, std::uint32_t rank) const noexcept;

  /// mu between threads of one process, ticks; 0: they do not order each other.
  [[nodiscard]] Ticks thread_delay() const noexcept { return thread_delay_; }
  [[nodiscard]] otf2::Teams& teams() noexcept { return teams_; }
  /// A region in which the threads of a team of that paradigm wait for each other.
  [[nodiscard]] bool is_thread_barrier(OTF2_RegionRef region, OTF2_Paradigm paradigm) const noexcept {
    return std::binary_search(thread_barriers_.begin(), thread_barriers_.end(), std::pair(region, paradigm));
  }
  /// MPI's calls for windows in which the group of the others is named: MPI_Win_post and start, complete, wait and
  /// test.
  enum class Epoch : std::uint8_t { none, begin, access_end, exposure_end };
  [[nodiscard]] Epoch epoch(OTF2_RegionRef region) const noexcept {
    const auto found = epochs_.find(region);
    return found == epochs_.end() ? Epoch::none : found->second;
  }
  [[nodiscard]] bool has_epochs() const noexcept { return !epochs_.empty(); }
  /// The members of a group where there are windows; null: they are not known.
  [[nodiscard]] const Members* window_group(OTF2_GroupRef group) const noexcept {
    const auto found = window_groups_.find(group);
    return found == window_groups_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] OTF2_Reader* reader() const noexcept { return reader_.get(); }
  /// Calls read. When it throws InputError, and the rest is to be delivered all the same, keeps that in faults and
  /// returns false.
  template <class Read>
  bool readable(Read read) {
    try {
      read();
      return true;
    } catch (const InputError& error) {
      if (!keep_going_) throw;
      faults.emplace_back(error.what());
      static_cast<void>(otf2::take_complaint());
      return false;
    }
  }
  /// Reads all of a part of the archive that is no events, or what stands ahead of the place where its file was cut
  /// off. reader: of this archive.
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
  [[nodiscard]] bool keep_going() const noexcept { return keep_going_; }
  /// Of archives that this program wrote: where they say more than OTF2 does.
  struct Own {
    OTF2_ParameterRef record = OTF2_UNDEFINED_PARAMETER;
    OTF2_AttributeRef fields = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef tag = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef overtakes = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef recorded = OTF2_UNDEFINED_ATTRIBUTE;
    bool attributes = false;  ///< any of them is defined
    bool peers = false;       ///< messages without a peer are meant so
  };
  [[nodiscard]] const Own& own() const noexcept { return own_; }
  /// Numbers beyond those of its strings and attributes; undefined: there are none.
  [[nodiscard]] OTF2_StringRef free_string() const noexcept { return free_string_; }
  [[nodiscard]] OTF2_AttributeRef free_attribute() const noexcept { return free_attribute_; }
  /// A string of the archive, for what `own` speaks of.
  [[nodiscard]] std::string_view text(OTF2_StringRef ref) const noexcept;
  /// Lines that stood ahead of the first record, and of provenance.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }
  /// Times in the file are higher by a shift that makes none negative.
  [[nodiscard]] Time in_trace(std::int64_t time) const noexcept { return Time(time - shift_); }
  [[nodiscard]] std::int64_t in_file(Time time) const noexcept {
    std::int64_t sum = 0;
    return __builtin_add_overflow(time.ticks(), shift_, &sum) ? ticks_max : sum;
  }
  /// Frees what libotf2 holds for reading.
  void close_reader() noexcept { reader_.reset(); }

  /// "run/traces.otf2: location 3"
  [[nodiscard]] std::string name_of(const Location& location) const;
  /// "run/traces/3.evt"
  [[nodiscard]] std::string file_of(const Location& location, const char* extension) const;
  /// "run/traces.def"
  [[nodiscard]] std::string file_of(const char* extension) const;
  /// A file that need not be there.
  [[nodiscard]] bool has_markers() const noexcept { return has_markers_; }
  /// The folder of the files of locations, which need not be there either.
  [[nodiscard]] bool has_folder() const;

  std::uint64_t unknown_communicators = 0;  ///< events that name one, or a rank that it does not have
  std::uint64_t unknown_records = 0;        ///< events that libotf2 does not know
  std::set<unsigned> unknown_kinds;         ///< of them, as far as their files tell
  std::uint64_t unknown_definitions = 0;    ///< definitions that libotf2 does not know
  std::set<unsigned> unknown_global_kinds;  ///< of them, as far as their files tell
  std::set<unsigned> unknown_local_kinds;   ///< the same, in the files of locations; they count by themselves
  std::uint64_t unknown_operations = 0;     ///< ends of collective operations of kinds that are not known here
  std::uint64_t one_sided = 0;              ///< events of one-sided communication that order nothing
  std::uint64_t late_receives = 0;          ///< ended too long after one of their channel that was posted later
  std::uint64_t uneven_regions = 0;         ///< threads entered a team of which members have different regions
  std::uint64_t uneven_barriers = 0;        ///< of threads, in regions in which others have more or fewer
  std::uint64_t moved = 0;                  ///< events whose times decreased
  std::uint64_t below_zero = 0;             ///< events with times before 0 by their clock offsets
  std::uint64_t wrong_counts = 0;           ///< locations with other numbers of events than defined
  std::vector<std::string> oddities;        ///< of the definitions
  bool damaged = false;                     ///< reading has failed
  bool converted = false;                   ///< read to be written in another format
  bool group_lines = true;                  ///< SourceOptions::group_lines
  /// What cannot be read, where the rest is to be delivered all the same.
  std::vector<std::string> faults;
  bool definitions_damaged = false;  ///< the global ones: not all could be read

 private:
  struct Loader;
  void find_files();
  void read_local_definitions(bool use_clock_offsets);
  /// A communicator that the archive does not name; members() says whom it has when it is asked for first.
  template <class Members>
  CommunicatorIndex derived(std::uint64_t number, Members members, Ticks min_delay, otf2::NewLines& lines);
  [[nodiscard]] const Ranks* find_ranks(OTF2_CommRef communicator) const noexcept;
  void read_own_properties();
  [[nodiscard]] std::optional<std::string> property(const char* name) const;

  std::string anchor_;
  std::string name_;
  otf2::Layout layout_;
  Definitions definitions_;
  std::vector<Location> locations_;
  HashMap<OTF2_CommRef, Ranks> ranks_;
  mutable OTF2_CommRef last_communicator_ = OTF2_UNDEFINED_COMM;
  mutable const Ranks* last_ranks_ = nullptr;
  HashMap<OTF2_RegionRef, const std::string*> regions_;  ///< in texts_
  HashMap<std::uint64_t, CommunicatorIndex> derived_;    ///< by number
  HashMap<OTF2_RmaWinRef, OTF2_CommRef> windows_;
  HashMap<OTF2_GroupRef, Members> window_groups_;                          ///< when there are windows
  HashMap<OTF2_RegionRef, Epoch> epochs_;                                  ///< when there are windows
  std::vector<std::pair<OTF2_RegionRef, OTF2_Paradigm>> thread_barriers_;  ///< sorted
  otf2::Teams teams_;
  bool keep_going_ = false;
  bool has_markers_ = false;
  std::function<void()> before_change_;  ///< of the definitions
  std::exception_ptr stopped_;           ///< what that threw
  ClockOf clock_of_ = ClockOf::process;
  double thread_delay_us_ = 0;
  Ticks thread_delay_ = 0;
  Own own_;
  OTF2_StringRef free_string_ = 0;
  OTF2_AttributeRef free_attribute_ = 0;
  HashMap<OTF2_StringRef, std::string> texts_;
  std::vector<std::string> notes_;
  std::int64_t shift_ = 0;
  otf2::ReaderHandle reader_;
};

namespace otf2 {

/// Reads the events of all locations as one stream sorted by time.
[[nodiscard]] std::unique_ptr<Source> archive_source(std::shared_ptr<Archive> archive, bool bodies);
/// Writes the archive that the events come from with their corrected times.
[[nodiscard]] std::unique_ptr<Sink> archive_sink(const std::string& path, const SinkOptions& options);
/// Writes an archive of records of any other format.
[[nodiscard]] std::unique_ptr<Sink> new_archive_sink(const std::string& path, const Definitions& definitions,
                                                     const SinkOptions& options);
/// "libotf2 3.0.2"
[[nodiscard]] std::string library_version();

}  // namespace otf2

}  // namespace clc
