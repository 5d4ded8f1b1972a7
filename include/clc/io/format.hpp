// The list of formats; opens traces of any format for reading and writing.
//
// Place    Opens the two ends of the pipeline: open_source, Filter, open_sink.
// Units    Options end in their unit: _us microseconds, _s seconds. Memory is in bytes.
// Errors   InputError names the file and the line, record or offset, what was expected, and what to do;
//          OutputError names the file; UsageError the option. Writing to a pipe without a reader throws BrokenPipe.
// Cost     Opening reads the header; an OTF2 archive its definitions, which stay in memory. What else is kept stands at
//          the options.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/sink.hpp"
#include "clc/io/source.hpp"

namespace clc {

enum class Format : std::uint8_t { text, binary, otf2, paje, chrome };

/// An OTF2 archive that is open for reading; for the formats only.
class Archive;

/// Several traces that are read as one; for the formats only.
class Parts;

/// A map of clocks; for the programs only.
struct Offsets;

/// Standard input, or another stream that can be read only once, in a temporary file; for the formats only.
class KeptInput;
/// Reads the stream to its end, for SourceOptions::kept. format: that of SourceOptions; none: input that does not begin
/// as a trace is refused before the rest is read. Throws InputError, OutputError.
[[nodiscard]] std::shared_ptr<const KeptInput> keep_input(const std::string& path, std::optional<Format> format = {});
/// By path.
using KeptInputs = std::map<std::string, std::shared_ptr<const KeptInput>>;

/// "text", "binary", "otf2", "paje", "chrome"; nullopt for an unknown word.
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);
[[nodiscard]] std::string_view name_of(Format format) noexcept;
[[nodiscard]] std::span<const Format> all_formats() noexcept;
/// True if a trace in the format is a folder of files, which cannot be piped or compressed.
[[nodiscard]] bool is_folder(Format format) noexcept;
/// The library that a format needs, with its version if available; empty: none.
[[nodiscard]] std::string library_of(Format format);
/// False for output-only formats.
[[nodiscard]] bool readable(Format format) noexcept;
/// False if this build lacks the format's library.
[[nodiscard]] bool available(Format format) noexcept;

/// Runs reading and writing in threads of their own, beside the clock.
///
///     from.threads = to.threads = std::make_shared<Threads>();  // SourceOptions and SinkOptions of one source and
///     sink
///
/// Results    The same for any number of threads, including errors and the output that precedes them.
/// Protocol   One thread uses both source and sink: it opens, reads, pushes and closes. definitions() of the source
///            change only during its read, as without threads.
/// Signals    The caller's thread handles all signals that end the program.
/// Cost       The reading thread passes on copies: of records if parsing is slow (text, Paje, OTF2), of bytes
///            otherwise. The writing thread gets copies of bytes to be compressed; otherwise it sorts and formats
///            emitted events itself, without a copy. A few hundred KiB are buffered between two threads. The
///            destructor of a sink, or of an unfinished filter, waits for a blocked write.
class Threads {
 public:
  /// Total number of threads. 1: only the caller's; 2: also a writer; 3: also a reader; all of them copy the event
  /// files of an archive that is written again. Unset: those that pay off for the format, if more than one processor is
  /// available.
  explicit Threads(std::optional<unsigned> count = {});
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();

  /// State shared by source and sink; for the formats only.
  class Crew;
  [[nodiscard]] Crew& crew() noexcept { return *crew_; }
  /// Waits until the sink has written all that it received. For a source that wraps the one of open_source: call this
  /// before its definitions() change.
  void drain();

 private:
  std::unique_ptr<Crew> crew_;
};

using OnPause = std::function<std::optional<std::chrono::milliseconds>()>;

