// The figures of the report against plain counting.
#pragma once

#include <span>
#include <string>

#include "clc/event.hpp"
#include "run_filter.hpp"

namespace clc::test {

/// What the analysis of a run says of moved events and of intervals, and is not so; empty: nothing.
[[nodiscard]] std::string compare_figures(const Run& run, std::span<const Event> events);

}  // namespace clc::test
