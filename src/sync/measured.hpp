// Clocks mapped by measured offsets: bursts of round trips between a process and a reference, before and after the
// program or in between.
//
// Sample   The reference sends at T1, the process receives at T2, answers at T3, and the reference receives at T4; T1
//          and T4 are times of the reference, T2 and T3 of the process. Reference minus process is
//          ((T1 - T2) + (T4 - T3))/2, with an error of at most half the round trip (T4 - T1) - (T3 - T2), less the
//          minimum delay [MT95; R 3.4, 7.2].
// Burst    Samples of a process with pauses of at most 100 ms. Each burst gives a point; the map is linear between
//          points [R 5.5]. A single burst gives a constant, of which nothing is proven at other times.
// Units    Ticks as recorded.
#pragma once

#include <vector>

#include "sync/estimate.hpp"
#include "sync/samples.hpp"
#include "trace/offsets.hpp"

namespace clc::sync {

/// A burst, evaluated.
struct BurstPoint {
  OffsetPoint offset;  ///< reference minus clock, at a time of the clock
  double error = 0;    ///< at most
};

/// samples: of one burst, usable, at least one.
[[nodiscard]] BurstPoint evaluate(const std::vector<Sample>& samples, BurstRule rule, double min_delay,
                                  Resolution resolution);

/// The map of each clock to the time of its reference. A reference may itself have been measured against another;
/// errors then add up, that of the reference at the time of the burst. collector, records: of the trace's messages, for
/// the violations before and after.
[[nodiscard]] Estimate map_measured(const Measurements& measurements, const Collector& collector,
                                    const Records& records, std::size_t clocks, Resolution resolution,
                                    const Options& options);

}  // namespace clc::sync
