// The command line of clc-check. Parsing opens no file.
#pragma once

#include <optional>
#include <string>

#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "common/command_line.hpp"
#include "common/provenance.hpp"

namespace clc::check {

struct Options {
  std::string trace;                     ///< the trace judged, or the recorded one
  std::optional<std::string> corrected;  ///< its correction
  std::optional<std::string> truth;      ///< the true times
  std::optional<std::string> offsets;    ///< file with the map of the clocks
  std::optional<Format> format;
  SourceOptions source;   ///< format and order apart
  Parameters parameters;  ///< only the minimum delays are used
  std::optional<double> wait_limit_s;
  std::optional<Match> match;                ///< not given: what the trace, or its correction, says
  std::optional<tool::Direction> direction;  ///< not given: what the correction says
  std::optional<ClockOf> clock_of;           ///< not given: what the trace, or its correction, says
  tool::PartOfTrace part;                    ///< none: what the correction says
  bool sweep = false;                        ///< leave it to clc-filter, which has the clock
  bool all_pairs = false;
  bool json = false;
  bool quiet = false;
};

/// The options, for parsing and for the help text; fills options, which must outlive it.
[[nodiscard]] tool::CommandLine command_line(Options& options);
/// Says what is wrong with options that were parsed: throws UsageError.
void validate(const Options& options);

}  // namespace clc::check
