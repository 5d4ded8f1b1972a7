// Options of clc-sync.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "clc/io/format.hpp"
#include "common/command_line.hpp"
#include "sync/estimate.hpp"

namespace clc::estimator {

struct Options {
  std::string input = "-";
  std::string output = "-";
  SourceOptions source;
  sync::Options estimation;
  bool method_given = false;
  bool burst_given = false;
  bool min_delay_given = false;
  std::string offsets;  ///< file with measured offsets; empty: none
  bool quiet = false;
  bool compare = false;  ///< the methods on simulated runs, instead of a trace
  std::optional<std::uint64_t> first_seed;
  std::optional<std::uint64_t> seeds;
  static constexpr std::uint64_t default_first_seed = 1;
  static constexpr std::uint64_t default_seeds = 3;
  bool json = false;   ///< of the comparison
  bool named = false;  ///< INPUT was given
};

/// options must outlive the result.
[[nodiscard]] tool::CommandLine command_line(Options& options);
/// Throws UsageError: an option would have no effect.
void validate(const Options& options);

}  // namespace clc::estimator
