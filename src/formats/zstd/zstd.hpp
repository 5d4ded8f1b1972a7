// zstd compression around other byte sources and sinks, streaming.
//
// Input    Any number of frames, with skippable frames between them. On damage, all bytes decoded before it
//          are delivered first; then read throws InputError with the offset in the compressed file.
// Memory   The window of a frame, up to 512 MiB; a frame with a larger one is refused.
// Output   One frame with a checksum.
#pragma once

#include <memory>
#include <string>

#include "bytes/bytes.hpp"

namespace clc::formats {

/// True when the bytes (4 are enough) begin a zstd or a skippable frame.
[[nodiscard]] bool is_zstd(std::string_view bytes) noexcept;

[[nodiscard]] std::unique_ptr<ByteSource> zstd_source(std::string name, std::unique_ptr<ByteSource> inner);
/// Throws UsageError when the level is out of zstd's range.
[[nodiscard]] std::unique_ptr<ByteSink> zstd_sink(std::unique_ptr<ByteSink> inner, int level);

}  // namespace clc::formats
