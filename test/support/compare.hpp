// The filter's result against the plain reference.
#pragma once

#include <span>
#include <string>

#include "clc/event.hpp"
#include "reference.hpp"
#include "run_filter.hpp"

namespace clc::test {

/// What differs by more than rounding explains; empty: nothing.
[[nodiscard]] std::string compare(const Reference& expected, const Run& run, std::span<const Event> events);

}  // namespace clc::test
