// The report: the findings in a trace and the effect of the correction [R fig. 6.3].
//
//     Report report(filter.analysis(), definitions, parameters, facts);
//     report.write_text(std::cerr);    // for people: long lists are shortened to the worst entries
//     report.write_json(file);         // for programs: complete
//
// Place    After Filter::finish. Reads the analysis and changes nothing.
// Units    Microseconds, percent, seconds and bytes, named beside every figure. JSON keys end with the
//          unit: _us, _percent, _s, _bytes; _ticks for times as in the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "clc/verdict.hpp"

namespace clc {

struct VerdictFigures;

/// The clock of a process as estimated before the correction; clc-sync(1) explains the figures. NaN: not known.
struct EstimatedClock {
  std::uint64_t process = 0;  ///< its number in the trace
  double first_us = 0;        ///< how far it is ahead at its first event
  double last_us = 0;         ///< at its last event
  double rate_ppm = 0;
  double deviation_us = 0;  ///< from a straight line
  double error_us = 0;      ///< standard deviation
  double bound_us = 0;      ///< proven
  std::uint32_t partners = 0;
  std::string note;  ///< "ok", ...
};

/// Live input: events are also emitted while it pauses.
struct LiveFacts {
  std::optional<double> transfer_us;  ///< allowance for late records; none: the machine's clock does not count
  std::optional<double> lag_us;       ///< how much later than the quickest record the slowest one came; none: not known
  double largest_stay_us = 0;         ///< longest time that an event was in the filter
  double late_by_us = 0;              ///< how far records were behind the time that had been reached
};

/// Facts about the run that the analysis does not contain.
struct RunFacts {
  std::string program;                 ///< "clc-filter"
  std::string version;                 ///< "0.1.0"
  std::string options;                 ///< effective options, as on the command line
  std::string alignment;               ///< findings of an estimate of the clocks; empty: none
  std::vector<EstimatedClock> clocks;  ///< the same, clock by clock
  std::vector<std::string> doubts;     ///< why the estimate may be wrong: reasons of a doubtful verdict
  MapFigures map;                      ///< of the clocks, if they are mapped
  MeasuredCounts measured;             ///< of the estimate
  bool min_delay_chosen = false;       ///< by the program: a lower bound, however small
  std::string input;                   ///< as named on the command line; "-": standard input
  std::string format;                  ///< of the input, by name_of: "text"
  std::string error;                   ///< why reading stopped before the end of the trace; empty: it did not
  /// Potential ordering records that were ignored, one line each.
  std::vector<std::string> remarks;
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< wall time
  std::optional<LiveFacts> live;
  /// A limit of corrections, and how many events were moved further.
  std::optional<double> max_shift_us;
  std::uint64_t beyond_max_shift = 0;
  /// Puts a text that names members of Parameters, such as `Parameters::min_delay_us = 2`, into the words of the
  /// program's users; empty: the text is not changed.
  std::function<std::string(std::string)> wording;
};

class Report {
 public:
  /// Version of the JSON keys. Raised when a key is removed or changes its meaning, not when keys are added.
  static constexpr int json_version = 1;
  /// The text shows this many entries of a list, and the number of the others.
  static constexpr std::size_t shown = 16;

  /// Keeps references to its arguments except facts.
  Report(const Analysis& analysis, const Definitions& definitions, const Parameters& parameters, RunFacts facts);

  void write_text(std::ostream& out) const;
  void write_json(std::ostream& out) const;

  [[nodiscard]] const Verdict& verdict() const noexcept { return verdict_; }
  /// Records are missing, and perhaps others than those found to be missing. Messages may then be matched wrongly,
  /// which falsifies delays, so no advice is derived from them.
  [[nodiscard]] bool may_match_wrongly() const;
  /// The advised start value of cldiff, whole microseconds; none unless the one used was too small.
  [[nodiscard]] std::optional<double> advised_clock_difference_us() const;
  /// The advised minimum message delay, microseconds; none unless round trips show one.
  [[nodiscard]] std::optional<double> advised_min_delay_us() const;

  /// Bound on the errors of local intervals [R eq. 5.9], from the steepest piece and the lowest gamma, as a share; a
  /// tick for each end must be added. None if the gammas of the result are not known.
  [[nodiscard]] std::optional<double> interval_error_bound() const;
  /// The bound of [R theorem 17], from the parameters, the largest jump and the shortest time from a send to the next
  /// receive, for jumps that are amortized one after the other; none without amortization or if that time is 0.
  [[nodiscard]] std::optional<double> theorem_17_bound() const;

 private:
  class Text;
  class Json;

  /// The largest drift of a clock that the regulators allow for [R 4.4.6].
  [[nodiscard]] double largest_drift() const;

  [[nodiscard]] VerdictFigures figures() const;

  const Analysis& analysis_;
  const Definitions& definitions_;
  const Parameters& parameters_;
  RunFacts facts_;
  Verdict verdict_;
  Ticks min_delay_;  ///< the default for all pairs
};

}  // namespace clc
