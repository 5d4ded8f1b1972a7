// How the clocks are mapped ahead of the correction: by a file, or as the first process estimates them from the whole
// archive, which it reads once more for that. All processes hear of the result.
#pragma once

#include <string>

#include "filter_mpi/lost_records.hpp"
#include "filter_mpi/options.hpp"
#include "filter_mpi/partners.hpp"
#include "trace/offsets.hpp"

namespace clc::filter_mpi {

struct Alignment {
  Offsets maps;      ///< by the number of the location
  std::string line;  ///< in the first process: what the estimate found; empty: there is none
};

/// Takes what is chosen into options.parameters; the first process prints it. lost: for an archive that lacks records.
/// Throws the same error in all processes.
[[nodiscard]] Alignment align(Options& options, LostRecords& lost, MpiPartners& partners);

}  // namespace clc::filter_mpi
