// Connects trace, model and page.
#pragma once

#include "view/options.hpp"

namespace clc::view {

/// Returns the exit status; throws Error.
[[nodiscard]] int run(const Options& options);

}  // namespace clc::view
