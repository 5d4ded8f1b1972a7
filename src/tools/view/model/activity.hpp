// What processes did over time.
//
// Sides    A cell of the grid of a side has what happened in its time on that side; both have the same rows.
// Memory   Grids of fixed size; the first segments, which are dropped when there turn out to be more; a number for each
//          region.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "view/model/all_or_none.hpp"
#include "view/model/edges_drawn.hpp"
#include "view/model/regions.hpp"
#include "view/model/shown.hpp"
#include "view/model/time_grid.hpp"

namespace clc::view {

/// A span of time in which a process is in one region, innermost.
struct Segment {
  ProcessIndex process = 0;
  Regions::Id region = 0;
  Both<Time> from{};
  Both<Time> to{};
};

/// What a process, or a few, did in a stretch of time.
struct Activity {
  struct Share {
    Regions::Id region = Regions::none;
    float ticks = 0;
  };
  std::uint32_t events = 0;
  std::uint32_t sends = 0;
  std::uint32_t backward = 0;  ///< of these messages, received before they were sent
  float other = 0;             ///< ticks of regions that found no place
  std::array<Share, 4> shares{};

  void add(Regions::Id region, float ticks) noexcept;
  void merge(const Activity& cell) noexcept;
};

class Activities {
 public:
  static constexpr std::size_t most_rows = 64;
  static constexpr std::size_t most_columns = 1024;
  static constexpr std::size_t most_segments = 28000;

  /// An event that is shown on this side.
  void event(Column side, ProcessIndex process, Time time) { ++grids_[side].at(process, time).events; }
  /// A message that touches what is shown.
  void message(const Arrow& arrow, const Shown& shown);
  /// Adds what of it is shown.
  void segment(Segment segment, const Shown& shown);
  void finish();

  [[nodiscard]] const TimeGrid<Activity>& grid(Column side) const noexcept { return grids_[side]; }
  /// In the order of processes and recorded times.
  [[nodiscard]] const AllOrNone<Segment, most_segments>& segments() const noexcept { return segments_; }
  /// Of all processes together, ticks.
  [[nodiscard]] double region_time(Regions::Id id) const { return region_times_[id]; }
  /// Those with time spent in them, most first.
  [[nodiscard]] std::vector<Regions::Id> regions_by_time() const;

 private:
  void draw(const Segment& segment);

  Both<TimeGrid<Activity>> grids_{TimeGrid<Activity>(most_rows, most_columns),
                                  TimeGrid<Activity>(most_rows, most_columns)};
  std::vector<double> region_times_;
  AllOrNone<Segment, most_segments> segments_;
};

}  // namespace clc::view
