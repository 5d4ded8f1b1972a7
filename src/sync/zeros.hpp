// Which readings of the clocks belong together, to about as much as the trace is long: from there on clocks are
// estimated.
//
// Place    Before the estimate.
// Method   A message that arrives before it was sent, by more than half of what the longest process lasts, shows that
//          one clock has another date: its zero is moved by as much as messages demand. Clocks that messages connect
//          have zeros relative to each other then. Groups of them without messages in between have no common time: if
//          they would be far apart, all of them begin at their zeros. Else all clocks have the same zero.
// Units    Ticks as recorded.
// Cost     One pass over what the collector has kept.
#pragma once

#include <vector>

#include "sync/collector.hpp"
#include "sync/samples.hpp"

namespace clc::sync {

class Records;

/// Clocks that differ by less have the same zero.
[[nodiscard]] Ticks near_ticks(const Records& records, std::size_t clocks, Resolution resolution);

/// Of each clock; not behind its first record.
[[nodiscard]] std::vector<Time> zeros_of(const Collector& collector, const Records& records, std::size_t clocks,
                                         Resolution resolution, const std::vector<Sample>& samples);

}  // namespace clc::sync
