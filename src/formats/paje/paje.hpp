// Paje traces (clc-trace(5)): written by SimGrid, StarPU and others, displayed by ViTE and pajeng.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bytes/bytes.hpp"
#include "clc/io/format.hpp"
#include "common/reader.hpp"

namespace clc::formats {

/// How a trace may start: with a definition, or with a comment ahead of it.
[[nodiscard]] bool is_paje(std::string_view start) noexcept;

[[nodiscard]] std::unique_ptr<Reader> paje_source(std::string name, std::unique_ptr<ByteSource> bytes,
                                                  const SourceOptions& options);
/// Writes the lines that a Paje source has read, or a new trace from the records of another format.
[[nodiscard]] std::unique_ptr<Sink> paje_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                              const SinkOptions& options);

}  // namespace clc::formats
