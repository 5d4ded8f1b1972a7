// The estimator: makes a map for each clock from the data of the first pass.
//
// Steps    Fit straight lines four times, each time with minima mapped by the previous ones;
//          estimate how fast rates change [A.3.6]; fit smooth curves twice [A.3.7]; shift the curves by constants
//          until messages permit them [A.3.9]; reject the map if recorded times violate fewer edges [A.3.10].
//          The first three are tried in windows of several lengths, and those are kept in which messages are violated
//          least. Long ones have smaller delays; a change of rate, as by NTP, is known to a window only. So four times
//          the usual length comes first, then ever longer ones; the usual one, and a shorter one, only if more than 1 %
//          of the binding messages remain violated, or little is known.
//          Measured offsets come last: with those that the messages, estimated alone, do not contradict, all is fitted
//          again, in windows of the same length. Measured round trips that contradict what messages prove are left out
//          before.
//          Published methods replace the first three steps and are not shifted; see published.hpp.
// Gauge    Messages determine differences between clocks, not a rate or an offset that all have in common. In each step
//          the mean over the clocks of a group is 0: mapped time runs like the mean of the recorded clocks.
// Results  Bit-identical for the same edges. Not available without Eigen.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "sync/method.hpp"
#include "sync/samples.hpp"
#include "trace/offsets.hpp"

namespace clc::sync {

class Records;

struct Options {
  Method method = Method::smooth;
  std::size_t intervals = 0;              ///< of hofmann, hofmann-hilgers and variable; 0: chosen
  BurstRule burst = BurstRule::shortest;  ///< of measured offsets
  bool always = false;                    ///< map clocks even if the recorded times violate fewer edges
  double min_delay_us = 0;                ///< mu; 0: not known
  double special_delay_us = HUGE_VAL;     ///< the smallest mu of those that some pairs have
  std::optional<double> bandwidth_mb_s;   ///< which a message's length adds to mu by; none: it adds nothing
  std::vector<std::uint32_t> nodes;  ///< of each clock; pairs of one node are a class of their own. Empty: not known

  /// No message takes less; 0: not known.
  [[nodiscard]] double least_delay_us() const noexcept { return std::min(min_delay_us, special_delay_us); }
};

enum class Flag : std::uint8_t {
  ok,
  one_way,       ///< its offset rests on an assumed delay
  never_waited,  ///< no receive waited for its message: the estimate is weak
  step,          ///< it was set during the trace
  no_messages,
  not_measured,
  measured_once,  ///< its rate, or that of a clock on the way to the common time, is not known
  after_step,     ///< too few messages before a clock was set
};

/// There is an estimate.
[[nodiscard]] constexpr bool is_known(Flag flag) noexcept {
  return flag != Flag::no_messages && flag != Flag::not_measured && flag != Flag::after_step;
}

/// "ok", "one-way only", ...
[[nodiscard]] constexpr std::string_view name_of(Flag flag) noexcept {
  constexpr std::array<std::string_view, 8> names{
      "ok",          "one-way only", "never waited",  "set",
      "no messages", "not measured", "measured once", "too few messages before a step"};
  return names[static_cast<std::size_t>(flag)];
}

/// The offset of a clock from the mean of its group, with its uncertainty.
struct ClockEstimate {
  OffsetLine map;           ///< maps its times to the common time; no points: no change
  double first_us = 0;      ///< offset at its first record
  double last_us = 0;       ///< offset at its last record
  double rate_ppm = 0;      ///< from the first to the last
  double deviation_us = 0;  ///< largest deviation from the straight line between these
  double error_us = 0;      ///< standard deviation; infinite: not known
  /// What the messages prove: the map is off by at most that against the reference clock of its group. Infinite where
  /// a direction is missing.
  double bound_us = std::numeric_limits<double>::infinity();
  std::uint32_t partners = 0;
  bool measured = false;     ///< round trips or measured offsets were used as well
  bool beside_step = false;  ///< another clock of its group was set: error and bound are not known
  std::uint32_t group = 0;   ///< connected clocks have the same
  Flag flag = Flag::no_messages;
  std::vector<Time> reference_at;  ///< of the reference of method measured: when clocks were measured against it
  std::optional<Time> step;        ///< approximate time, on its own clock, at which it was first set
};

/// Delays below the minimum among the binding messages.
struct Violations {
  std::uint64_t edges = 0;
  std::uint64_t violated = 0;
  double sum_us = 0;
  double worst_us = 0;

