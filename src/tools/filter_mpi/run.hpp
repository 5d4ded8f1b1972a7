// A run of clc-filter-mpi, in each of its processes.
#pragma once

#include "filter_mpi/options.hpp"
#include "filter_mpi/partners.hpp"

namespace clc::filter_mpi {

/// Returns the exit status, or throws: the same in all processes.
[[nodiscard]] int run(const Options& options, MpiPartners& partners);

}  // namespace clc::filter_mpi
