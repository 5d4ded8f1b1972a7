// The options of the minimum message delay, -mmd and --bandwidth, the same in all programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "common/command_line.hpp"

namespace clc::tool {

/// Takes US, FROM:TO=US or node=US. Throws UsageError.
void take_min_delay(Parameters& parameters, const std::string& value);

/// The minimum delay in effect, microseconds: of the user, else of the trace, else the usual one.
[[nodiscard]] double min_delay_in_effect(const Parameters& parameters, const Definitions& definitions);
/// The delay within a node that the trace names, unless the user names one, or one for all.
[[nodiscard]] std::optional<double> node_delay_in_effect(const Parameters& parameters, const Definitions& definitions);
/// The smallest minimum delay that the trace names, microseconds; 0: none.
[[nodiscard]] double smallest_min_delay_us(const Definitions& definitions);

/// The option --bandwidth. mb_s, MB/s (10^6 bytes per second), must outlive line.
void declare_bandwidth(CommandLine& line, std::optional<double>& mb_s, const std::string& usual);

/// Warnings about delays and distances for processes or nodes that the trace does not define. To be called at its end,
/// as definitions may occur anywhere in a trace.
[[nodiscard]] std::vector<std::string> unused_delays(const Parameters& parameters, const Definitions& definitions);

/// The option --mmd-threads; where: in which case it has an effect. source must outlive line.
/// recorded: what its help says ahead of the default.
void declare_thread_delay(CommandLine& line, const std::string& where, SourceOptions& source,
                          const std::string& recorded = "");
/// To be called once all options are known. Throws UsageError if --mmd-threads was given but has no effect.
void check_thread_delay(const SourceOptions& options);

/// True for the name of a program that corrects traces, the first word of a provenance line.
[[nodiscard]] bool corrects(std::string_view program) noexcept;

/// True for the provenance line of a correction: of such a program, with its minimum delay.
[[nodiscard]] bool is_correction(const std::string& provenance);
/// Takes the minimum delays from such a line: "clc-filter 0.1.0 -mmd 0.5 -mmd 0:1=2 ...". False: it names none.
bool take_noted_delays(Parameters& parameters, const std::string& provenance);
/// The same for the lines of a trace before its first record, latest first, unless parameters name delays.
void take_noted_delays(Parameters& parameters, const std::vector<std::string>& provenance);

}  // namespace clc::tool
