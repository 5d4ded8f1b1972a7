// A step of the controller, and what its regulators know of it.
//
// Units    Ticks.
#pragma once

#include "clc/time.hpp"

namespace clc {

/// What the controller makes of an event. Offsets are relative to C, or to C^ where the clock was set back.
struct ForwardStep {
  double offset = 0;         ///< D
  double simple_offset = 0;  ///< E = LC - C
  double local = 0;          ///< D_local
  double jump = 0;
};

/// What gamma may depend on: the event before in the same clock, and C of the event itself.
struct BeforeStep {
  double offset = 0;         ///< D
  Time maximum;              ///< C^
  double simple_offset = 0;  ///< LC - C^
  Time recorded;             ///< of the event itself
};

/// An event that was processed.
struct AfterStep {
  Time recorded;             ///< C
  Time maximum;              ///< C^
  double offset = 0;         ///< D = LC' - C
  double simple_offset = 0;  ///< E = LC - C
  const ForwardStep& step;   ///< offsets relative to C^
  bool communicates = false;
};

}  // namespace clc
