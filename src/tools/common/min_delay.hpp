// The minimum message delay on the command line: -mmd, the same in all programs that have it.
#pragma once

#include <string>

#include "clc/io/format.hpp"
#include "clc/parameters.hpp"

namespace clc::tool {

/// Takes US, FROM:TO=US or node=US. Throws UsageError.
void take_min_delay(Parameters& parameters, const std::string& value);

/// What --mmd-threads says: US, or off. Throws UsageError.
void take_thread_delay(SourceOptions& options, const std::string& value);

}  // namespace clc::tool
