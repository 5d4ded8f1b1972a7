// Runs a simulated program on simulated clocks.
#pragma once

#include <cstdint>

#include "recorder.hpp"
#include "scenarios.hpp"
#include "settings.hpp"

namespace clc::tracegen {

struct Generated {
  std::uint64_t records = 0;
  std::size_t peak = 0;  ///< most records that waited in memory
};

/// program and plan as from make_program; truth may be null.
Generated generate(const Settings& settings, const Plan& plan, Program& program, Output& recorded, Output* truth);

}  // namespace clc::tracegen
