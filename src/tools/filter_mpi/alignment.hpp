// How the clocks are mapped before the correction: by a file, or as the ranks estimate them together. They match
// their messages by sync/divided_matcher.hpp; the first one solves for the maps, and tells the others. Where records
// are missing, which shows when all messages are matched, the first process reads the whole archive for that.
#pragma once

#include "estimation/alignment.hpp"
#include "filter_mpi/lost_records.hpp"
#include "filter_mpi/options.hpp"
#include "filter_mpi/partners.hpp"
#include "formats/otf2/part.hpp"

namespace clc::filter_mpi {

using tool::Alignment;
using tool::GivenOffsets;
using tool::read_given_offsets;

/// Takes what is chosen into options.parameters; the first process prints it. given: of the first process. lost: for an
/// archive that lacks records. part: has been read, and is read on. Throws the same error in all processes.
[[nodiscard]] Alignment align(Options& options, GivenOffsets given, LostRecords& lost, otf2::ArchivePart& part,
                              MpiPartners& partners);

}  // namespace clc::filter_mpi
