// Keeps of a trace what the estimator needs, in windows of time that grow with the trace.
//
// Place    Filled by the matcher, read by the estimator once, when the trace has ended; with look-ahead (sliding.hpp)
//          again and again, and what is old is forgotten. Several processes share one: divided_collector.hpp.
// Units    Ticks as recorded.
// Memory   Does not grow with the length of the trace: a limited number of windows, whose length doubles as the trace
//          grows, and about a limited number of points, limited in the same way.
// Results  Depend only on the sequence of edges.
// Source   clc-sync(1), "The method"
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sync/kept_edges.hpp"
#include "sync/origins.hpp"

namespace clc::sync {

struct CollectorLimits {
  std::int64_t windows = 1024;
  /// Total number of points: per clock, and at least.
  std::size_t points_each = 1536;
  std::size_t points_at_least = std::size_t{3} << 17;
  bool by_origins = true;  ///< false: windows are of recorded times, as those that are forgotten

  [[nodiscard]] std::size_t points(std::size_t clocks) const noexcept {
    return std::max(points_at_least, points_each * clocks);
  }
  /// Windows of that length are not doubled to save points: one on each side of 0 is left then.
  static constexpr unsigned longest_shift = 62;
};

class Collector {
 public:
  Collector() : Collector(CollectorLimits()) {}
  explicit Collector(const CollectorLimits& limits) : limits_(limits) {}
  /// Of what was collected elsewhere; nothing is added to it.
  Collector(KeptEdges kept, std::uint64_t edges) : kept_(std::move(kept)), edges_(edges) {}

  /// Is nothing to be told of this clock any more?
  [[nodiscard]] bool knows(ClockIndex clock) const noexcept { return !limits_.by_origins || origins_.knows(clock); }
  /// The first record of a clock, before its edges. Edges of clocks of which none was told are taken as recorded.
  void begin(ClockIndex clock, Time first, Resolution resolution) { origins_.begin(clock, first, resolution); }
  void add(const Edge& edge);
  /// group: operations of one group compete for a place in a window.
  void add(std::uint64_t group, Gathering gathering);

  /// Forgets the windows that end before a time, without origins. Edges stay counted.
  void forget_before(Time time);

  [[nodiscard]] std::uint64_t edges() const noexcept { return edges_; }
  /// By their clocks.
  [[nodiscard]] std::vector<Track> tracks() const;
  /// The same, one at a time: visit(from, to, points).
  void for_each_track(const std::function<void(ClockIndex, ClockIndex, const std::vector<Sighting>&)>& visit) const {
    kept_.for_each_track(visit);
  }
  [[nodiscard]] std::vector<Gathering> gatherings() const { return kept_.gatherings(); }

 private:
  /// Index of the window at a time. Doubles the length of windows until one contains the time.
  std::int64_t window_at(Time time);
  void double_windows();
  void limit_points();

  CollectorLimits limits_;
  Origins origins_;
  KeptEdges kept_;
  std::int64_t first_ = 0;
  std::int64_t last_ = -1;
  unsigned shift_ = 0;
  std::size_t clocks_ = 0;
  std::uint64_t edges_ = 0;
};

}  // namespace clc::sync
