// What the first pass keeps of a trace: the hull of delays for each ordered pair of clocks and each window of time, and
// the binding collective operations of each group and window.
//
// Place    In a collector, which says in which window an edge lies, and when windows double.
// Units    Ticks as recorded.
// Source   clc-sync(1), "The method"
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
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

/// What a gathering says at first sight: with ends alike, the last to come waits least, so that its own stay in the
/// operation is the shortest. Where only one ends, the latest begin as recorded is a first guess.
struct FirstSight {
  explicit FirstSight(const Gathering& gathering);

  std::uint64_t edges = 0;
  std::size_t clocks = 0;  ///< 1 more than the largest
  bool binds = false;      ///< if not, nothing is kept of it, and the rest has no meaning
  ClockIndex latest = 0;   ///< the clock that most likely came last
  Time time;               ///< its begin
  Ticks slack = 0;         ///< the smaller, the tighter it binds
};

/// All points of one ordered pair of clocks, by their middle.
struct Track {
  ClockIndex from = 0;
  ClockIndex to = 0;
  std::vector<Sighting> points;
};

class KeptEdges {
 public:
  /// Collective operations of a group in a window.
  static constexpr std::size_t most_gatherings = 8;

  void add(const Edge& edge, std::int64_t window);
  /// group: operations of one group compete for a place in a window.
  void add(std::uint64_t group, const FirstSight& sight, Gathering gathering, std::int64_t window);
  /// Windows are twice as long: their indexes are halved.
  void double_windows();
  /// Forgets the windows with lower indexes.
  void forget_before(std::int64_t window);

  /// What is added from now on may be taken back, or stays.
  void try_out() { trial_ = Trial{++trials_, {}, {}}; }
  void take_back();
  void settle() noexcept { trial_.reset(); }

  /// How many are kept, of all pairs and of the members of operations.
  [[nodiscard]] std::size_t points() const noexcept { return points_; }
  /// By their clocks, one at a time: visit(from, to, points).
  void for_each_track(const std::function<void(ClockIndex, ClockIndex, const std::vector<Sighting>&)>& visit) const;
  [[nodiscard]] std::vector<Gathering> gatherings() const;

  /// All of it as numbers, for those who keep other pairs and groups.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
  /// Takes what they keep; windows are those of here, and nothing is added after that.
  void put(std::span<const std::int64_t> numbers);

 private:
  struct Pair {
    ClockIndex from;
    ClockIndex to;
    Hulls hulls;
    std::uint32_t trial = 0;  ///< the last one that changed it
  };
  struct Slot {
    std::uint64_t group;
    std::int64_t window;
    ClockIndex latest;
    friend auto operator<=>(const Slot&, const Slot&) = default;
  };
  struct Kept {
    Ticks slack;
    Gathering gathering;
  };
  struct Trial {
    std::uint32_t number;
    std::vector<std::pair<std::uint32_t, Hulls>> pairs;            ///< as they were
    std::vector<std::pair<Slot, std::optional<Kept>>> gatherings;  ///< the same, in the order of changes
  };

  static constexpr std::size_t recent_pairs = 4096;

  [[nodiscard]] static std::uint64_t key_of(ClockIndex from, ClockIndex to) noexcept {
    return std::uint64_t{from} << 32 | to;
  }
  [[nodiscard]] std::uint32_t place_of(ClockIndex from, ClockIndex to);
  void remember(std::uint32_t place);
  void remember(const Slot& slot);
  void keep(const Slot& slot, Kept kept);

  std::vector<Pair> pairs_;
  FlatMap<std::uint64_t, std::uint32_t> places_;      ///< of pairs, by both clocks
  std::array<std::uint32_t, recent_pairs> recent_{};  ///< places of pairs that may come again
  std::map<Slot, Kept> gatherings_;
  std::size_t points_ = 0;
  std::optional<Trial> trial_;
  std::uint32_t trials_ = 0;
};

}  // namespace clc::sync
