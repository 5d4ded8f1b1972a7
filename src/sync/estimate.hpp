// The estimator: from what the first pass saw to a map for each clock.
//
// Steps    Straight lines four times, each with minima taken anew through the better ones [estimation A.3.5]; how fast
//          rates change [A.3.6]; smooth curves, twice [A.3.7]; constants that take them back into what messages allow
//          [A.3.9]; and nothing at all where the recorded times break less [A.3.10].
// Results  The same bit for bit for the same edges. Without Eigen estimation is not available.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "clc/offsets.hpp"
#include "sync/matcher.hpp"

namespace clc::sync {

enum class Method : std::uint8_t { line, smooth };

struct Options {
  Method method = Method::smooth;
  double min_delay_us = 0;  ///< mu; 0: not known
};

enum class Flag : std::uint8_t {
  ok,
  one_way,       ///< its offset rests on an assumed delay
  never_waited,  ///< no receive waited for its message: little is known
  step,          ///< it was set during the trace
  no_messages,
};

/// "ok", "one-way only", ...
[[nodiscard]] std::string_view name_of(Flag flag) noexcept;

/// How far a clock is ahead of the mean of its group, and how well that is known.
struct ClockEstimate {
  OffsetLine map;           ///< what takes its times to the common time; no points: they stay
  double first_us = 0;      ///< offset at its first record
  double last_us = 0;       ///< offset at its last record
  double rate_ppm = 0;      ///< from the first to the last
  double deviation_us = 0;  ///< largest, from the straight line between these
  double error_us = 0;      ///< standard deviation
  std::uint32_t partners = 0;
  std::uint32_t group = 0;  ///< connected clocks have the same
  Flag flag = Flag::no_messages;
  std::optional<Time> step;  ///< about when it was set first, on its own time
};

/// Delays below the minimum among the messages that bind.
struct Violations {
  std::uint64_t edges = 0;
  std::uint64_t violated = 0;
  double sum_us = 0;
  double worst_us = 0;
};

struct Estimate {
  std::vector<ClockEstimate> clocks;
  Violations recorded;
  Violations mapped;
  std::uint64_t edges = 0;
  std::size_t windows = 1;
  std::uint32_t groups = 0;
  std::size_t steps = 0;     ///< clocks set, times windows: nothing is estimated from what lies beyond the first
  double rate_variance = 0;  ///< q, 1/s
  bool rates = false;        ///< they are significant, or half of the violations are left without them
  bool applied = false;      ///< false: the recorded times are better, or there is nothing to map
};

/// clocks: how many there are. matcher: all their records.
[[nodiscard]] Estimate estimate(const Collector& collector, const Matcher& matcher, std::size_t clocks,
                                Resolution resolution, const Options& options);

}  // namespace clc::sync
