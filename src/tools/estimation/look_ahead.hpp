// Estimates clocks in one pass: records wait until the map of their clocks is fixed, are mapped, and sorted again.
//
//     auto [source, found] = with_look_ahead(std::move(inner), settings, recorded);
//     WithRecorded sink(*file, recorded);   // the filter writes to it
//
// Map      Grows along the trace. Each new point is a note ahead of the records that need it:
//          "%provenance offset@N PROCESS TIME OFFSET", where N counts the corrections of the trace with this one.
// Memory   The records of two look-aheads, and of the spread of the offsets; none of these depends on the length of the
//          trace. Where they take more than `most_memory`, read throws InputError behind the records before.
// Results  Depend only on the sequence of records.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clc/io/source.hpp"
#include "clc/report.hpp"
#include "formats/common/aligned.hpp"
#include "sync/estimate.hpp"

namespace clc::tool {

struct LookAhead {
  double seconds = 0;        ///< of trace time, more than 0
  sync::Options estimation;  ///< methods smooth and line; nodes are found in the trace
  bool write_map = true;     ///< as notes
  std::uint64_t most_memory = 0;
  std::function<void()> on_definitions;  ///< called in read before definitions() change; empty: not needed
};

/// What there is to say of a map that has grown to its end.
struct GrownMap {
  std::size_t estimates = 0;
  std::vector<EstimatedClock> clocks;
  std::string steps;                ///< clocks that were set; empty: none
  std::vector<std::string> doubts;  ///< why the map may be wrong
};

/// A source that maps clocks as it reads.
struct MappedAhead {
  std::unique_ptr<Source> source;
  std::function<GrownMap()> found;  ///< so far; as long as there is the source
};

/// inner: sorted by recorded time. recorded: must outlive the result. Throws UsageError in a build without Eigen.
[[nodiscard]] MappedAhead with_look_ahead(std::unique_ptr<Source> inner, const LookAhead& settings,
                                          RecordedTimes& recorded);

}  // namespace clc::tool
