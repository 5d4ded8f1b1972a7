// The first pass: reads a trace and estimates its clocks.
//
// Place    All that clc-sync does; in clc-filter, the pass before the correction.
#pragma once

#include <string>
#include <string_view>

#include "clc/io/format.hpp"
#include "sync/estimate.hpp"

namespace clc::tool {

/// Reads all records of source. keep_going: use the readable part of a damaged trace; else throws InputError.
[[nodiscard]] sync::Estimate estimate_clocks(Source& source, const sync::Options& options, bool keep_going);

/// False in a build without Eigen: estimate_clocks throws UsageError.
[[nodiscard]] bool can_estimate() noexcept;

/// For --method and --estimate: "line" or "smooth".
[[nodiscard]] sync::Method estimation_method(std::string_view option, const std::string& word);
[[nodiscard]] std::string_view name_of(sync::Method method) noexcept;

/// One line: how many of the binding messages were below the minimum delay, before and after mapping.
[[nodiscard]] std::string violations_line(const sync::Estimate& estimate);

}  // namespace clc::tool
