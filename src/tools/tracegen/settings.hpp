// All settings of clc-tracegen.
//
// Place    options.cpp sets them from the command line; `complete` adds the defaults of the scenario. There
//          are no defaults elsewhere.
// Units    As users write them: microseconds, seconds, ppm, percent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/time.hpp"
#include "clock.hpp"

namespace clc::tracegen {

enum class Scenario : std::uint8_t {
  halo,
  finite_elements,
  ring,
  pairs,
  master_worker,
  random,
  collectives,
  coarse_clock,
  scenario2,
};

struct ScenarioInfo {
  Scenario scenario;
  std::string_view name;
  std::string_view purpose;
  std::uint32_t processes;  ///< default
};

inline constexpr std::array<ScenarioInfo, 9> scenarios{{
    {Scenario::halo, "halo", "exchange with all neighbours on a torus, then compute", 64},
    {Scenario::finite_elements, "finite-elements", "compute borders, send, compute interior, receive", 16},
    {Scenario::ring, "ring", "a token travels around a ring", 8},
    {Scenario::pairs, "pairs", "each process plays ping-pong with one partner", 8},
    {Scenario::master_worker, "master-worker", "process 0 hands out work in the order of requests", 16},
    {Scenario::random, "random", "between random pairs, many tags and communicators", 16},
    {Scenario::collectives, "collectives", "every collective operation, on many communicators", 16},
    {Scenario::coarse_clock, "coarse-clock", "a token passed up and down; clocks tick every 10 ms", 20},
    {Scenario::scenario2, "scenario2", "two processes, one clock late and fast, delay 0", 2},
}};

[[nodiscard]] constexpr const ScenarioInfo& info(Scenario scenario) noexcept {
  return scenarios[static_cast<std::size_t>(scenario)];
}

/// A process, and a part of the run in fractions of it.
struct PartOfRun {
  std::uint32_t process = 0;
  double from = 0;
  double to = 0;
};

struct Settings {
  Scenario scenario = Scenario::halo;

  // size
  std::optional<std::uint32_t> processes;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> grid;  ///< rows, columns
  std::optional<std::uint64_t> events;                          ///< about
  std::optional<double> duration_s;
  std::optional<double> rate;  ///< events per second of trace time, all processes together
  std::uint64_t seed = 0;
  Resolution resolution;
  Ticks start = 0;  ///< recorded time of a perfect clock when the program starts
  bool regions = false;
  std::uint32_t processes_per_node = 0;  ///< 0: nodes are not named
  std::uint32_t allreduce_every = 0;     ///< halo, finite-elements: iterations between two; 0: none

  double nonblocking = 0;  ///< collectives: share of the operations that are non-blocking

  // clocks
  std::optional<double> offset_us;
  std::optional<double> drift_ppm;
  std::optional<double> tick_us;
  ClockErrors clock;  ///< all else; complete() adds the three above

  /// Delays: minimum + exponential + length/bandwidth.
  struct Messages {
    std::optional<double> delay_us;
    std::optional<double> node_delay_us;  ///< minimum inside a node
    std::optional<double> jitter_us;
    std::optional<double> bandwidth_mb_s;
    std::uint64_t bytes = 1024;
    bool tell_min_delay = true;
    std::uint32_t bursts = 0;  ///< round trips between process 0 and each other process, before and after the program
  };
  Messages messages;

  // scenario2
  std::optional<double> rho_ppm;
  std::optional<double> lag_us;
  std::optional<double> period_us;

  struct Defects {
    double lose_receives = 0;  ///< probabilities
    double lose_sends = 0;
    double lose_members = 0;
    std::uint32_t lose_burst = 0;       ///< sends and receives of one process in a row
    std::uint32_t lose_calls = 0;       ///< collective calls, each of one member
    std::vector<PartOfRun> unrecorded;  ///< records are missing; the program goes on
    std::vector<PartOfRun> absences;    ///< the process takes no part in the program
  };
  Defects defects;

  /// Fills what is unset with the defaults of the scenario. Throws UsageError for what does not go together.
  void complete();

 private:
  void complete_processes();
  void complete_clocks();
  void complete_delays();
};

}  // namespace clc::tracegen
