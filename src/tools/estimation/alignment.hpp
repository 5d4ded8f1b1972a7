// How the clocks are mapped ahead of the correction: by a file, or as the first pass estimates them. The same in
// clc-filter and clc-filter-mpi.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "clc/report.hpp"
#include "estimation/estimation.hpp"
#include "estimation/options.hpp"
#include "trace/offsets.hpp"

namespace clc::tool {

struct Alignment {
  Offsets maps;                        ///< by process number
  std::string line;                    ///< what the estimate found; empty: there is none
  std::vector<EstimatedClock> clocks;  ///< the same, clock by clock
  MeasuredCounts measured;
  MapFigures binding;               ///< what it says of measured offsets
  std::vector<std::string> doubts;  ///< why it is not used, where it should be
};

/// The file of --offsets.
struct GivenOffsets {
  Offsets maps;                         ///< as they are
  std::optional<OffsetsFile> measured;  ///< for the estimate instead
  /// Those, for first_pass; null: there are none.
  [[nodiscard]] const OffsetsFile* file() const noexcept { return measured ? &*measured : nullptr; }
};
/// Throws InputError and UsageError.
[[nodiscard]] GivenOffsets read_given_offsets(const AlignmentOptions& options);

/// For the first pass, of a trace that is then read with the given options: the pass that follows says what is wrong
/// with the order of records.
[[nodiscard]] SourceOptions for_estimate(SourceOptions source);

/// Takes what the first pass chose into parameters. Unless quiet, prints that, and its warnings. Returns what it
/// estimated; nothing if it was only to choose.
[[nodiscard]] Alignment take(const FirstPass& pass, std::string_view program, bool quiet,
                             const AlignmentOptions& options, const Definitions& definitions, Parameters& parameters);

}  // namespace clc::tool
