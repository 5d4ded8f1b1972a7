// Judges a run by its figures.
//
// Place    Between the analysis and the reports. Depends on figures only, not on formats or the clock. clc-filter and
//          clc-check each supply their own figures.
// Remedies A remedy names a member of Parameters, which the programs replace by their option.
// Units    Microseconds; shares as fractions of 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clc/verdict.hpp"
#include "trace/connected.hpp"

namespace clc {

// ---- thresholds -------------------------------------------------------------------------------
namespace verdict {
/// Shares of fewer items than this are not judged.
inline constexpr std::uint64_t enough = 20;
/// Share of round trips that prove the minimum delay to be too large. A smaller share may come from clocks that were
/// set between the two messages. Setting a clock also makes about as many trips impossible, so twice their number is
/// subtracted first.
inline constexpr double contradicted_doubtful = 0.005;
inline constexpr double contradicted_bad = 0.05;
/// So many round trips prove it too if they take less than half of the minimum delay: in many programs computation
/// lengthens nearly all of them.
inline constexpr std::uint64_t contradicted_by_half = 3;
/// Fastest round trip per message, divided by the minimum delay. Computation and waiting lengthen round trips, so only
/// a wrong unit is recognised: a factor of 1000, with near_factor as a margin for drift.
inline constexpr double min_delay_far_below = 1000 / RoundTripStatistics::near_factor;
/// Clocks that were mapped first leave violations by a tick; larger ones tell that a minimum delay is missing.
inline constexpr double rounding_ticks = 2;
/// Changes of local intervals as a share of the local time. By default half a percent is allowed where something is
/// corrected. Intervals are weighted by length; the mean relative error in the report is dominated by intervals of a
/// few nanoseconds between calls. In a trace that is hardly longer than its clocks are apart they must change by more,
/// but not because that difference has changed: clocks are set, or run at another rate. Never bad by itself: if clocks
/// are coarse or were set, recorded intervals are wrong and have to change.
inline constexpr double interval_error = 0.01;
/// Growth of the trace, as a share of its length. Clocks drift apart by less than 1e-4; growth beyond that and beyond
/// the clock differences is an effect of the correction.
inline constexpr double growth_doubtful = 0.01;
inline constexpr double growth_bad = 0.1;
/// Rate at which clocks with bad quartzes may drift apart.
inline constexpr double drift = 1e-4;
/// Rate at which the clock of a process is apart from another one at most: both may be slewed, by 500 ppm each.
inline constexpr double rate = 2 * drift + 1.0 / RoundTripStatistics::slew_part;
/// Largest correction, divided by the largest clock difference between two processes that exchange messages.
/// Differences add up along a chain of processes.
inline constexpr double correction_far = 10;
/// By how much all processes of a group may be ahead, divided by the largest clock difference. The fastest of their
/// clocks is not moved at all [R theorem 8].
inline constexpr double ahead = 2;
/// Share of edges that could not be ordered.
inline constexpr double given_up = 0.1;
/// Messages that a map makes so many minimum delays early are not explained by errors of what was measured, nor by
/// those of the other processes.
inline constexpr double early = 10;
/// Share of records that came too late. Their times are lost.
inline constexpr double late_doubtful = 0.001;
inline constexpr double late_bad = 0.1;
/// Largest jump, divided by the start value of the clock difference. At this ratio the first jumps are spread over less
/// than a tenth of the interval that they need, with ten times the error allowed.
inline constexpr double jump_beyond_start = 10;
/// An amortization error above this is no longer small.
inline constexpr double max_error_percent = 10;
}  // namespace verdict

/// How far clocks are apart, as recorded delays show; ticks.
class ClockDifference {
 public:
  ClockDifference() = default;
  ClockDifference(Ticks largest, Ticks change) noexcept : largest_(largest), change_(change) {}
  /// Of messages or other edges in one direction.
  void smallest_delay(Ticks delay) noexcept { largest_ = std::max(largest_, subtract_saturating(0, delay)); }
  /// Of messages in both directions: no clock is further from the other than these, and if their sum is negative, the
  /// difference of the clocks has changed by at least as much.
  void both_ways(Ticks there, Ticks back) noexcept {
    largest_ = std::max({largest_, there, back});
    change_ = std::max(change_, subtract_saturating(0, add_saturating(there, back)));
  }
  void join(const ClockDifference& other) noexcept {
    largest_ = std::max(largest_, other.largest_);
    change_ = std::max(change_, other.change_);
  }
  [[nodiscard]] Ticks largest() const noexcept { return largest_; }
  [[nodiscard]] Ticks change() const noexcept { return change_; }

 private:
  Ticks largest_ = 0;
  Ticks change_ = 0;
};

/// Groups of processes that messages connect, and those that share a clock with them, and how far their corrected
/// clocks run ahead of all their recorded ones at the end: where each process of a group has D > 0, LC' is ahead of max
/// C by the smallest of them [R theorem 8]. Memory: 20 bytes for each process.
class RunAhead {
 public:
  /// all_connected: edges that are not known one by one may connect any processes. Keeps a reference to definitions.
  RunAhead(const Definitions& definitions, bool all_connected) noexcept
      : definitions_(definitions), all_connected_(all_connected) {}
  void connect(ProcessIndex a, ProcessIndex b);
  /// Of each process with events: how far its last one has moved.
  void moved(ProcessIndex process, Ticks shift);
  /// The most of all groups, backwards (all shifts negative) as forwards. Processes alone are no group.
  [[nodiscard]] Ticks most();

