// Copies the events of a location with new times by libotf2: where retime.hpp, which copies an event file byte by byte,
// cannot, or where events get their recorded time as an attribute.
//
// Memory   What libotf2 holds: a chunk of the events read and of those written.
#pragma once

#include <otf2/otf2.h>

#include "otf2/copying.hpp"
#include "otf2/times.hpp"

namespace clc::otf2 {

/// recorded: the number of the attribute for recorded times in the location's events; undefined: it is not wanted.
/// Throws InputError, OutputError.
void copy_events(const Copying& copying, const Archive::Location& location, LocationTimes& times,
                 OTF2_AttributeRef recorded);

}  // namespace clc::otf2
