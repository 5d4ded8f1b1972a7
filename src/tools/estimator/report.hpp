// The output of clc-sync: a report in comments, and the map.
#pragma once

#include <ostream>
#include <string>

#include "clc/definitions.hpp"
#include "sync/estimate.hpp"

namespace clc::estimator {

/// Lines that start with '#'. name: of the trace. contradiction: how messages contradict measured offsets; or empty.
/// by_length: lengths of messages add to minimum delays.
void write_report(std::ostream& out, const sync::Estimate& estimate, const Definitions& definitions,
                  const std::string& name, const std::string& contradiction, bool by_length);
/// Lines "%offset PROCESS TIME OFFSET", by process.
void write_offsets(std::ostream& out, const sync::Estimate& estimate, const Definitions& definitions);

}  // namespace clc::estimator
