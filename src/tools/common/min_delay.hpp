// The minimum message delay on the command line: -mmd, --bandwidth, the same in all programs that have it.
#pragma once

#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "common/command_line.hpp"

namespace clc::tool {

/// Takes US, FROM:TO=US or node=US. Throws UsageError.
void take_min_delay(Parameters& parameters, const std::string& value);

/// The option --bandwidth. parameters must outlive line.
void declare_bandwidth(CommandLine& line, Parameters& parameters, const std::string& usual);

/// What to warn of: delays for processes or nodes that the trace does not have. Processes may be defined anywhere in
/// it: to be asked at its end.
[[nodiscard]] std::vector<std::string> unused_delays(const Parameters& parameters, const Definitions& definitions);

/// What --mmd-threads says: US, or off. Throws UsageError.
void take_thread_delay(SourceOptions& options, const std::string& value);
/// Once all options are known. Throws UsageError where it was given and does not count.
void check_thread_delay(const SourceOptions& options);

/// The minimum delays that clc-filter says it used: "clc-filter 0.1.0 -mmd 0.5 -mmd 0:1=2 ...". False: it says none.
bool take_noted_delays(Parameters& parameters, const std::string& provenance);
/// The same from the lines of a trace before its first record, the newest first, unless parameters name delays.
void take_noted_delays(Parameters& parameters, const std::vector<std::string>& provenance);

}  // namespace clc::tool
