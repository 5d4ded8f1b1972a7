// The binary format `.clcb` (clc-trace(5)): compact and fast, with checksums.
#pragma once

#include <memory>
#include <string>

#include "bytes/bytes.hpp"
#include "clc/io/format.hpp"
#include "common/reader.hpp"

namespace clc::formats {

[[nodiscard]] std::unique_ptr<Reader> binary_source(std::string name, std::unique_ptr<ByteSource> bytes,
                                                    ClockOf clock_of);
[[nodiscard]] std::unique_ptr<Sink> binary_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                                const SinkOptions& options);

}  // namespace clc::formats
