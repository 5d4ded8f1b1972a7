// The report: what was found in a trace and what the clock did to it [R fig. 6.3].
//
//     Report report(filter.analysis(), definitions, parameters, facts);
//     report.write_text(std::cerr);    // for people: the worst of long lists
//     report.write_json(file);         // for programs: everything
//
// Place    After Filter::finish; reads the analysis, changes nothing.
// Units    Microseconds, percent, seconds and bytes, named beside every figure (JSON: at the end of the
//          key: _us, _percent, _s, _bytes; _ticks for times as in the trace).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "clc/verdict.hpp"

namespace clc {

/// What the program knows about its run and the analysis does not.
struct RunFacts {
  std::string program;    ///< "clc-filter"
  std::string version;    ///< "0.1.0"
  std::string options;    ///< effective options, as one would type them
  std::string alignment;  ///< what an estimate of the clocks ahead of the correction found; empty: there was none
  std::string input;      ///< as named on the command line; "-": standard input
  std::string format;     ///< of the input, as name_of says it: "text"
  std::string error;      ///< why reading ended before the end of the trace; empty: it did not
  /// What in the input orders nothing although it might, a line each.
  std::vector<std::string> remarks;
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< wall time
  /// The limit of --max-shift and how many events were moved by more.
  std::optional<double> max_shift_us;
  std::uint64_t beyond_max_shift = 0;
};

class Report {
 public:
  /// Version of the JSON keys: raised when a key changes its meaning or goes away; new keys do not raise it.
  static constexpr int json_version = 1;
  /// Lists in the text show so many entries and the number of the others.
  static constexpr std::size_t shown = 16;

  /// Keeps references.
  Report(const Analysis& analysis, const Definitions& definitions, const Parameters& parameters, RunFacts facts);

  void write_text(std::ostream& out) const;
  void write_json(std::ostream& out) const;

  [[nodiscard]] const Verdict& verdict() const noexcept { return verdict_; }
  /// The start value of cldiff to use, whole microseconds, when the one used was too small.
  [[nodiscard]] std::optional<double> advised_clock_difference_us() const;
  /// The minimum message delay to use, microseconds, where round trips tell.
  [[nodiscard]] std::optional<double> advised_min_delay_us() const;

 private:
  class Text;
  class Json;

  [[nodiscard]] VerdictFigures figures() const;

  const Analysis& analysis_;
  const Definitions& definitions_;
  const Parameters& parameters_;
  RunFacts facts_;
  Verdict verdict_;
  Ticks min_delay_;  ///< the default of all pairs that was used
};

}  // namespace clc
