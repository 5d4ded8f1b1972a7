// Observations of the offset between two clocks: one for each pair and window, with its error.
//
// Place    Computed from the smallest mapped delays of each window, again after each improvement of the maps.
// Units    Seconds.
// Source   clc-sync(1), "The method":  U = min d(k->i), V = min d(i->k), H = U + V;  y_i - y_k + b_p = (U - V)/2 +- s.
//          The truth may lie anywhere in the slack H - Hmin: s >= 0.29 (H - Hmin), 0.29 = 1/sqrt 12. b_p is the
//          constant error of the pair. If one direction is missing, or only one side ever waited, its delay is assumed
//          to be half the shortest round trip of such pairs; so it is in a window in which only one side waited, with
//          an error as large as the slack of windows in which both do.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sync/curve.hpp"

namespace clc::sync {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Observation {
  double time = 0;      ///< mapped
  double value = 0;     ///< y_i - y_k + b_p
  double variance = 0;  ///< s^2
  std::size_t window = 0;
};

enum class Kind : std::uint8_t { both_ways, one_way, never_waited };

/// An unordered pair: value is of clock `high` against clock `low`.
struct Pair {
  ClockIndex low = 0;
  ClockIndex high = 0;
  Kind kind = Kind::both_ways;
  double bias_sd = 0;     ///< prior of b_p
  double round_trip = 0;  ///< the floor hc of its class
  std::vector<Observation> observations;
  bool assumed = false;   ///< nothing tells how long its messages take
  bool measured = false;  ///< not by messages: by bursts of round trips, or
  bool stated = false;    ///< by measured offsets with an error of their own; round_trip has no meaning

  /// The clock is the common time of measured offsets.
  double most_bias = HUGE_VAL;  ///< what a known minimum delay leaves of b_p
  double rounding = 0;          ///< variance of an observation by the ticks of the two clocks

  [[nodiscard]] bool is_exact() const noexcept { return stated && bias_sd == 0; }
};

/// Smallest mapped delay of an ordered pair in a window.
struct Minimum {
  double time = 0;
  double delay = 0;
  std::uint32_t window = 0;
  bool waited = false;
};

struct Direction {
  ClockIndex from = 0;
  ClockIndex to = 0;
  std::vector<Minimum> minima;  ///< by window, those with a point
};

/// A pair with bursts: the minima of both directions, one for each burst.
struct MeasuredPair {
  Direction up;    ///< low -> high
  Direction down;  ///< high -> low
};

/// The minima of each series in the windows. grid: that of the curves' knots.
[[nodiscard]] std::vector<Direction> minima_of(const std::vector<Series>& series, const std::vector<Curve>& curves,
                                               const Windows& windows, const Windows& grid);

/// node: of each clock, as far as they are known.
[[nodiscard]] bool same_node(ClockIndex a, ClockIndex b, const std::vector<std::uint32_t>& node);

/// directions: by from and to. First the pairs with messages, then those with bursts; a pair may be among both.
[[nodiscard]] std::vector<Pair> observe(const std::vector<Direction>& directions,
                                        const std::vector<MeasuredPair>& measured, const Seen& seen);

/// The standard deviation that a quarter of the observations does not exceed; 0: there are none.
[[nodiscard]] double good_error(const std::vector<Pair>& pairs);

}  // namespace clc::sync
