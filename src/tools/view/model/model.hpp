// What the pictures need of a trace, gathered in one pass.
//
// Protocol   add each record in input order (those of one process in their order), then finish; figures are complete
//            after that.
// Parts      Each keeps one thing and has a header of its own. The model hands them records, and the messages and
//            operations that it matches.
// Sides      Every time exists twice: recorded, and corrected. When only one is known both are the same.
// Memory     Tables of fixed size, whatever the length of the trace: cells of time and process, and the first few
//            thousand records in detail, which are dropped when there turn out to be more. Beside that, a little for
//            each process, and what waits for its other end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/record.hpp"
#include "clc/parameters.hpp"
#include "matching/edges.hpp"
#include "matching/violations.hpp"
#include "trace/delay.hpp"
#include "view/model/activity.hpp"
#include "view/model/all_or_none.hpp"
#include "view/model/arrows.hpp"
#include "view/model/corrections.hpp"
#include "view/model/corridors.hpp"
#include "view/model/counts.hpp"
#include "view/model/detail.hpp"
#include "view/model/edges_drawn.hpp"
#include "view/model/evidence.hpp"
#include "view/model/intervals.hpp"
#include "view/model/regions.hpp"
#include "view/model/shown.hpp"
#include "view/model/traffic.hpp"

namespace clc::view {

/// A record.
struct Point {
  ProcessIndex process = 0;
  Role role = Role::internal;
  Both<Time> time{};
};

class Model final : private matching::EdgeObserver {
 public:
  static constexpr std::size_t most_points = 8000;
  static constexpr std::size_t default_detail = std::size_t{4} << 20U;

  /// Keeps definitions, which may grow. window: only what happens in it is shown: what is counted is in it in corrected
  /// time, what is drawn of the recorded side in recorded time.
  /// detail: bytes for Detail.
  Model(const Parameters& parameters, const Definitions& definitions, std::optional<Window> window,
        std::size_t detail = default_detail);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// The next record. times: recorded and corrected; kind and name: what the record is.
  void add(const Event& event, const Both<Time>& times, Kind kind, std::string_view name);
  /// The records are part of a trace: ends of messages may be outside of it.
  void take_as_part() noexcept { is_part_ = true; }
  /// A record ahead of that part: it is matched, and not shown.
  void add_ahead(const Event& event);
  /// See Matcher: the order of the recorded one of two traces.
  void expect(const Event& event) { matcher_.expect(event); }
  void leave_out(const Event& event) { matcher_.leave_out(event); }
  void finish();

  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  [[nodiscard]] const DelayModel& delays() const noexcept { return delays_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return counts_.events; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return counts_.operations; }
  [[nodiscard]] const Both<matching::EdgeFigures>& messages() const noexcept { return counts_.messages; }
  [[nodiscard]] const Both<matching::EdgeFigures>& collectives() const noexcept { return counts_.collectives; }
  /// Messages and collective operations of which a part is in the window and a part is not; they are in no other
  /// figure.
  [[nodiscard]] std::uint64_t crossing_messages() const noexcept { return counts_.crossing_messages; }
  [[nodiscard]] std::uint64_t crossing_operations() const noexcept { return counts_.crossing_operations; }
  /// Of a part of a trace there are none: they may have their other ends outside of it.
  [[nodiscard]] const matching::Leftovers& leftovers() const noexcept {
    static constexpr matching::Leftovers none;
    return is_part_ ? none : matcher_.leftovers();
  }
  /// Mean delay of messages, ticks.
  [[nodiscard]] double mean_delay(Column side) const noexcept { return counts_.mean_delay(side); }
  [[nodiscard]] const Both<SignedHistogram>& delay_histograms() const noexcept { return counts_.delays; }
  [[nodiscard]] const std::vector<ProcessFigures>& processes() const noexcept { return processes_; }

