// The verdict on a run: can its result be used? Good, doubtful or bad, with the reasons and what to do about each.
//
// Place    Behind the analysis, in front of reports and messages. Knows figures only: no format, no clock. The filter
//          and the judge fill in what each of them found.
// Units    Microseconds; shares are 1 for all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/round_trips.hpp"

namespace clc {

enum class Judgement : std::uint8_t { good, doubtful, bad };
[[nodiscard]] std::string_view name_of(Judgement judgement) noexcept;

// ---- thresholds -------------------------------------------------------------------------------
namespace verdict {
/// A share of fewer than that many says nothing.
inline constexpr std::uint64_t enough = 20;
/// Round trips that prove the minimum delay to be too large, of all: less often, clocks that were set between the two
/// messages explain them. A clock that is set makes trips impossible, too, about as often: those are subtracted twice.
inline constexpr double contradicted_doubtful = 0.005;
inline constexpr double contradicted_bad = 0.05;
/// The fastest round trip by message, by the minimum delay. Computation and waiting make round trips slow, so only an
/// error of the unit is recognised: it is a thousand, and near_factor is left for drift.
inline constexpr double min_delay_far_below = 1000 / RoundTripStatistics::near_factor;
/// Share of the local time by which intervals became longer or shorter. -maxerr wants at most half a percent in the
/// stretches where something is corrected. Weighted by length: the mean of relative errors, which the report shows, is
/// ruled by intervals of a few nanoseconds between calls.
/// Never bad by itself: where clocks are coarse or set, recorded intervals are wrong and have to change.
inline constexpr double interval_error = 0.01;
/// Growth of the trace, as a share of its length: clocks drift apart by less than 1e-4, so all beyond that and the
/// clock differences was made by the correction.
inline constexpr double growth_doubtful = 0.01;
inline constexpr double growth_bad = 0.1;
/// Rate at which clocks may drift apart, from bad quartzes.
inline constexpr double drift = 1e-4;
/// The largest correction by the largest clock difference between two processes that exchange messages. Along a chain
/// of processes differences add up.
inline constexpr double correction_far = 10;
/// Edges that could not be ordered, of all.
inline constexpr double given_up = 0.1;
/// The largest jump by the start value of -cldiff: the first jumps are spread over less than a tenth of the interval
/// that they need, with ten times the error that -maxerr allows.
inline constexpr double jump_beyond_start = 10;
/// An amortization error above this is no longer small.
inline constexpr double max_error_percent = 10;
}  // namespace verdict

/// What is judged. What is not known keeps its value here and gives no reason.
struct VerdictFigures {
  std::uint64_t processes = 0;  ///< with events
  std::uint64_t clocks = 0;     ///< of them
  std::uint64_t edges = 0;
  bool corrected = true;         ///< false: a trace as it is
  std::uint64_t violations = 0;  ///< left in the output; in a trace as it is: found
  // Messages and collective operations that could not be ordered, and all.
  std::uint64_t released = 0;  ///< receives without send
  std::uint64_t receives = 0;
  std::uint64_t incomplete = 0;
  std::uint64_t operations = 0;
  std::uint64_t lost = 0;  ///< sends without receive
  std::uint64_t sends = 0;
  bool late = false;  ///< what was waited for came too late

  double min_delay_us = 0;
  bool one_min_delay = true;  ///< for all pairs and lengths
  RoundTripStatistics trips;
  double tick_us = 0;

  double interval_error = 0;  ///< share of the local time
  double length_us = 0;       ///< of the trace as recorded
  double growth_us = 0;
  double largest_correction_us = 0;
  double clock_difference_us = 0;  ///< largest that recorded delays show between two processes
  double largest_jump_us = 0;
  double clock_difference_start_us = 0;
  double max_error_percent = 0;
  std::vector<std::string> broken_laws;
  std::vector<std::string> remarks;  ///< what in the input orders nothing although it might
};

/// Why a run is not good.
struct Reason {
  Judgement judgement;
  std::string_view key;  ///< for programs
  std::string text;      ///< fact, size and remedy in one line
  std::vector<std::pair<std::string_view, double>> figures;
};

struct Verdict {
  Judgement judgement = Judgement::good;
  std::vector<Reason> reasons;  ///< the worst first
};

[[nodiscard]] Verdict judge(const VerdictFigures& figures);

/// At most four significant digits, for people.
[[nodiscard]] std::string four_digits(double value);
/// A duration with its unit.
[[nodiscard]] std::string duration_text(double us);

/// The minimum message delay to use, microseconds, at most four significant digits: 80 % of the smallest round trip by
/// message [R fig. 6.3], never more than the smallest delay found. None where clocks are too coarse, trips too few, or
/// delays depend on more than the processes.
[[nodiscard]] std::optional<double> advised_min_delay(const RoundTripStatistics& trips, double tick_us,
                                                      double smallest_delay_us);

}  // namespace clc
