// A collector whose ordered pairs of clocks belong to several processes, each pair to one: in the end it holds, to the
// last point, what a single collector holds.
//
// Place    Filled by the divided matcher, round by round; the first process takes all of it in the end.
// Method   Hulls of different pairs have nothing to do with each other but the length of the windows. It doubles where
//          an edge lies too far from others, or where all processes together keep too many points; what a hull keeps
//          depends on when. In nearly all rounds neither can happen, which the processes see from their earliest and
//          latest edges and the number of them. In the others each tries its edges and tells where points come and go;
//          all find the same edge behind or before which windows double, take back what comes later, and go on.
// Cost     A collector's, and a few numbers for each process and round; where windows double 48 bytes for each edge, in
//          each process, for a limited number of edges at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sync/collector.hpp"
#include "sync/kept_edges.hpp"
#include "sync/place.hpp"
#include "trace/partners.hpp"

namespace clc::sync {

class DividedCollector {
 public:
  /// Edges of all processes that are tried before they tell each other of them.
  static constexpr std::size_t usual_tried = std::size_t{1} << 16;

  /// Keeps a reference.
  explicit DividedCollector(Partners& partners, const CollectorLimits& limits = {}, std::size_t tried = usual_tried)
      : partners_(partners), limits_(limits), tried_each_(std::max<std::size_t>(2, tried / partners.size())) {}

  /// The first record of each clock, before its edges: the same in all processes, the earliest first.
  void begin(ClockIndex clock, Time first, Resolution resolution) { origins_.begin(clock, first, resolution); }
  /// Edges of this round, in any order, of pairs and groups that no other process adds to.
  void add(const EventPlace& place, const Edge& edge);
  void add(const EventPlace& place, std::uint64_t group, Gathering gathering);
  /// All edges of the round were added by all processes: those of later rounds stand behind them.
  void end_round();
  /// In the first process: what all have collected. Those of the others are empty after that.
  [[nodiscard]] Collector joined();

 private:
  struct Added {
    EventPlace place;
    Edge edge;
    std::uint32_t gathering;  ///< instead of the edge, among those gathered
  };
  static constexpr std::uint32_t no_gathering = 0xffff'ffff;
  struct Gathered {
    std::uint64_t group;
    FirstSight sight;
    Gathering gathering;
  };
  /// What was added in a round.
  struct Round {
    Time earliest = Time::latest();
    Time latest = Time::earliest();
    std::size_t points = 0;  ///< at most
    std::size_t clocks = 0;  ///< 1 more than the largest

    void add(Time time, std::size_t most_points) noexcept {
      earliest = std::min(earliest, time);
      latest = std::max(latest, time);
      points += most_points;
    }
  };
  struct Placed {
    Time time;
    std::size_t index;  ///< among those added
  };
  /// What trying an edge has shown.
  struct Tried {
    EventPlace place;
    std::int64_t window = 0;
    bool in_window = false;   ///< false: it is in none
    bool is_last = false;     ///< it was not tried, nor what its process has behind it
    std::int64_t points = 0;  ///< more than before
    std::size_t clocks = 0;
  };
  /// Windows that are in use, and what counts for their length.
  struct State {
    std::int64_t first = 0;
    std::int64_t last = -1;
    std::size_t clocks = 0;
    std::int64_t points = 0;
    /// Up to a window more; false: these would be too many.
    [[nodiscard]] bool reach(std::int64_t window, std::int64_t most) noexcept;
  };
  /// An edge before or behind which is to be stopped.
  struct Stop {
    enum class Why : std::uint8_t {
      too_far,    ///< windows double before it
      too_many,   ///< behind it
      not_tried,  ///< before it; they do not double
    };
    EventPlace place;
    Why why = Why::not_tried;
    std::int64_t window = 0;  ///< of the edge
  };

  [[nodiscard]] std::optional<Time> time_of(const Added& added) const;
  [[nodiscard]] std::size_t clocks_of(const Added& added) const;
  void keep(const Added& added, std::int64_t window);
  [[nodiscard]] bool keep_all_at_once();
  void keep_up_to_doubling();
  [[nodiscard]] std::vector<Tried> try_rest(std::size_t most);
  [[nodiscard]] bool nothing_doubles(const std::vector<Tried>& tried);
  [[nodiscard]] std::vector<Tried> all_tried(const std::vector<Tried>& own);
  [[nodiscard]] std::optional<Stop> find_stop(const std::vector<Tried>& tried);
  void keep_before(const Stop& stop);
  void double_for(const Stop& stop);
  [[nodiscard]] bool too_many_points() const noexcept;
  void double_windows();

  Partners& partners_;
  CollectorLimits limits_;
  std::size_t tried_each_;  ///< by a process
  Origins origins_;
  KeptEdges kept_;
  State state_;
  unsigned shift_ = 0;
  std::vector<Added> added_;
  std::vector<Gathered> gathered_;
  Round round_;
  std::vector<Placed> order_;  ///< of those added
  std::size_t next_ = 0;       ///< of the order
  std::uint64_t edges_ = 0;
};

}  // namespace clc::sync
