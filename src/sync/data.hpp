// The data of the first pass as the estimator takes them: zeros of the clocks, and all that was seen, in seconds.
//
// Place    Made once. In how many windows it is fitted then is the choice of estimate.cpp.
// Units    Seconds, from the zero of each clock.
// Cost     Memory: 16 bytes for each point that the collector has kept.
#pragma once

#include <vector>

#include "sync/estimate.hpp"
#include "sync/stretch.hpp"

namespace clc::sync {

struct Data {
  /// stretch: null: the whole trace. All but the collector and the samples must outlive this.
  Data(const Collector& collector, const Records& records, std::size_t clocks, Resolution resolution,
       const Options& options, const Stretch* stretch, const std::vector<Sample>& samples);
  /// Measured offsets, of two clocks at least; once, at most. bias_scale: from messages alone.
  void add(const std::vector<GivenPoint>& points, double bias_scale);

  const Records& records;
  Resolution resolution;
  const Options& options;
  const Stretch* stretch;
  Zeros zeros;
  Seen seen;
};

}  // namespace clc::sync
