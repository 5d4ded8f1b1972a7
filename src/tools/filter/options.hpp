// The command line of clc-filter. Parsing opens no files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "estimation/options.hpp"

namespace clc::filter {

/// In messages and reports.
inline constexpr std::string_view program = "clc-filter";

enum class ReportFormat { text, json };

/// A range of minimum delays, microseconds.
struct SweptDelays {
  double from = 0;
  double to = 0;
  /// Four for each power of ten, evenly by ratio, with both ends.
  [[nodiscard]] std::vector<double> values() const;
};

/// estimate: in a first pass, or with look-ahead.
struct Options : tool::AlignmentOptions {
  Parameters parameters;
  std::optional<Match> match;  ///< not given: resynchronise where that is possible and delays nothing

  std::string input = "-";  ///< empty: only those that `source` names
  std::string output = "-";
  SourceOptions source;
  [[nodiscard]] bool several() const noexcept { return !source.further.empty() || !source.files_from.empty(); }
  /// How the output is written.
  struct Writing {
    std::optional<Format> output_format;  ///< unset: as the input
    std::optional<int> zstd_level;        ///< unset: as the input; 0: not compressed
    bool keep_original = false;
    bool provenance = true;
    bool sync = true;        ///< wait until outputs are on the disk
    bool overwrite = false;  ///< otf2: replace the archive in the output folder
  };
  Writing writing;

  std::optional<double> look_ahead_s;  ///< estimate in one pass, this far ahead
  bool write_offsets = false;          ///< otf2: keep all times, write the map as clock offsets; the clock does not run
  bool backwards = false;              ///< run the clock from the end of the trace
  bool mean = false;                   ///< write the mean of the results forwards and backwards
  std::optional<double> from_s;        ///< window, seconds since the first event
  std::optional<double> to_s;
  [[nodiscard]] bool window() const noexcept { return from_s || to_s; }
  /// The trace is kept in a temporary file before the clock reads it.
  [[nodiscard]] bool replays() const noexcept { return backwards || mean || window(); }

  [[nodiscard]] bool two_passes() const noexcept {
    return (estimate && !look_ahead_s) || min_delay_auto || clock_difference_auto;
  }

  /// How messages are matched unless lost records are looked for first, or the user says how.
  [[nodiscard]] Match match_without_search() const noexcept {
    return replays() || online ? Match::fifo : Match::resynchronise;
  }
  /// The input is read before it is corrected.
  [[nodiscard]] bool reads_ahead() const noexcept { return two_passes() || parameters.match == Match::whole; }
  /// For records that wait to be sorted; the clock has the other half then.
  [[nodiscard]] std::uint64_t half_of_memory() const noexcept {
    return std::max(Parameters::least_memory, parameters.max_memory / 2);
  }

  bool correction = true;  ///< off: records are copied, the clock does not run
  bool dry_run = false;
  std::optional<SweptDelays> sweep;  ///< correct with each of them, write nothing but a table
  std::optional<unsigned> threads;   ///< in all; unset: those that pay
  bool online = false;               ///< emit final events when the input pauses
  /// online: room for records that take longer than all before them to arrive. None: only records let events leave.
  std::optional<double> transfer_us = default_transfer_us;
  static constexpr double default_transfer_us = 100'000;
  bool transfer_given = false;
  /// The same, as far as it applies.
  [[nodiscard]] std::optional<double> transfer_in_effect() const;

  /// The report, and limits of its figures.
  struct Reporting {
    std::optional<std::string> report;  ///< file; "-": standard output
    ReportFormat report_format = ReportFormat::text;
    std::optional<double> max_shift_us;
    std::optional<double> max_local_error_percent;
    bool strict = false;
  };
  Reporting reporting;

  bool verbose = false;
  bool quiet = false;
  bool progress = false;
};

/// nullopt if --help or --version was printed. Throws UsageError.
[[nodiscard]] std::optional<Options> parse(int argc, const char* const* argv);

/// The name of the input in messages.
[[nodiscard]] std::string input_name(const Options& options);

/// The options that change the result, as on the command line. The minimum message delay in effect is
/// known once the trace is open.
[[nodiscard]] std::string effective(const Options& options, double min_delay_us);

}  // namespace clc::filter
