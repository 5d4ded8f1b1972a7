// All parameters of the clock, with unit, default, range and source.
//
// Place    Set by the command line, used by `Filter`, quoted by the man page and the report.
// Units    As users write them: microseconds, percent, seconds. `Filter` converts them to ticks of the
//          trace, rounding to the nearest tick.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clc {

/// Norm of the divisor in regulator B [R fig. 4.10].
enum class Norm : std::uint8_t { maximum, sixteenth };

/// How receives are matched with sends. fifo: first in, first out. resynchronise: the same, but sends and receives
/// whose other end is missing from the trace are recognised and left unmatched. whole: Event::other_end says which ends
/// are missing; where it is unknown, as resynchronise.
enum class Match : std::uint8_t { fifo, resynchronise, whole };
/// The name in options, reports and provenance lines.
[[nodiscard]] constexpr std::string_view name_of(Match match) noexcept {
  return match == Match::fifo ? "fifo" : match == Match::whole ? "whole" : "resync";
}

/// Minimum message delay of one ordered pair of processes, by their numbers in the trace.
struct PairDelay {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  double microseconds = 0;

  friend bool operator==(const PairDelay&, const PairDelay&) = default;
};

/// Minimum distance of two events of one process, by its number in the trace.
struct ProcessDelta {
  std::uint64_t process = 0;
  double microseconds = 0;

  friend bool operator==(const ProcessDelta&, const ProcessDelta&) = default;
};

struct Parameters {
  /// Minimum message delay mu, microseconds, >= 0; at least 1 tick is used [R eq. 4.5]. Unset: the
  /// trace's own `min-delay`, else `default_min_delay_us`.
  std::optional<double> min_delay_us;
  static constexpr double default_min_delay_us = 1.0;
  /// mu of individual ordered pairs; overrides all other values. The last entry for a pair wins.
  std::vector<PairDelay> pair_delays;
  /// mu between processes of one node, microseconds; used if the trace defines nodes.
  std::optional<double> node_delay_us;
  /// Adds bytes/bandwidth to mu of each message [R 5.1], in MB/s (10^6 bytes per second), > 0.
  std::optional<double> bandwidth_mb_s;

  /// Desired amortization error A_def, percent, in (0, 100] [R alg. 5, 6.2].
  double max_error_percent = 0.5;
  /// Start value of the largest clock difference, microseconds, >= 0 [R alg. 5, 6.2].
  double clock_difference_us = 1000;
  /// Backward amortization [R alg. 5]; off: forward step only [R 6.1].
  bool amortization = true;

  /// gamma_max, regulator A, in [0, 1] [R 4.4.3]. Unset: chosen by `rule`, see `bounds`.
  std::optional<double> gamma_max;
  /// gamma_D, regulator D, in [0, 1] [R 4.4.6]. Unset: chosen by `rule`, see `bounds`.
  std::optional<double> gamma_min;
  /// The source of the regulators' bounds. evidence: clocks count as quartz clocks until the trace proves otherwise.
  /// thesis: the values of the thesis for any clock, and regulator C as printed there, from the first event on.
  enum class Rule : std::uint8_t { evidence, thesis };
  Rule rule = Rule::evidence;
  /// Regulator B slows all clocks while all of them are ahead of the recorded times [R 4.4.4].
  bool regulator_b = true;
  Norm norm = Norm::maximum;
  /// Regulator C slows a clock that is further ahead than clock differences explain [R 4.4.5].
  bool regulator_c = true;
  /// What regulators B and C, the evidence against quartz clocks and the growth of the largest clock difference see
  /// when an event is processed. events: all events processed before it, in a fixed order. epochs: all events up to the
  /// end of an epoch, two epochs before its own, so that the order of processing does not matter.
  enum class Order : std::uint8_t { events, epochs };
  Order order = Order::events;
  /// Regulator A off means gamma_max = 1, regulator D off means gamma_D = 0.
  bool regulator_a = true;
  bool regulator_d = true;

  /// Minimum distance delta of two events of one process, microseconds, used exactly as given [R eq. 4.4].
  /// Unset: min(1 tick, recorded distance), so that ties stay ties.
  std::optional<double> delta_us;
  /// delta of individual processes; overrides delta_us. The last entry for a process wins. Of processes that share a
  /// clock, the largest delta counts.
  std::vector<ProcessDelta> process_deltas;

  Match match = Match::fifo;
  /// Match::resynchronise: recorded times are known to be off by no more than this, microseconds, >= 0. A receive that
  /// is earlier than its send by more has lost its own send. Unset: nothing is known.
  std::optional<double> clock_error_us;
  /// How long, in seconds of trace time, an event waits for the other end of its edge, >= 0.
  double wait_limit_s = 10;
  /// Limit for definitions and buffered events, bytes, >= 1 MiB. When it is reached, events are finalized early; then
  /// the oldest waits are given up. Definitions are kept in any case, and at least `least_memory` is left for events.
  std::uint64_t max_memory = std::uint64_t{1} << 30;
  /// Body of events that order others but are not records of the trace, and are not counted: Source::added_body().
  std::string uncounted_body;
  static constexpr std::uint64_t least_memory = std::uint64_t{1} << 20;

  struct Bounds {
    double gamma_max = 1;
    double gamma_min = 0;
  };
  /// For any clock [R 4.4.7, 4.4.6].
  static constexpr Bounds any_clock{1 - 2e-5, 0.98};
  /// For clocks driven by nothing but their quartz: gamma_D as in [R 4.4.6], gamma_max half as far from 1.
  static constexpr Bounds quartz_clock{1 - 1e-5, 1 - 1e-4};
  /// True if clocks count as quartz clocks at first. A given gamma_D, or regulator D switched off, already says how far
  /// regulators may go.
  [[nodiscard]] bool quartz_at_first() const noexcept { return rule == Rule::evidence && !gamma_min && regulator_d; }
  /// The bounds of regulators A and D: the given values, else those for this kind of clock.
  [[nodiscard]] Bounds bounds(bool quartz) const noexcept;

  /// The letters of the regulators that are on, such as "ABCD".
  [[nodiscard]] std::string regulators() const;
  /// Throws UsageError naming the first member that is out of range.
  void validate() const;
};

}  // namespace clc
