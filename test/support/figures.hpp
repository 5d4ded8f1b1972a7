// The figures of the report against plain counting.
#pragma once

#include <span>
#include <string>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/parameters.hpp"
#include "reference.hpp"
#include "run_filter.hpp"

namespace clc::test {

/// What the analysis of a run says of moved events and of intervals, and is not so; empty:
/// nothing. expected: of the same run.
[[nodiscard]] std::string compare_figures(const Run& run, const Reference& expected, const Parameters& parameters,
                                          const Definitions& definitions, std::span<const Event> events);

}  // namespace clc::test
