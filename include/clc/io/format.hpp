// The list of formats, and how to open a trace whose format is not known beforehand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/sink.hpp"
#include "clc/io/source.hpp"

namespace clc {

enum class Format : std::uint8_t { text, binary };

/// "text", "binary"; nullopt for an unknown word.
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);
[[nodiscard]] std::string_view name_of(Format format) noexcept;

struct SourceOptions {
  std::optional<Format> format;  ///< unset: by content
  double sort_window_us = 0;     ///< accept disorder of times up to this many microseconds
  bool any_order = false;        ///< deliver records as they stand, sorted by time or not
};

/// What was found when a trace was opened; the defaults for writing its correction.
struct OpenedSource {
  std::unique_ptr<Source> source;
  Format format;
  std::optional<int> zstd_level;  ///< set when the input is compressed: the default level to write with
};

/// Opens a file, or standard input for "-", finds its format by content and reads its header.
/// Throws InputError.
[[nodiscard]] OpenedSource open_source(const std::string& path, const SourceOptions& options = {});

struct SinkOptions {
  Format format = Format::text;
  std::optional<int> zstd_level;         ///< set: compress
  Format body_format = Format::text;     ///< what the bodies that will come are encoded in
  const BodyDecoder* decoder = nullptr;  ///< needed when body_format != format
  bool keep_original = false;            ///< write the recorded time beside the corrected one
  std::string provenance;                ///< what "%provenance " is followed by; empty: none
};

/// Opens a file (written under a temporary name until close), or standard output for "-".
/// Refuses binary on a terminal. Throws OutputError, UsageError.
[[nodiscard]] std::unique_ptr<Sink> open_sink(const std::string& path, const Definitions& definitions,
                                              const SinkOptions& options);

}  // namespace clc
