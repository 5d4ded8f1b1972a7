// The plain reference of the order-free rules: the controlled logical clock with regulators B and C, the evidence
// against quartz clocks and the growth of cldiff by epochs, over a whole trace in memory.
//
// Epochs    Epoch n is the time from origin + n W on, W long: origin is the trace's first time, W a 16th of L_A, the
//           interval that the initial cldiff gives, in whole ticks, at least one.
// Cut K     All events with LC' in epochs up to K. LC' keeps the clock condition, so what an event depends on is in
//           each cut in which the event is.
// Rule      Let n be the epoch of max(LC' of the event before in its clock, C^ of the event), which is not after LC' of
//           the event. What regulator B requests for the event, the evidence against quartz clocks that it finds, and
//           the interval of its jump come from cut n - 2 alone. Regulator C compares LC' - C of the event before with
//           the larger one of its m of the cut and its m of the clock's own events. An event asks a cut if LC' - C of
//           the event before is above 0, or if it has a jump; only then the interval of its clock may grow. Other than
//           with one event at a time, nothing depends on the order in which events are processed.
// Written   from these definitions: sweeps over all clocks until nothing goes on; then the smallest n - 2 that a head
//           asks for is looked at, by a scan of all processed events.
#pragma once

#include <span>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/parameters.hpp"
#include "reference.hpp"

namespace clc::test {

/// Corrects a whole trace. per_event: what `reference` makes of it, for its edges in force and its counters.
[[nodiscard]] Reference epochs(const Parameters& parameters, const Definitions& definitions,
                               std::span<const Event> events, const Reference& per_event);

/// W in ticks.
[[nodiscard]] Ticks epoch_length(const Parameters& parameters, const Definitions& definitions);

}  // namespace clc::test
