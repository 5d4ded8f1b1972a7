// The end of a run: its report, its warnings, and the exit status that follows from them.
//
// Place    After all records were read and the output is closed.
#pragma once

#include "clc/analysis.hpp"
#include "clc/io/sink.hpp"
#include "filter/input.hpp"
#include "filter/live.hpp"
#include "filter/options.hpp"
#include "filter/reading.hpp"
#include "filter/shift_watch.hpp"
#include "formats/bytes/files.hpp"

namespace clc::filter {

/// A run that has ended.
struct Ended {
  const Options& options;
  const Input& input;
  const Sink* file;       ///< null: nothing was written
  OutputFile* report;     ///< null: none is written
  double min_delay_us;    ///< in effect
  double seconds;         ///< wall time
  bool can_start_again;   ///< as of again.hpp
  bool could_not_search;  ///< for lost records: more ends than --max-memory holds
  const Outcome& outcome;
};

/// Of a run that copied the records. Returns the exit status.
[[nodiscard]] int conclude_copy(const Ended& run);
/// Of a correction. watch, live: null if there was none. Returns the exit status.
[[nodiscard]] int conclude(const Ended& run, const Analysis& of_clock, const ShiftWatch* watch, const Live* live);

}  // namespace clc::filter
