// Lost records: where clocks were set in a trace that lacks records.
//
//     Steps steps(channels, processes);
//     steps.find();
//     const std::vector<End> ends = steps.without(placed, process);   // as if its clock had not been set
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: a clock that is set shows on all channels of its process,
//           a lost record on one.
// Cost      Of each jump, a search in each channel of its process, 2^22 of them at most. Memory: 24 bytes for each end
//           of a process at a time, and for each step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "lost/rule.hpp"

namespace clc::lost {

struct Placed {
  End end;
  std::uint32_t nth;  // of its process
};

/// Both ends of the messages of a channel: of the sends first.
struct Sides {
  std::array<ProcessIndex, 2> process{};
  std::array<std::span<const Placed>, 2> ends{};
};

class Steps {
 public:
  /// The channels in which no receive overtakes another one.
  Steps(std::vector<Sides> channels, std::size_t processes) : channels_(std::move(channels)), clocks_(processes) {}

  /// Does nothing if it was done.
  void find();
  /// Would a step of its clock show? False, too, before they were looked for.
  [[nodiscard]] bool is_followed(ProcessIndex process) const noexcept {
    return process < clocks_.size() && clocks_[process].is_followed;
  }
  /// It was never set then.
  [[nodiscard]] bool goes_on(ProcessIndex process) const noexcept {
    return is_followed(process) && clocks_[process].steps.empty();
  }
  /// Ends of a process, in order, without the steps of its clock.
  [[nodiscard]] std::vector<End> without(std::span<const Placed> ends, ProcessIndex process) const;
  /// The same of other records of it; nth: of the end behind.
  [[nodiscard]] std::vector<End> without_between(std::span<const Placed> records, ProcessIndex process) const;

 private:
  /// From one end to the next one of a channel, as one of its processes sees it.
  struct Interval {
    std::uint32_t first;  // ends of the process
    std::uint32_t last;
    Ticks jump;  // by how much its clock gains on the other one
    Ticks own;   // by its clock
  };
  struct View {
    std::vector<Interval> intervals;  // in order
    Ticks usual = 0;                  // time from one end to the next
    bool is_regular = false;          // most are like that
    std::int64_t lacks = 0;           // so many ends are missing at least; negative: on the other side
  };
  /// An interval.
  struct Place {
    std::uint32_t first;
    std::uint32_t last;
    std::size_t view;
  };
  struct Step {
    std::uint32_t nth;  // the first end after it
    Time time;          // half-way from the end before
    Ticks sum;          // by which the clock is ahead then, by all steps so far
  };
  struct Clock {
    bool is_followed = false;
    std::vector<Step> steps;
  };

  template <class IsBehind>
  [[nodiscard]] std::vector<End> moved(std::span<const Placed> records, ProcessIndex process, IsBehind is_behind) const;
  void follow(ProcessIndex process, const std::vector<std::pair<std::size_t, std::size_t>>& sides);
  [[nodiscard]] View view_of(const Sides& channel, std::size_t side) const;
  [[nodiscard]] static Interval* interval_at(View& view, std::uint32_t nth);
  [[nodiscard]] static bool is_jump(const View& view, const Interval& interval);
  [[nodiscard]] static bool is_of_clock(const View& view, const Interval& interval);
  [[nodiscard]] static bool may_be_lost(const View& view, Ticks jump);
  [[nodiscard]] static std::optional<Ticks> shared_jump(std::vector<View>& views, std::uint32_t nth, const View& of,
                                                        Ticks jump);
  [[nodiscard]] static std::vector<Place> jumps_in(const std::vector<View>& views);
  [[nodiscard]] static std::vector<std::pair<std::uint32_t, Ticks>> steps_in(std::vector<View>& views);

  std::vector<Sides> channels_;
  std::vector<Clock> clocks_;  // of processes
  bool are_found_ = false;
};

}  // namespace clc::lost