  /// missing_us: the minimum delay less that of an edge; tick_us: of the trace.
  void add(double missing_us, double tick_us) noexcept {
    constexpr double rounding = 1e-3;  // of a tick: what is less comes from the arithmetic
    ++edges;
    if (!(missing_us > rounding * tick_us)) return;
    ++violated;
    sum_us += missing_us;
    worst_us = std::max(worst_us, missing_us);
  }
  /// More than a hundredth of the messages that bind are violated.
  [[nodiscard]] bool are_frequent() const noexcept { return 100 * violated > edges; }
};

/// Are messages violated clearly more often, and by more?
[[nodiscard]] inline bool does_harm(const Violations& with, const Violations& without) noexcept {
  return 100 * with.violated > 100 * without.violated + with.edges && with.sum_us > 2 * without.sum_us;
}

/// The smallest delays of the messages that bind, by class of the pair; infinity: there is none.
struct SmallestDelays {
  double between_us = std::numeric_limits<double>::infinity();  ///< nodes
  double within_us = std::numeric_limits<double>::infinity();   ///< a node

  void add(bool within, double us) noexcept {
    double& least = within ? within_us : between_us;
    least = std::min(least, us);
  }
};

struct Estimate {
  std::vector<ClockEstimate> clocks;
  Violations recorded;
  Violations mapped;
  SmallestDelays recorded_delays;
  SmallestDelays mapped_delays;
  SmallestDelays half_trips;  ///< half of the shortest round trip
  std::uint64_t edges = 0;
  /// Measured round trips and offsets: those used beside the messages, and those that are not, because the messages, or
  /// most others, contradict them, with the clocks that they are of.
  struct Measured {
    std::uint64_t round_trips = 0;
    std::uint64_t offsets = 0;
    std::uint64_t round_trips_contradicting = 0;
    std::uint64_t offsets_contradicting = 0;
    std::set<ClockIndex> contradicting_trips_of;
    std::set<ClockIndex> contradicting_offsets_of;
  };
  Measured measured;
  std::size_t windows = 1;
  std::uint32_t groups = 0;
  std::vector<ClockIndex> references;  ///< of each group
  bool contradiction = false;          ///< messages that contradict each other: bounds may be too narrow
  std::size_t steps = 0;     ///< pairs of a clock and a window with a step after the first of which data are not used
  double rate_variance = 0;  ///< q, 1/s
  bool rates = false;        ///< rates are significant, or half of the violations remain without them
  bool applied = false;      ///< false: recorded times are better, or there is nothing to map
  std::optional<ClockIndex> impossible;  ///< nothing is mapped, because this one would have a rate that no clock has
  Ticks raised = 0;           ///< method measured: all clocks, so that none begins before the first recorded time
  std::size_t intervals = 0;  ///< of a published method; 0: it has none
  std::size_t unsolved = 0;   ///< borders between them without a solution
  std::optional<NoSolution> failure;  ///< of a published method: nothing is mapped
};

/// clocks: their number. records: all of theirs. measurements: used beside the messages by methods smooth
/// and line; of points those that state an error.
[[nodiscard]] Estimate estimate(const Collector& collector, const Records& records, std::size_t clocks,
                                Resolution resolution, const Options& options, const Measurements& measurements = {});

}  // namespace clc::sync
