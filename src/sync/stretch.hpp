// A stretch of a trace that is estimated by itself, as a continuation of earlier ones.
//
// Place    Called by the estimator in one pass, sliding.hpp. Methods line and smooth.
// Steps    Those of estimate.hpp, with the usual windows, and without the messages of pairs that are matched wrongly.
// Units    Seconds of mapped time.
// Cost     That of one fit.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sync/estimate.hpp"
#include "sync/wrong_pairs.hpp"

namespace clc::sync {

/// Offsets of all clocks at a moment, x in curve.hpp.
struct Moment {
  double time = 0;              ///< mapped, in seconds
  std::vector<double> offsets;  ///< of each clock, in seconds; not a number: not known
};

struct Stretch {
  Time zero;                          ///< of times in seconds
  Time begun_by;                      ///< clocks that begin later are left out: lines through few messages may be any
  std::uint64_t edges = 0;            ///< in the stretch
  std::size_t windows = 1;            ///< at most
  bool rates = false;                 ///< they are known to be significant
  std::vector<Moment> known;          ///< already fixed; the last two enter with the weight of four observations
  std::vector<double> moments;        ///< to be estimated: mapped times, in seconds
  std::map<ClockPair, double> trips;  ///< the shortest round trips of earlier stretches
};

struct StretchEstimate {
  std::vector<Moment> moments;                     ///< those wanted
  std::vector<std::uint32_t> groups;               ///< of each clock; Groups::none: it is not known
  WrongPairs wrong;                                ///< whose messages are not used
  std::map<ClockPair, double> trips;               ///< up to here
  std::vector<double> begins;                      ///< mapped times of the first records, in seconds; as the moments
  bool rates = false;                              ///< as in Estimate
  bool applied = false;                            ///< as in Estimate
  std::vector<std::pair<ClockIndex, Time>> steps;  ///< when clocks were first set, as in ClockEstimate
};

/// collector: holds the messages of the stretch. records: all up to its end.
[[nodiscard]] StretchEstimate estimate(const Collector& collector, const Records& records, std::size_t clocks,
                                       Resolution resolution, const Options& options, const Stretch& stretch);

}  // namespace clc::sync
