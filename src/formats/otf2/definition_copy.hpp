// Copies the definitions of an archive that is rewritten, each unchanged but for what depends on the new times: the
// span of the trace, clock offsets, numbers of events; and adds those that the output has beyond.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clc/time.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/copying.hpp"

namespace clc::otf2 {

/// Those of a location. own_offsets: with the clock offsets in the archive. offsets: more of them. recorded: the number
/// of the attribute for recorded times, which becomes that in the location's events; undefined: it is not wanted.
/// Throws InputError, OutputError.
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
/// The global ones, once all locations are copied. Throws InputError, OutputError.
void copy_global_definitions(const Copying& copying, const GlobalChanges& changes);

}  // namespace clc::otf2