struct SourceOptions {
  std::optional<Format> format;  ///< unset: by content
  /// Further traces, merged with the first by time. Processes and communicators with the same number are the same. A
  /// folder that is no archive stands for the traces in it. If that makes only one trace, nothing is merged: it is read
  /// as if it had been named itself.
  std::vector<std::string> further = {};
  std::string files_from = {};  ///< a file that names further traces, one per line; "-": standard input; empty: none
  bool as_set = false;          ///< a single trace is a set of one: OpenedSource::parts is set. Not for archives
  double sort_window_us = 0;    ///< accept times out of order by up to this many microseconds
  /// Limit for bytes buffered to be sorted. When it is reached, records are delivered early, and a record that should
  /// have preceded them is refused.
  std::uint64_t sort_memory = default_sort_memory;
  static constexpr std::uint64_t default_sort_memory = std::uint64_t{1} << 29;
  /// Set: the source reads from here; messages still name the path.
  std::shared_ptr<const KeptInput> kept = nullptr;
  /// Set, for several traces: those that can be read only once are kept there when they are first opened.
  std::shared_ptr<KeptInputs> kept_inputs = nullptr;
  bool any_order = false;  ///< deliver records in file order, sorted by time or not
  /// The format in which the records will be written. otf2 and paje then leave out data that only conversion needs.
  /// Unset: unknown, but not the same archive again.
  std::optional<Format> output;
  bool as_input = false;  ///< records will be written in the format of the input, or not at all
  /// Called when reading would block because the input pauses. All earlier records have been delivered by then, except
  /// those buffered for the sort window. Returns after how long to call it again if the input still pauses; none: not
  /// before more input has come. Refused for archives.
  OnPause on_pause = {};
  /// Set: reading may use a thread of its own. Not together with on_pause.
  std::shared_ptr<Threads> threads = nullptr;
  /// otf2: interpolate the archive's clock offsets and add them to all times [R 7.2].
  bool clock_offsets = true;
  /// Which processes share a clock.
  ClockOf clock_of = ClockOf::process;
  /// otf2, with ClockOf::location: minimum delay between threads of one process, microseconds; 0: no edges between
  /// threads.
  double thread_delay_us = default_thread_delay_us;
  static constexpr double default_thread_delay_us = 0.01;
  /// otf2: on conversion, deliver notes with the members of communicators. If many communicators share a group, these
  /// notes may be far longer than the archive.
  bool group_lines = true;
  /// otf2: deliver the readable records of all locations before throwing. Several traces: those of all traces.
  bool keep_going = false;
  /// paje: the unit of its times, 1 for seconds, 1000 for milliseconds; a power of ten up to 10^9.
  std::int64_t units_per_second = 1;

  [[nodiscard]] bool converts(Format input) const noexcept { return !as_input && output != input; }
};

/// An opened trace, with the defaults for writing its correction.
struct OpenedSource {
  std::unique_ptr<Source> source;
  Format format;                               ///< of several traces: that of the first
  std::optional<int> zstd_level;               ///< set if the input is compressed: the default level for the output
  std::shared_ptr<Archive> archive = nullptr;  ///< otf2: the archive, for SinkOptions::archive
  std::optional<Format> body_format = {};      ///< encoding of the bodies, for SinkOptions; unset: that of `format`
  std::shared_ptr<Parts> parts = nullptr;      ///< several traces: for SinkOptions::parts
};

/// Opens a file, an archive (by anchor file or folder), the traces in another folder, or standard input for "-".
/// Recognises the format by content and reads the header. An empty path means none: the options name the traces. Throws
/// InputError, and UsageError for invalid options: a time or unit out of its range, a format that can only be
/// written, on_pause with an archive or several traces.
[[nodiscard]] OpenedSource open_source(const std::string& path, const SourceOptions& options = {});

struct SinkOptions {
  Format format = Format::text;
  std::optional<int> zstd_level;               ///< set: compress
  Format body_format = Format::text;           ///< encoding of the payloads that the sink will receive
  const BodyDecoder* decoder = nullptr;        ///< needed when body_format != format
  bool keep_original = false;                  ///< write the recorded time beside the corrected one
  std::vector<std::string> provenance;         ///< texts of "%provenance" lines, the newest first
  std::shared_ptr<Threads> threads = nullptr;  ///< the same as of the source: writing may use a thread
  /// otf2: the archive that the events come from, opened with SourceOptions::output = Format::otf2 or as_input. Unset:
  /// they come from another format, and `decoder` is needed.
  std::shared_ptr<Archive> archive = nullptr;
  /// otf2, with `archive`: keep the times in the archive, and write this map of the clocks as its clock offsets, which
  /// readers apply. The events must come as they were read. At the time of each event the clock offsets give the mapped
  /// time within 1 tick; within 2 if they include clock offsets of the input.
  std::shared_ptr<const Offsets> clock_offsets = nullptr;
  /// Set: the path is a folder that does not exist yet. It gets a trace for each one that is read, with its name,
  /// format, compression, records and notes. They must be files, because they are read again. The other options apply
  /// to each; format and zstd_level are ignored. Events may not be left out between others of their process.
  std::shared_ptr<Parts> parts = nullptr;
  bool sync = true;        ///< close waits until a regular file or an archive is on the disk
  bool overwrite = false;  ///< otf2: replace an archive in the folder
};

/// Opens a file (under a temporary name until close), or standard output for "-". An archive is a folder, which appears
/// under its name on close. Keeps references to definitions and SinkOptions::decoder until it is destroyed, so the
/// source that owns them must outlive the sink. Refuses to write binary data to a terminal. Throws OutputError,
/// UsageError.
[[nodiscard]] std::unique_ptr<Sink> open_sink(const std::string& path, const Definitions& definitions,
                                              const SinkOptions& options);

}  // namespace clc
