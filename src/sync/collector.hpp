// The data that the first pass keeps of a trace: the hull of delays for each ordered pair of clocks and each window of
// time, and the binding collective operations.
//
// Place    Filled by the matcher, read by the estimator once, when the trace has ended; with look-ahead (sliding.hpp)
//          again and again, and what is old is forgotten.
// Units    Ticks as recorded.
// Memory   Does not grow with the length of the trace: at most `most_windows` windows, whose length doubles as the
//          trace grows, and about `most_kept` points, limited in the same way.
// Results  Depend only on the sequence of edges.
// Source   estimation A.3.2
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sync/hull.hpp"
#include "trace/flat_map.hpp"

namespace clc::sync {

/// A clock, from 0 without gaps.
using ClockIndex = std::uint32_t;

/// A message, or an ordered pair of a collective operation.
struct Edge {
  ClockIndex from = 0;
  ClockIndex to = 0;
  Sighting times;
};

/// A collective operation in which ends wait for the latest begin. The best map of the clocks decides which begin was
/// the latest.
struct Gathering {
  struct Member {
    ClockIndex clock = 0;
    Time begin;
    Time end;
    bool tail = false;  ///< its begin comes before the ends of heads
    bool head = false;
  };
  std::vector<Member> members;
};

/// All points of one ordered pair of clocks, by their middle.
struct Track {
  ClockIndex from = 0;
  ClockIndex to = 0;
  std::vector<Sighting> points;
};

class Collector {
 public:
  static constexpr std::int64_t most_windows = 1024;
  /// Total number of points: per clock, and at least.
  static constexpr std::size_t kept_each = 1536;
  static constexpr std::size_t kept_at_least = std::size_t{3} << 17;
  /// Collective operations of a group in a window.
  static constexpr std::size_t most_gatherings = 8;

  explicit Collector(std::int64_t windows = most_windows) : windows_(windows) {}

  void add(const Edge& edge);
  /// group: operations of one group compete for a place in a window.
  void add(std::uint32_t group, Gathering gathering);

  /// Forgets the windows that end before a time. Edges stay counted.
  void forget_before(Time time);

  [[nodiscard]] std::uint64_t edges() const noexcept { return edges_; }
  /// By their clocks.
  [[nodiscard]] std::vector<Track> tracks() const;
  /// The same, one at a time: visit(from, to, points).
  void for_each_track(const std::function<void(ClockIndex, ClockIndex, const std::vector<Sighting>&)>& visit) const;
  [[nodiscard]] std::vector<Gathering> gatherings() const;

 private:
  struct Pair {
    ClockIndex from;
    ClockIndex to;
    Hulls hulls;
  };
  struct Slot {
    std::uint32_t group;
    std::int64_t window;
    ClockIndex latest;  ///< the clock that most likely came last
    friend auto operator<=>(const Slot&, const Slot&) = default;
  };
  struct Kept {
    Ticks slack;  ///< the smaller, the tighter it binds
    Gathering gathering;
  };

  static constexpr std::size_t recent_pairs = 4096;

  [[nodiscard]] static std::uint64_t key_of(ClockIndex from, ClockIndex to) noexcept {
    return std::uint64_t{from} << 32 | to;
  }
  [[nodiscard]] Pair& pair_of(ClockIndex from, ClockIndex to);
  /// Index of the window at a time. Doubles the length of windows until one contains the time.
  std::int64_t window_at(Time time);
  void double_windows();
  void keep(const Slot& slot, Kept kept);

  std::int64_t windows_;  ///< most of them
  std::vector<Pair> pairs_;
  FlatMap<std::uint64_t, std::uint32_t> places_;      ///< of pairs, by both clocks
  std::array<std::uint32_t, recent_pairs> recent_{};  ///< places of pairs that may come again
  std::map<Slot, Kept> gatherings_;
  std::int64_t first_ = 0;
  std::int64_t last_ = -1;
  unsigned shift_ = 0;
  std::size_t kept_ = 0;
  std::size_t clocks_ = 0;
  std::uint64_t edges_ = 0;
};

}  // namespace clc::sync
