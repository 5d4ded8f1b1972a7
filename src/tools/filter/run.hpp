// Connects source, filter and sink.
#pragma once

#include "filter/options.hpp"

namespace clc::filter {

/// Runs the filter with the given options. Returns the exit status; throws Error.
[[nodiscard]] int run(const Options& options);

}  // namespace clc::filter
