// JSON for Perfetto and chrome://tracing (clc-trace(5)); output only.
#pragma once

#include <memory>

#include "bytes/bytes.hpp"
#include "clc/io/format.hpp"

namespace clc::formats {

[[nodiscard]] std::unique_ptr<Sink> chrome_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                                const SinkOptions& options);

}  // namespace clc::formats
