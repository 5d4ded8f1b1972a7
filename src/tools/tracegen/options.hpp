// The command line of clc-tracegen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clc/io/format.hpp"
#include "settings.hpp"

namespace clc::tracegen {

struct Options {
  Settings settings;
  bool seed_given = false;
  std::string output = "-";
  Format format = Format::text;
  std::optional<int> zstd_level;
  bool sync = true;                       ///< wait until outputs are on the disk
  bool overwrite = false;                 ///< of an OTF2 archive
  std::string truth;                      ///< path; empty: none
  std::optional<std::uint64_t> truncate;  ///< bytes
  bool provenance = true;
  std::vector<std::string> words;  ///< what determines the trace, as given: for its provenance
};

/// Settings are complete afterwards. False when --help or --version was printed. Throws UsageError.
[[nodiscard]] bool parse(int argc, const char* const* argv, Options& options);

/// "clc-tracegen 0.1.0 halo --events 1000 --seed 17": makes this trace again.
[[nodiscard]] std::string provenance(const Options& options);

}  // namespace clc::tracegen
