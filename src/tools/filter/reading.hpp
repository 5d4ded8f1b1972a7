// Reads the records of a run: to the end of the trace, or up to damage. What was readable before the damage counts.
//
// Place    Between the source and what takes its records: the filter, a copier, a recording.
// Memory   Warns once when definitions alone take more than --max-memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "clc/io/source.hpp"
#include "common/progress.hpp"
#include "filter/options.hpp"

namespace clc {
struct Batch;
}

namespace clc::filter {

struct Outcome {
  std::string error;  ///< why reading ended before the end of the trace; empty: it did not
  std::uint64_t events = 0;
};

/// take: gets each batch; false: no more are needed. memory: bytes of all definitions up to the end of the last batch.
[[nodiscard]] Outcome read_all(Source& source, const Options& options, tool::Progress& progress,
                               const std::function<bool(const Batch&)>& take,
                               const std::function<std::uint64_t()>& memory);

}  // namespace clc::filter
