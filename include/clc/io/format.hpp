// The list of formats, and how to open a trace whose format is not known beforehand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "clc/definitions.hpp"
#include "clc/io/sink.hpp"
#include "clc/io/source.hpp"
#include "clc/io/threads.hpp"

namespace clc {

enum class Format : std::uint8_t { text, binary, otf2, paje, chrome };

/// An OTF2 archive that is open for reading; known to the formats only.
class Archive;

/// "text", "binary", "otf2", "paje", "chrome"; nullopt for an unknown word.
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);
[[nodiscard]] std::string_view name_of(Format format) noexcept;
[[nodiscard]] std::span<const Format> all_formats() noexcept;
/// A trace in it is a folder of files, which cannot go through a pipe or be compressed.
[[nodiscard]] bool is_folder(Format format) noexcept;
/// The library behind a format, with its version when it is available; empty: needs none.
[[nodiscard]] std::string library_of(Format format);
/// False for a format that is only written.
[[nodiscard]] bool readable(Format format) noexcept;
/// False when this build is without the format's library.
[[nodiscard]] bool available(Format format) noexcept;

struct SourceOptions {
  std::optional<Format> format;  ///< unset: by content
  double sort_window_us = 0;     ///< accept disorder of times up to this many microseconds
  /// Bytes that may wait to be sorted. Where that is too little records leave early; one that is earlier is refused.
  std::uint64_t sort_memory = default_sort_memory;
  static constexpr std::uint64_t default_sort_memory = std::uint64_t{1} << 29;
  bool any_order = false;  ///< deliver records as they stand, sorted by time or not
  /// What the records will be written as: unset, anything but the same archive again; otf2 and paje leave out what only
  /// conversion needs.
  std::optional<Format> output;
  bool as_input = false;  ///< they will be written in the format of the input, or not at all
  /// Called when reading would have to wait for input that is not there yet. All records before have been delivered,
  /// except those that a sort window holds back. An archive is refused.
  std::function<void()> on_pause = {};
  /// Set: read in a thread of its own, where that is wanted. Not with on_pause.
  std::shared_ptr<Threads> threads = nullptr;
  /// otf2: the archive's clock offsets are interpolated and added to all times [R 7.2].
  bool clock_offsets = true;
  /// Which processes share a clock.
  ClockOf clock_of = ClockOf::process;
  /// otf2, with ClockOf::location: minimum delay between threads of one process, microseconds; 0: they do not order
  /// each other.
  double thread_delay_us = default_thread_delay_us;
  static constexpr double default_thread_delay_us = 0.01;
  /// otf2: notes with the members of communicators, where records are converted. They may be far longer than an archive
  /// in which many communicators share a group.
  bool group_lines = true;
  /// otf2: delivers what is readable of all locations before it throws.
  bool keep_going = false;
  /// paje: the unit of its times, 1 for seconds, 1000 for milliseconds; a power of ten up to 10^9.
  std::int64_t units_per_second = 1;

  [[nodiscard]] bool converts(Format input) const noexcept { return !as_input && output != input; }
};

/// What was found when a trace was opened; the defaults for writing its correction.
struct OpenedSource {
  std::unique_ptr<Source> source;
  Format format;
  std::optional<int> zstd_level;               ///< set when the input is compressed: the default level to write with
  std::shared_ptr<Archive> archive = nullptr;  ///< otf2: what is to be written again
};

/// Opens a file, an archive (its anchor file or its folder), or standard input for "-", finds its format by content and
/// reads its header. Throws InputError.
[[nodiscard]] OpenedSource open_source(const std::string& path, const SourceOptions& options = {});

struct SinkOptions {
  Format format = Format::text;
  std::optional<int> zstd_level;               ///< set: compress
  Format body_format = Format::text;           ///< what the bodies that will come are encoded in
  const BodyDecoder* decoder = nullptr;        ///< needed when body_format != format
  bool keep_original = false;                  ///< write the recorded time beside the corrected one
  std::string provenance;                      ///< what "%provenance " is followed by; empty: none
  std::shared_ptr<Threads> threads = nullptr;  ///< that of the source: written in a thread, where that is wanted
  /// otf2: where the events come from. It was opened with SourceOptions::output = Format::otf2, or as_input. None: they
  /// come from another format, and `decoder` is needed.
  std::shared_ptr<Archive> archive = nullptr;
  bool sync = true;        ///< close waits until a regular file or an archive is on the disk
  bool overwrite = false;  ///< otf2: replace an archive in the folder
};

/// Opens a file (written under a temporary name until close), or standard output for "-".
/// An archive is a folder, which appears when it is closed. Refuses binary on a terminal. Throws OutputError,
/// UsageError.
[[nodiscard]] std::unique_ptr<Sink> open_sink(const std::string& path, const Definitions& definitions,
                                              const SinkOptions& options);

}  // namespace clc
