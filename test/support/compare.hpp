// The filter's result against the plain reference.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "clc/event.hpp"
#include "reference.hpp"
#include "run_filter.hpp"

namespace clc::test {

/// How far off the written times may be, in ticks, because the offsets under them are doubles: a line as steep as the
/// steepest of the process magnifies their rounding errors.
[[nodiscard]] std::vector<double> rounding_errors(std::span<const Event> events, std::span<const Time> written);

/// What differs by more than rounding explains; empty: nothing.
[[nodiscard]] std::string compare(const Reference& expected, const Run& run, std::span<const Event> events);

/// In a message about an event.
[[nodiscard]] inline std::string at_event(std::size_t event) { return " at event " + std::to_string(event); }

}  // namespace clc::test
