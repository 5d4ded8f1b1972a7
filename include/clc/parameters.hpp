// Every tunable of the clock, once: unit, default, range and source.
//
// Place    The command line fills it, `Filter` reads it, the man page and the report quote it.
// Units    As users write them (microseconds, percent, seconds); `Filter` converts to ticks with the
//          resolution of the trace, rounded to the nearest tick.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clc {

/// Norm of the divisor in regulator B [R fig. 4.10].
enum class Norm : std::uint8_t { maximum, sixteenth };

/// Which receive belongs to which send: first in, first out; or the same, but for receives whose send is missing.
enum class Match : std::uint8_t { fifo, resynchronise };

/// Minimum message delay of one ordered pair of processes, by their numbers in the trace.
struct PairDelay {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  double microseconds = 0;

  friend bool operator==(const PairDelay&, const PairDelay&) = default;
};

struct Parameters {
  /// Minimum message delay mu, microseconds, >= 0; at least 1 tick is used [R eq. 4.5]. Unset: the
  /// trace's own `min-delay`, else `default_min_delay_us`.
  std::optional<double> min_delay_us;
  static constexpr double default_min_delay_us = 1.0;
  /// mu of single ordered pairs; overrides the others. The last entry of a pair counts.
  std::vector<PairDelay> pair_delays;
  /// mu between processes of one node, microseconds, where the trace knows nodes.
  std::optional<double> node_delay_us;
  /// Adds bytes/bandwidth to mu of each message [R 5.1], in MB/s (10^6 bytes per second), > 0.
  std::optional<double> bandwidth_mb_s;

  /// Wanted amortization error A_def, percent, in (0, 100] [R alg. 5, 6.2].
  double max_error_percent = 0.5;
  /// Start value of the largest clock difference, microseconds, >= 0 [R alg. 5, 6.2].
  double clock_difference_us = 1000;
  /// Backward amortization [R alg. 5]; off: forward step only [R 6.1].
  bool amortization = true;

  /// gamma_max, regulator A, in [0, 1] [R 4.4.3]. Unset: as the rule says, see `bounds`.
  std::optional<double> gamma_max;
  /// gamma_D, regulator D, in [0, 1] [R 4.4.6]. Unset: as the rule says, see `bounds`.
  std::optional<double> gamma_min;
  /// Where the regulators' bounds come from. evidence: clocks count as quartz until the trace proves that they are
  /// not; thesis: the thesis' values for any clock, and regulator C as printed, from the first event on.
  enum class Rule : std::uint8_t { evidence, thesis };
  Rule rule = Rule::evidence;
  /// Regulator B holds all clocks back while all are ahead [R 4.4.4]; its norm.
  bool regulator_b = true;
  Norm norm = Norm::maximum;
  /// Regulator C holds a clock back that is ahead of what clock differences explain [R 4.4.5].
  bool regulator_c = true;
  /// Regulator A off means gamma_max = 1, regulator D off means gamma_D = 0.
  bool regulator_a = true;
  bool regulator_d = true;

  /// Minimum distance delta of two events of one process, microseconds, taken literally [R eq. 4.4].
  /// Unset: min(1 tick, recorded distance), so that ties stay ties.
  std::optional<double> delta_us;

  /// Are receives whose send is missing from the trace taken out of the matching?
  Match match = Match::fifo;
  /// How long, in seconds of trace time, an event waits for the other end of its edge, >= 0.
  double wait_limit_s = 10;
  /// Bound for buffered events, bytes, >= 1 MiB. When reached, events are taken as final early,
  /// then the oldest waits are given up.
  std::uint64_t max_memory = std::uint64_t{1} << 30;
  static constexpr std::uint64_t least_memory = std::uint64_t{1} << 20;

  struct Bounds {
    double gamma_max = 1;
    double gamma_min = 0;
  };
  /// For any clock [R 4.4.7, 4.4.6].
  static constexpr Bounds any_clock{1 - 2e-5, 0.98};
  /// For clocks that only their quartz drives: gamma_D is that of [R 4.4.6], gamma_max half as far from 1.
  static constexpr Bounds quartz_clock{1 - 1e-5, 1 - 1e-4};
  /// Clocks count as quartz at first. Not so where gamma_D was given (0: switched off): then it is known how far the
  /// regulators may go.
  [[nodiscard]] bool quartz_at_first() const noexcept { return rule == Rule::evidence && !gamma_min && regulator_d; }
  /// What regulators A and D use: what was given, else the values for the clocks.
  [[nodiscard]] Bounds bounds(bool quartz) const noexcept;

  /// Those that are on, by their letters: "ABCD".
  [[nodiscard]] std::string regulators() const;
  /// Throws UsageError naming the first member that is out of its range.
  void validate() const;
};

}  // namespace clc
