// The text format `.clct` (clc-trace(5)): for people and scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bytes/bytes.hpp"
#include "clc/io/format.hpp"
#include "common/reader.hpp"

namespace clc::formats {

inline constexpr std::string_view text_magic = "%clc-trace";

/// The position of the last field if it is a kept recorded time, "@=TICKS"; else npos. fields: behind the kind word,
/// without blanks at the end.
[[nodiscard]] std::size_t find_recorded(std::string_view fields, std::int64_t& ticks) noexcept;

[[nodiscard]] std::unique_ptr<Reader> text_source(std::string name, std::unique_ptr<ByteSource> bytes,
                                                  ClockOf clock_of);
[[nodiscard]] std::unique_ptr<Sink> text_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                              const SinkOptions& options);

}  // namespace clc::formats
