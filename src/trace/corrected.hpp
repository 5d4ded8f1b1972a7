// What a correction makes of the time of an event.
#pragma once

#include "clc/time.hpp"

namespace clc {

struct CorrectedTime {
  Time recorded;
  Time corrected;
};

}  // namespace clc
