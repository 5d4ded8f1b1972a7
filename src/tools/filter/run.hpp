// From source through the filter to the sink.
#pragma once

#include "filter/options.hpp"

namespace clc::filter {

/// Runs the filter as options say. Returns the exit status; throws Error.
[[nodiscard]] int run(const Options& options);

}  // namespace clc::filter
