// An archive that is rewritten, for those who copy a part of it each: definitions, events, snapshots.
//
// Definitions  Each unchanged but for what depends on the new times: the span of the trace, clock offsets, numbers of
//              events; and those that the output has beyond.
// Events       By libotf2: where retime.hpp, which copies an event file byte by byte, cannot, or where events get their
//              recorded time as an attribute. In memory: a chunk of the events read and of those written.
// Snapshots    Their new times are asked for before events are corrected, so that snapshots are read twice.
// Errors       No exception may pass through libotf2: callbacks remember the first record that could not be written,
//              for which `check_copied` throws once libotf2 has returned.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clc/time.hpp"
#include "otf2/archive.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/library.hpp"
#include "otf2/times.hpp"

namespace clc::otf2 {

/// Remembers the first record that could not be written.
struct CopyOutcome {
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

struct Copying {
  Archive& archive;
  OTF2_Reader* reader;  ///< of the archive, a second time
  OTF2_Archive* writer;
  const std::string& name;  ///< of the output in messages

  /// Throws OutputError.
  void check_written(OTF2_ErrorCode result, const char* what) const { check_output(result, name, what); }
  /// After reading with callbacks that write. known_damage: it has been told that not all of it can be read. Throws
  /// InputError, OutputError.
  void check_copied(OTF2_ErrorCode result, const CopyOutcome& outcome, const std::string& where, const char* what,
                    bool known_damage = false) const {
    if (outcome.result != OTF2_SUCCESS)
      fail_output(name, "write a record of kind " + std::string(outcome.kind) + " of " + where, outcome.result);
    if (known_damage)
      static_cast<void>(take_complaint());
    else
      check_input(result, where, what);
  }
};

/// The definitions of a location. own_offsets: with the clock offsets in the archive. offsets: more of them. recorded:
/// the number of the attribute for recorded times, which becomes that in the location's events; undefined: it is not
/// wanted. Throws InputError, OutputError.
void copy_local_definitions(const Copying& copying, const Archive::Location& location, bool own_offsets,
                            const ClockOffsets& offsets, OTF2_AttributeRef& recorded);

/// What global definitions get.
struct GlobalChanges {
  std::int64_t lowest;                        ///< of all written times of events
  std::int64_t highest;                       ///< less than the lowest: there are none
  Ticks raise;                                ///< was added to all times
  std::optional<OTF2_AttributeRef> recorded;  ///< the attribute for recorded times, to be defined unless it is
  OTF2_StringRef first_string;                ///< the number of the first of these
  std::vector<std::string> strings;
};
/// The global definitions, once all locations are copied. Throws InputError, OutputError.
void copy_global_definitions(const Copying& copying, const GlobalChanges& changes);

/// The events of a location. recorded: the number of the attribute for recorded times in the location's events;
/// undefined: it is not wanted. Throws InputError, OutputError.
void copy_events(const Copying& copying, const Archive::Location& location, LocationTimes& times,
                 OTF2_AttributeRef recorded);

/// The snapshots of a location. asking: nothing is written, the times are asked for. whole: all of them could be read
/// before. False: not all of them can be read. Throws OutputError, and InputError without SourceOptions::keep_going.
[[nodiscard]] bool copy_snapshots(const Copying& copying, const Archive::Location& location, LocationTimes& times,
                                  bool asking, bool whole);

}  // namespace clc::otf2
