// Measured offsets and round trips that messages contradict: of a fit to the messages alone, each offset claims where
// the common time is, and points.hpp judges the claims; a round trip must be possible within the bounds of its clocks.
//
// Cost     That of bounds.hpp, and O(points * log points) for the times when messages bind the clocks.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "sync/fit.hpp"

namespace clc::sync {

/// By how many times its stated error a point may be off: that may be a standard deviation.
inline constexpr double most_errors = 3;

/// Of each point. fit: without measured offsets.
[[nodiscard]] std::vector<bool> contradicted(const Fit& fit, const std::vector<GivenPoint>& points);

/// Round trips that are not used.
struct ContradictedTrips {
  std::uint64_t count = 0;
  std::set<ClockIndex> clocks;  ///< at both ends of these
};
/// Takes them out of bursts. fit: without round trips.
[[nodiscard]] ContradictedTrips take_contradicted(const Fit& fit, std::vector<Burst>& bursts);

}  // namespace clc::sync