  /// What is shown: from the first event to the last, on both sides; with a window, its part of the trace.
  [[nodiscard]] Time first() const noexcept { return shown_.first(); }
  [[nodiscard]] Time last() const noexcept { return shown_.last(); }
  /// The zero of axes: the corrected time of the first event read, also where it is not shown.
  [[nodiscard]] Time origin() const noexcept { return shown_.origin(); }
  /// From the first event read to the last, corrected, whatever part of it is shown.
  [[nodiscard]] Ticks length() const noexcept { return shown_.length(); }
  /// Of all times, see Shown.
  [[nodiscard]] std::uint64_t spread() const noexcept { return shown_.spread(); }
  [[nodiscard]] bool excerpt() const noexcept { return shown_.excerpt(); }

  [[nodiscard]] const Regions& regions() const noexcept { return regions_; }
  /// Regions by the time spent in them, most first.
  [[nodiscard]] std::vector<Regions::Id> regions_by_time() const { return activities_.regions_by_time(); }
  /// Of all processes together, ticks.
  [[nodiscard]] double region_time(Regions::Id id) const { return activities_.region_time(id); }
  [[nodiscard]] const TimeGrid<Activity>& activity(Column side) const noexcept { return activities_.grid(side); }
  /// In detail; empty when there are too many of them.
  [[nodiscard]] const std::vector<Segment>& segments() const noexcept { return activities_.segments().values(); }
  [[nodiscard]] bool all_segments() const noexcept { return activities_.segments().all(); }
  [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_.values(); }
  [[nodiscard]] bool all_points() const noexcept { return points_.all(); }
  /// All messages, or a sample with those that go back furthest.
  [[nodiscard]] const std::vector<Arrow>& arrows() const noexcept { return arrows_.arrows(); }
  [[nodiscard]] bool all_arrows() const noexcept { return arrows_.all(); }
  [[nodiscard]] const Detail& detail() const noexcept { return detail_; }
  /// Messages, and the worst pairs of collective operations, that violate the clock condition as recorded: those by the
  /// most, in the order of sending.
  [[nodiscard]] const std::vector<Arrow>& violations() const noexcept { return violations_.arrows(); }

  [[nodiscard]] const TrafficMatrix& traffic() const noexcept { return traffic_; }
  [[nodiscard]] const Intervals& intervals() const noexcept { return intervals_; }
  [[nodiscard]] const Corrections& corrections() const noexcept { return corrections_; }
  /// Pairs of processes with messages, those with the most backward ones first, then by number of messages.
  [[nodiscard]] std::vector<const Corridor*> corridors() const { return corridors_.in_order(); }
  [[nodiscard]] bool all_corridors() const noexcept { return corridors_.all(); }

  /// On all of the trace, also where an excerpt is shown.
  [[nodiscard]] Verdict verdict(const Evidence::Files& files) const {
    return evidence_.judged(definitions_, delays_, leftovers(), files);
  }

 private:
  struct Track {
    bool started = false;
    Both<Time> last{};   // record
    Both<Time> since{};  // begin of the open segment
    RegionStack regions;
  };

  void match(const Event& event, const matching::Stamp& stamp);
  void message(const matching::Message& found) override;
  void collective(const matching::Collective& operation) override;
  void incomplete(const matching::Collective& operation) override {
    if (!is_part_) evidence_.incomplete(judge_.judge(operation, recorded));
  }
  void count(const Event& event, const Both<Time>& times, const Track& track);
  void close_segment(Track& track, ProcessIndex process, const Both<Time>& times, Regions::Id region);

  const Definitions& definitions_;
  DelayModel delays_;
  matching::CollectiveJudge judge_;
  matching::Matcher matcher_;
  bool is_part_ = false;
  Shown shown_;
  std::vector<Track> tracks_;
  Regions regions_;
  Counts counts_;
  std::vector<ProcessFigures> processes_;
  Activities activities_;
  AllOrNone<Point, most_points> points_;
  Arrows arrows_;
  Violations violations_;
  TrafficMatrix traffic_;
  Intervals intervals_;
  Corrections corrections_;
  Corridors corridors_;
  Detail detail_;
  Evidence evidence_;
};

}  // namespace clc::view
