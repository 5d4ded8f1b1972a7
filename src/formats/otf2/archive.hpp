// An OTF2 archive that is open for reading: where it is, what its global definitions say, how its ranks lead
// to locations. Shared by the source, which reads its events, and the sink, which writes it again.
//
// Shapes   A location is a process, with the same index as in `Definitions`.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/format.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/library.hpp"

namespace clc {

class Archive {
 public:
  struct Location {
    OTF2_LocationRef ref = 0;
    OTF2_LocationGroupRef group = OTF2_UNDEFINED_LOCATION_GROUP;  ///< of an accelerator: its creator's
    OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
    otf2::ClockOffsets offsets;        ///< empty when they are to be ignored
    bool event_file = false;           ///< there is one
    bool definition_file = false;      ///< there is one
    std::uint64_t bytes = 0;           ///< of the event file
    std::uint64_t events_defined = 0;  ///< as the definition says; some recorders are wrong
    std::uint64_t events = 0;          ///< read
    bool communicates = false;         ///< takes part in a message or a collective operation, as far as read
  };

  /// Who talks to whom on a communicator.
  struct Ranks {
    enum class Kind : std::uint8_t { plain, self, inter };
    Kind kind = Kind::plain;
    CommunicatorIndex index = no_communicator;
    std::vector<ProcessIndex> group;   ///< plain: members by rank; inter: group A
    std::vector<ProcessIndex> remote;  ///< inter: group B
  };

  /// path: the anchor file or its folder. Reads the global definitions and the definitions of all locations.
  /// Throws InputError.
  Archive(const std::string& path, bool use_clock_offsets);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  [[nodiscard]] const std::string& anchor() const noexcept { return anchor_; }
  /// The anchor's name without folder and ".otf2".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Definitions& definitions() noexcept { return definitions_; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  [[nodiscard]] std::vector<Location>& locations() noexcept { return locations_; }
  [[nodiscard]] const std::vector<Location>& locations() const noexcept { return locations_; }
  [[nodiscard]] const Ranks* ranks(OTF2_CommRef communicator) const noexcept;
  [[nodiscard]] std::string_view region(OTF2_RegionRef region) const noexcept;
  /// The communicator of a location alone, for MPI_COMM_SELF; `fresh` is set when it has just been defined.
  CommunicatorIndex self_communicator(OTF2_CommRef communicator, ProcessIndex process, bool& fresh);
  [[nodiscard]] OTF2_Reader* reader() const noexcept { return reader_.get(); }
  /// Of archives that this program wrote: where they say more than OTF2 does.
  struct Own {
    OTF2_ParameterRef record = OTF2_UNDEFINED_PARAMETER;
    OTF2_AttributeRef fields = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef tag = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_AttributeRef recorded = OTF2_UNDEFINED_ATTRIBUTE;
    bool attributes = false;  ///< any of the three is defined
    bool peers = false;       ///< messages without a peer are meant so
  };
  [[nodiscard]] const Own& own() const noexcept { return own_; }
  /// A string of the archive, for what `own` speaks of.
  [[nodiscard]] std::string_view text(OTF2_StringRef ref) const noexcept;
  /// Lines that stood ahead of the first record.
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

  std::uint64_t unknown_communicators = 0;  ///< events that name one, or a rank that it does not have
  std::uint64_t unknown_records = 0;        ///< events that libotf2 does not know
  std::uint64_t unknown_definitions = 0;    ///< definitions that libotf2 does not know
  std::uint64_t between_groups = 0;         ///< collective operations on inter-communicators
  std::uint64_t moved = 0;                  ///< events whose times decreased
  std::uint64_t wrong_counts = 0;           ///< locations with other numbers of events than defined
  std::vector<std::string> oddities;        ///< of the definitions
  bool damaged = false;                     ///< reading has failed

 private:
  struct Loader;
  void read_local_definitions(bool use_clock_offsets);
  void read_own_properties();
  [[nodiscard]] std::optional<std::string> property(const char* name) const;

  std::string anchor_;
  std::string name_;
  Definitions definitions_;
  std::vector<Location> locations_;
  std::unordered_map<OTF2_CommRef, Ranks> ranks_;
  mutable OTF2_CommRef last_communicator_ = OTF2_UNDEFINED_COMM;
  mutable const Ranks* last_ranks_ = nullptr;
  std::unordered_map<OTF2_RegionRef, std::string> regions_;
  std::unordered_map<std::uint64_t, CommunicatorIndex> self_;
  Own own_;
  std::unordered_map<OTF2_StringRef, std::string> texts_;
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
