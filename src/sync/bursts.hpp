// Measured round trips as data of the estimator, beside the messages of the program.
//
// Idea     Half a round trip is a message whose receiver waits. A burst of them gives what a window gives of messages,
//          the smallest delays in both directions, with the same error by the same formula, and holds in the bounds.
//          Bursts form pairs of their own: they tell of both directions also where the program has one, and have their
//          own constant error.
#pragma once

#include <vector>

#include "sync/observations.hpp"
#include "sync/samples.hpp"

namespace clc::sync {

/// samples: in any order; those that are impossible are left out.
[[nodiscard]] std::vector<Burst> bursts_of(const std::vector<Sample>& samples, const Zeros& zeros);

/// Both directions of each pair, with a minimum for each burst. bursts: as bursts_of makes them.
[[nodiscard]] std::vector<MeasuredPair> minima_of(const std::vector<Burst>& bursts, const std::vector<Curve>& curves,
                                                  const Windows& windows, const Windows& grid);

}  // namespace clc::sync
