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
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
  /// Of a part of a trace there are none: they may have their other ends outside of it.
  [[nodiscard]] const matching::Leftovers& leftovers() const noexcept {
    static constexpr matching::Leftovers none;
    return is_part_ ? none : matcher_.leftovers();
  }
  [[nodiscard]] const std::vector<ProcessFigures>& processes() const noexcept { return processes_; }

  [[nodiscard]] const Shown& shown() const noexcept { return shown_; }
  [[nodiscard]] const Regions& regions() const noexcept { return regions_; }
  [[nodiscard]] const Activities& activities() const noexcept { return activities_; }
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
