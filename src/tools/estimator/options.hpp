// Options of clc-sync.
#pragma once

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
  bool quiet = false;
};

/// options must outlive the result.
[[nodiscard]] tool::CommandLine command_line(Options& options);

}  // namespace clc::estimator