 private:
  void grow(ProcessIndex last);

  const Definitions& definitions_;
  bool all_connected_;
  Connected connected_;
  std::vector<std::optional<Ticks>> shifts_;
};

/// Why edges are violated in the output.
enum class WhyLeft : std::uint8_t {
  told,     ///< as the report of the correction tells
  late,     ///< awaited records came too late
  shifted,  ///< the same, as those in their place are missing
  memory,   ///< waits were given up to limit memory
  unknown,  ///< in a trace that was corrected elsewhere
};

/// The figures to judge. A figure that keeps its default is unknown and gives no reason.
struct VerdictFigures {
  std::uint64_t processes = 0;  ///< with events
  std::uint64_t clocks = 0;     ///< of these processes
  std::uint64_t edges = 0;
  std::uint64_t unjudged_edges = 0;  ///< of these, those whose violations are not counted
  bool corrected = true;             ///< false: an uncorrected trace
  std::uint64_t violations = 0;      ///< left in the output; of an uncorrected trace: found
  std::uint64_t saturated = 0;  ///< corrected times that do not fit into 64 bits; edges between them are not counted
  /// Records that are missing, and how messages were matched without them.
  struct Missing {
    // Messages and collective operations that could not be ordered, each followed by the total.
    std::uint64_t released = 0;  ///< receives without send
    std::uint64_t receives = 0;
    std::uint64_t incomplete = 0;
    std::uint64_t operations = 0;
    std::uint64_t disagreeing = 0;  ///< calls, with the other members of their operation
    std::uint64_t lost = 0;         ///< sends without receive
    std::uint64_t sends = 0;
    std::uint64_t late = 0;  ///< records that were taken at another time
    std::uint64_t records = 0;
    WhyLeft why_left = WhyLeft::told;
    bool ended_early = false;              ///< reading stopped before the end of the trace
    std::uint64_t left_on_both_sides = 0;  ///< channels with sends and receives that have no other end
    std::uint64_t shifted_channels = 0;    ///< of messages that match first in, first out, although records are missing
    bool can_resynchronise = true;         ///< the program knows Match::resynchronise
    bool may_match_wrongly = false;        ///< delays tell little
  };
  Missing missing;

  /// Parameters in effect.
  struct InEffect {
    double min_delay_us = 0;
    bool one_min_delay = true;  ///< the same for all pairs and lengths, and meant to be near the shortest
    bool by_length = false;     ///< lengths of messages add to it
    bool as_thesis = false;     ///< Rule::thesis, as far as it is known
    bool delta_given = false;   ///< a minimum distance of events that holds for recorded distances, too
    double clock_difference_start_us = 0;
    double max_error_percent = 0;
    double gamma_min = 1;
  };
  InEffect in_effect;
  RoundTripStatistics trips;
  double tick_us = 0;

  double interval_error = 0;  ///< share of the local time
  double length_us = 0;       ///< of the trace as recorded
  double growth_us = 0;
  double largest_correction_us = 0;
  double clock_difference_us = 0;  ///< largest difference between two processes that recorded delays prove
  double clock_change_us = 0;      ///< by how much that of two processes changed at least, unless clocks were set back
  double ahead_us = 0;             ///< RunAhead::most
  double largest_jump_us = 0;
  double worst_violation_us = 0;  ///< of the recorded times: a message is that much too early
  std::vector<std::string> broken_laws;
  std::vector<std::string> doubts;   ///< about clocks that were estimated
  MapFigures map;                    ///< of clocks that are mapped
  std::vector<std::string> remarks;  ///< potential ordering records that were ignored
};

[[nodiscard]] Verdict judge(const VerdictFigures& figures);

/// At most four significant digits, for people.
[[nodiscard]] std::string four_digits(double value);
/// A duration with its unit.
[[nodiscard]] std::string duration_text(double us);

/// The advised minimum message delay, microseconds, at most four significant digits: 80 % of the smallest round trip
/// per message [R fig. 6.3], never more than the smallest delay found. None if clocks are too coarse or trips too few.
[[nodiscard]] std::optional<double> advised_min_delay(const RoundTripStatistics& trips, double tick_us,
                                                      double smallest_delay_us);

/// The two rules of [R 7.2], microseconds, under the same conditions.
struct ThesisMinDelays {
  double frequent_us = 0;  ///< 90 % of a quarter of the most frequent round trip
  double balanced_us = 0;  ///< 20 % above the smallest delay: larger errors of intervals, smaller ones of delays
};
[[nodiscard]] std::optional<ThesisMinDelays> thesis_min_delays(const RoundTripStatistics& trips, double tick_us);

}  // namespace clc
