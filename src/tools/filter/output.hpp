// The trace that is written: which file or folder, in which format, and why it cannot be.
#pragma once

#include <memory>

#include "clc/io/format.hpp"
#include "filter/input.hpp"
#include "filter/options.hpp"

namespace clc::filter {

/// Throws UsageError if the trace or the report would overwrite an input, or the report the trace.
void refuse_to_overwrite(const Options& options);

/// Of the output, unless it is a folder with the same set of traces.
[[nodiscard]] inline Format output_format(const Options& options, const Input& input) {
  return options.writing.output_format.value_or(input.opened().format);
}

/// null: nothing is to be written. min_delay_us: in effect. Throws OutputError, UsageError.
[[nodiscard]] std::unique_ptr<Sink> open_output(const Options& options, const Input& input,
                                                std::shared_ptr<Threads> threads, double min_delay_us);

}  // namespace clc::filter
