// From the trace through the model to the page.
#pragma once

#include "view/options.hpp"

namespace clc::view {

/// Returns the exit status; throws Error.
[[nodiscard]] int run(const Options& options);

}  // namespace clc::view
