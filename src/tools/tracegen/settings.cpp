#include "settings.hpp"

#include <string>

#include "clc/error.hpp"

namespace clc::tracegen {

namespace {

[[nodiscard]] bool is_fixed(Scenario scenario) {
  return scenario == Scenario::coarse_clock || scenario == Scenario::scenario2;
}

[[nodiscard]] bool has_grid(Scenario scenario) {
  return scenario == Scenario::halo || scenario == Scenario::finite_elements;
}

}  // namespace

void Settings::complete_processes() {
  const std::string name(info(scenario).name);
  if (grid) {
    if (!has_grid(scenario)) throw UsageError(name + " has no grid: use --processes");
    const std::uint64_t product = std::uint64_t{grid->first} * grid->second;
    if (processes && *processes != product)
      throw UsageError("--grid has " + std::to_string(product) + " processes, --processes asks for " +
                       std::to_string(*processes));
    processes = static_cast<std::uint32_t>(product);
  }
  if (!processes) processes = info(scenario).processes;
  const std::uint32_t least = scenario == Scenario::collectives ? 1 : 2;
  if (*processes < least || *processes > (1U << 20U))
    throw UsageError(name + ": number of processes: expected " + std::to_string(least) + " to 1048576, found " +
                     std::to_string(*processes));
}

/// A little apart and drifting, unless the scenario is about particular clocks.
void Settings::complete_clocks() {
  // Finite elements leave a message most of an iteration, so smaller offsets would not be seen.
  const double usual_offset = scenario == Scenario::finite_elements ? 1000 : 100;
  clock.offset_us = offset_us.value_or(is_fixed(scenario) ? 0 : usual_offset);
  clock.drift_ppm = drift_ppm.value_or(is_fixed(scenario) ? 0 : 10);
  if (scenario == Scenario::coarse_clock && !tick_us) tick_us = 10'000;
  clock.tick_us = tick_us.value_or(0);
}

void Settings::complete_delays() {
  const std::string name(info(scenario).name);
  if (!messages.delay_us)
    messages.delay_us = scenario == Scenario::coarse_clock ? 250 : scenario == Scenario::scenario2 ? 0 : 5;
  if (messages.node_delay_us && processes_per_node == 0) throw UsageError("--node-delay needs --nodes");
  if (!messages.node_delay_us) messages.node_delay_us = messages.delay_us;
  if (!messages.jitter_us) messages.jitter_us = is_fixed(scenario) ? 0 : 2;
  if (is_fixed(scenario)) {
    if (*messages.jitter_us > 0 || messages.bandwidth_mb_s)
      throw UsageError(name + ": all messages take the same time: no --jitter, no --bandwidth");
    if (!defects.absences.empty()) throw UsageError(name + ": all processes take part all the time");
    if (regions) throw UsageError(name + ": no --regions, a region takes time");
    if (messages.node_delay_us != messages.delay_us)
      throw UsageError(name + ": all messages take the same time: no --node-delay");
  }
  for (const double microseconds : {*messages.delay_us, *messages.node_delay_us, *messages.jitter_us})
    if (microseconds * static_cast<double>(resolution.per_second()) > 1e21)
      throw UsageError("--delay, --node-delay, --jitter: expected at most 1e15 ticks of the trace");
  if (scenario == Scenario::scenario2) {
    if (*messages.delay_us > 0) throw UsageError("scenario2: messages take no time: no --delay");
    // f = 0.5 in [R eq. 5.28] with the default parameters of the filter.
    if (!rho_ppm) rho_ppm = 100;
    if (!lag_us) lag_us = 10'000;
    if (!period_us) period_us = 560'000;
  } else if (rho_ppm || lag_us || period_us) {
    throw UsageError("--rho, --lag and --period are for scenario2");
  }
}

void Settings::complete() {
  complete_processes();
  complete_clocks();
  complete_delays();

  if (allreduce_every > 0 && !has_grid(scenario)) throw UsageError("--allreduce is for halo and finite-elements");
  if (nonblocking > 0 && scenario != Scenario::collectives) throw UsageError("--nonblocking is for collectives");
  if (defects.lose_members > 0 && scenario != Scenario::collectives)
    throw UsageError("--lose-members is for collectives");
  // An absent process leaves out the allreduce of all.
  if (defects.lose_calls > 0 && scenario != Scenario::collectives &&
      (allreduce_every == 0 || !defects.absences.empty()))
    throw UsageError("--lose-calls is for collectives, and for --allreduce where no process is absent");
  if ((defects.lose_sends > 0 || defects.lose_receives > 0 || defects.lose_burst > 0) &&
      scenario == Scenario::collectives)
    throw UsageError("collectives: there are no messages: no --lose-sends, --lose-receives, --lose-burst");

  if (rate && duration_s && events) throw UsageError("--events, --duration and --rate: give at most two of them");
  if (!events && !duration_s) events = 100'000;
  if (!rate && !(duration_s && events) && !is_fixed(scenario)) rate = 100'000;

  for (const PartOfRun& part : defects.unrecorded)
    if (part.process >= *processes)
      throw UsageError("--end-early, --record-late: no process " + std::to_string(part.process));
  for (const PartOfRun& absence : defects.absences)
    if (absence.process >= *processes)
      throw UsageError("--finish-early, --start-late, --silent: no process " + std::to_string(absence.process));
}

}  // namespace clc::tracegen
