// The options of the clock that clc-filter and clc-filter-mpi share. Errors are UsageError; parameters must outlive
// line.
#pragma once

#include <string>

#include "clc/parameters.hpp"
#include "common/command_line.hpp"

namespace clc::tool {

/// The option -maxerr.
void declare_max_error(CommandLine& line, Parameters& parameters);
/// The option --delta.
void declare_delta(CommandLine& line, Parameters& parameters);
/// The option --no-amortization.
void declare_amortization(CommandLine& line, Parameters& parameters);
/// The option --max-memory. meaning: what the help says of it, before the units.
void declare_max_memory(CommandLine& line, const std::string& meaning, Parameters& parameters);
/// The options --regulators, --gamma-max, --gamma-min, --regulators-as and --norm.
void declare_regulators(CommandLine& line, Parameters& parameters);

/// Of a word of the option --match.
[[nodiscard]] Match match_rule(const std::string& word);

/// All of the clock that changes the result, as on the command line, except limits.
[[nodiscard]] std::string effective_clock(const Parameters& parameters, double min_delay_us);

}  // namespace clc::tool
