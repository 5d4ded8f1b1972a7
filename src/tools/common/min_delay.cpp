#include "common/min_delay.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "clc/error.hpp"
#include "common/values.hpp"

namespace clc::tool {

void take_min_delay(Parameters& parameters, const std::string& value) {
  const std::size_t equals = value.find('=');
  const std::string_view word = value;
  const double us = at_least_zero("-mmd", equals == std::string::npos ? word : word.substr(equals + 1), "microseconds");
  if (equals == std::string::npos) {
    parameters.min_delay_us = us;
    return;
  }
  const std::string_view whom = word.substr(0, equals);
  if (whom == "node") {
    parameters.node_delay_us = us;
    return;
  }
  const std::size_t colon = whom.find(':');
  const auto from = process_number(whom.substr(0, colon));
  const auto to = process_number(colon == std::string_view::npos ? std::string_view() : whom.substr(colon + 1));
  if (!from || !to) throw UsageError("-mmd: expected US, FROM:TO=US or node=US, found '" + value + "'");
  parameters.pair_delays.push_back({*from, *to, us});
}

void declare_bandwidth(CommandLine& line, std::optional<double>& mb_s, const std::string& usual) {
  line.option("bandwidth", "MB/S",
              "Adds bytes/bandwidth to the minimum delay of each message, MB/s (10^6 bytes). Default: " + usual + '.',
              [&mb_s](const std::string& word) { mb_s = bandwidth("--bandwidth", word); });
}

double min_delay_in_effect(const Parameters& parameters, const Definitions& definitions) {
  return parameters.min_delay_us.value_or(
      definitions.min_delay ? definitions.resolution.microseconds(static_cast<double>(*definitions.min_delay))
                            : Parameters::default_min_delay_us);
}

std::optional<double> node_delay_in_effect(const Parameters& parameters, const Definitions& definitions) {
  if (parameters.node_delay_us || parameters.min_delay_us || !definitions.node_min_delay)
    return parameters.node_delay_us;
  return definitions.resolution.microseconds(static_cast<double>(*definitions.node_min_delay));
}

double smallest_min_delay_us(const Definitions& definitions) {
  if (!definitions.min_delay) return 0;
  const Ticks smallest = std::min(*definitions.min_delay, definitions.node_min_delay.value_or(*definitions.min_delay));
  return definitions.resolution.microseconds(static_cast<double>(smallest));
}

std::vector<std::string> unused_delays(const Parameters& parameters, const Definitions& definitions) {
  std::vector<std::string> lines;
  const auto& processes = definitions.processes();
  // That of the trace says nothing where it names no nodes.
  if (parameters.node_delay_us && parameters.node_delay_us != node_delay_in_effect({}, definitions) &&
      std::none_of(processes.begin(), processes.end(), [](const Process& process) { return process.node != no_node; }))
    lines.emplace_back("-mmd node: the trace names no nodes");
  for (const PairDelay& pair : parameters.pair_delays)
    for (const std::uint64_t number : {pair.from, pair.to})
      if (!definitions.find_process(number))
        lines.push_back("-mmd " + std::to_string(pair.from) + ':' + std::to_string(pair.to) +
                        ": the trace has no process " + std::to_string(number));
  for (const ProcessDelta& own : parameters.process_deltas)
    if (!definitions.find_process(own.process))
      lines.push_back("--delta " + std::to_string(own.process) + "=: the trace has no such process");
  return lines;
}

void declare_thread_delay(CommandLine& line, const std::string& where, SourceOptions& source,
                          const std::string& recorded) {
  line.option("mmd-threads", "US",
              where +
                  ": minimum delay between threads of one process, microseconds; off or 0: no edges between them. "
                  "Default: " +
                  recorded + shortest(SourceOptions::default_thread_delay_us) + " us.",
              [&source](const std::string& value) {
                source.thread_delay_us = value == "off" ? 0 : number("--mmd-threads", value, "microseconds");
                if (source.thread_delay_us < 0)
                  throw UsageError("--mmd-threads: expected 0 microseconds or more, or off, found '" + value + "'");
              });
}

void check_thread_delay(const SourceOptions& options) {
  if (options.thread_delay_us != SourceOptions::default_thread_delay_us && options.clock_of != ClockOf::location)
    throw UsageError(
        "--mmd-threads: threads of a process share a clock, which orders them; add --clock-of location or leave it "
        "out");
}

bool corrects(std::string_view program) noexcept { return program == "clc-filter" || program == "clc-filter-mpi"; }

bool is_correction(const std::string& provenance) {
  Parameters ignored;
  return take_noted_delays(ignored, provenance);
}

bool take_noted_delays(Parameters& parameters, const std::string& provenance) {
  std::istringstream words(provenance);
  std::string word;
  if (!(words >> word) || !corrects(word)) return false;
  Parameters noted;
  try {
    while (words >> word) {
      if (word == "-mmd" && words >> word) take_min_delay(noted, word);
      if (word == "--bandwidth" && words >> word) noted.bandwidth_mb_s = number(word, word, "MB/s");
    }
    noted.validate();
  } catch (const UsageError&) {
    return false;  // written by someone else
  }
  if (!noted.min_delay_us) return false;  // no correction
  parameters = noted;
  return true;
}

void take_noted_delays(Parameters& parameters, const std::vector<std::string>& provenance) {
  if (parameters.min_delay_us || !parameters.pair_delays.empty() || parameters.node_delay_us) return;
  const std::optional<double> bandwidth = parameters.bandwidth_mb_s;
  for (const std::string& line : provenance)
    if (take_noted_delays(parameters, line)) break;
  if (bandwidth) parameters.bandwidth_mb_s = bandwidth;
}

}  // namespace clc::tool
