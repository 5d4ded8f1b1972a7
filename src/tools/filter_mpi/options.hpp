// The command line of clc-filter-mpi. Parsing opens no files.
#pragma once

#include <optional>
#include <string>

#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "estimation/options.hpp"

namespace clc::filter_mpi {

struct Options : tool::AlignmentOptions {
  Parameters parameters;
  std::optional<Match> match;  ///< fifo or whole; nullopt: whole where records are missing
  std::string input;
  std::string output;
  SourceOptions source;
  bool overwrite = false;
  bool keep_original = false;
  bool provenance = true;
  bool sync = true;
  bool dry_run = false;
  std::optional<std::string> report;  ///< file; "-": standard output
  bool json = false;                  ///< the report
  bool strict = false;
  bool verbose = false;
  bool quiet = false;
};

/// nullopt if --help or --version was printed. Throws UsageError.
[[nodiscard]] std::optional<Options> parse(int argc, const char* const* argv);

/// The options that change the result, as on the command line.
[[nodiscard]] std::string effective(const Options& options, double min_delay_us);

}  // namespace clc::filter_mpi
