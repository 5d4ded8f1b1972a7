// The simulated programs.
//
// Shape    A program generates its records in rounds, for all processes together. A round is an iteration or
//          a span of true time. After each round it returns a true time that no later record precedes.
// Rate     The planned length of an iteration follows from --rate. A process that is late computes less, but
//          at least a sixteenth of the plan, so messages may make the run longer than planned.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "clock.hpp"
#include "settings.hpp"
#include "world.hpp"

namespace clc::tracegen {

/// What is known before the program runs.
struct Plan {
  std::uint32_t processes = 0;
  std::uint32_t rows = 0;  ///< of the grid, where there is one
  std::uint32_t columns = 0;
  std::uint64_t rounds = 0;
  double period = 0;   ///< length of a round in ticks
  Ticks duration = 0;  ///< rounds * period
  std::vector<std::vector<ProcessIndex>> communicators;
  std::vector<ClockPlan> clocks;  ///< one per process
};

class Program {
 public:
  virtual ~Program() = default;
  /// Makes the records of round k and returns the true time before which no record comes any more.
  virtual Ticks round(World& world, std::uint64_t k) = 0;
  /// Makes the records that are left.
  virtual void finish(World&) {}
};

/// settings must be complete. Throws UsageError when the scenario cannot run with them.
[[nodiscard]] std::unique_ptr<Program> make_program(const Settings& settings, Plan& plan);

}  // namespace clc::tracegen
