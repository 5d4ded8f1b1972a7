// From the first to the last record of a clock.
//
// Units    Ticks as recorded.
#pragma once

#include <optional>
#include <vector>

#include "clc/time.hpp"

namespace clc::sync {

struct ClockSpan {
  Time first;
  Time last;
};

/// Of each clock; nullopt: without records.
using ClockSpans = std::vector<std::optional<ClockSpan>>;

}  // namespace clc::sync
