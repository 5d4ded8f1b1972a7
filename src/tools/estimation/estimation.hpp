// The first pass: reads a trace and estimates its clocks.
//
// Place    clc-sync does nothing else; clc-filter does so ahead of the pass that corrects.
#pragma once

#include <string>
#include <string_view>

#include "clc/io/format.hpp"
#include "sync/estimate.hpp"

namespace clc::tool {

/// Reads all records of source. keep_going: what is readable of a damaged trace counts; else throws InputError.
[[nodiscard]] sync::Estimate estimate_clocks(Source& source, const sync::Options& options, bool keep_going);

/// False in a build without Eigen: estimate_clocks throws UsageError.
[[nodiscard]] bool can_estimate() noexcept;

/// For --method and --estimate: "line" or "smooth".
[[nodiscard]] sync::Method estimation_method(std::string_view option, const std::string& word);
[[nodiscard]] std::string_view name_of(sync::Method method) noexcept;

/// One line: how many of the messages that bind were below the minimum delay, as recorded and as mapped.
[[nodiscard]] std::string violations_line(const sync::Estimate& estimate);

}  // namespace clc::tool
