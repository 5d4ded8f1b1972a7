#include "clc/io/format.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <utility>

#include "binary/binary.hpp"
#include "binary/layout.hpp"
#include "bytes/descriptors.hpp"
#include "bytes/file.hpp"
#include "bytes/files.hpp"
#include "chrome/chrome.hpp"
#include "clc/error.hpp"
#include "common/foreign.hpp"
#include "common/order.hpp"
#include "common/reader.hpp"
#include "common/words.hpp"
#include "kept_input.hpp"
#include "merged/merged.hpp"
#include "otf2/anchor.hpp"
#include "otf2/door.hpp"
#include "paje/paje.hpp"
#include "text/text.hpp"
#include "threads/crew.hpp"
#include "threads/threads.hpp"
#include "zstd/zstd.hpp"

namespace clc {

namespace {

using namespace formats;

/// What the rest of the project knows of a format.
struct FormatEntry {
  Format format;
  std::string_view name;
  bool for_terminal;  ///< may be written to a terminal
  bool (*recognize)(std::string_view start);
  std::string_view start;  ///< what a trace begins with, for people
  bool slow_words;         ///< parsing takes longer than to hand over records to another thread
  std::unique_ptr<Reader> (*source)(std::string name, std::unique_ptr<ByteSource> bytes, const SourceOptions& options);
  std::unique_ptr<Sink> (*sink)(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                const SinkOptions& options);
};

bool is_text(std::string_view start) { return start.starts_with("%clc"); }
/// By the letters, so that a file with a damaged first byte gets a message about the damage.
bool is_binary(std::string_view start) { return start.size() >= 4 && start.substr(1, 3) == binary::magic.substr(1, 3); }

/// For formats that are only written.
bool is_nothing(std::string_view /*start*/) { return false; }

template <std::unique_ptr<Reader> (*open)(std::string, std::unique_ptr<ByteSource>, ClockOf)>
std::unique_ptr<Reader> plain(std::string name, std::unique_ptr<ByteSource> bytes, const SourceOptions& options) {
  return open(std::move(name), std::move(bytes), options.clock_of);
}

/// A line for each format, in the order of Format. Archives are several files: source and sink are opened by name, see
/// otf2/door.hpp.
constexpr std::array registry{
    FormatEntry{Format::text, "text", true, is_text, "\"%clc-trace 1\"", true, plain<text_source>, text_sink},
    FormatEntry{Format::binary, "binary", false, is_binary, "", false, plain<binary_source>, binary_sink},
    FormatEntry{Format::otf2, "otf2", false, otf2::starts_anchor, "", false, nullptr, nullptr},
    FormatEntry{Format::paje, "paje", true, is_paje, "\"%EventDef\"", true, paje_source, paje_sink},
    FormatEntry{Format::chrome, "chrome", true, is_nothing, "", true, nullptr, chrome_sink},
};

constexpr std::array formats_in_order = [] {
  std::array<Format, registry.size()> formats{};
  for (std::size_t i = 0; i < formats.size(); ++i) formats[i] = registry[i].format;
  return formats;
}();
static_assert([] {
  for (std::size_t i = 0; i < registry.size(); ++i)
    if (formats_in_order[i] != static_cast<Format>(i)) return false;
  return true;
}());

const FormatEntry& entry_of(Format format) noexcept { return registry[static_cast<std::size_t>(format)]; }

constexpr std::size_t peeked = 16;
constexpr int usual_zstd_level = 3;
constexpr int fast_zstd_level = 3;  // the highest at which a record is formatted and compressed sooner than corrected

/// What to do with content that is no trace.
std::string advice(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return "it is compressed with gzip: use gzip -dc FILE | ...";
  if (start.starts_with(std::string_view("\xfd"
                                         "7zXZ\0",
                                         6)))
    return "it is compressed with xz: use xz -dc FILE | ...";
  if (start.starts_with("BZh")) return "it is compressed with bzip2: use bzip2 -dc FILE | ...";
  if (start.starts_with("\xef\xbb\xbf%clc")) return "remove the byte order mark in front of it";
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) return "it is UTF-16: convert it to UTF-8";
  return "check the name, or name the format with SourceOptions::format";
}

const FormatEntry& recognize(const std::string& name, PeekSource& bytes) {
  std::string_view start = bytes.peek(peeked);
  if (start.empty()) throw InputError(name + ": is empty, expected a trace; check the program that wrote it");
  for (const FormatEntry& entry : registry)
    if (entry.recognize(start)) return entry;
  // A pipe may hold no more for a while: it is asked where a few bytes do not tell.
  if (start.starts_with('{') || start.starts_with('[') || start.find('\0') != std::string_view::npos)
    start = bytes.peek(foreign_start);
  if (const std::optional<std::string> what = foreign(name, start)) throw InputError(name + ": " + *what);
  start = start.substr(0, peeked);
  std::string expected;
  for (const FormatEntry& entry : registry) {
    if (entry.source == nullptr) continue;
    expected += "in " + std::string(entry.name);
    if (!entry.start.empty()) expected += " (" + std::string(entry.start) + ')';
    expected += ", ";
  }
  throw InputError(name + ": found " + in_quotes(start) + " at the start, expected a trace " + expected +
                   "or one of them in zstd; " + advice(start));
}

}  // namespace

std::shared_ptr<const KeptInput> keep_input(const std::string& path, std::optional<Format> format) {
  PeekSource input(open_file_source(path));
  const bool packs = !is_zstd(input.peek(4));
  if (!format && packs) static_cast<void>(recognize(input_name(path), input));
  return std::make_shared<const KeptInput>(input_name(path), input, packs);
}

std::optional<Format> format_from_name(std::string_view name) {
  for (const FormatEntry& entry : registry)
    if (entry.name == name) return entry.format;
  return std::nullopt;
}

std::string_view name_of(Format format) noexcept { return entry_of(format).name; }

std::span<const Format> all_formats() noexcept { return formats_in_order; }

bool is_folder(Format format) noexcept { return format == Format::otf2; }

std::string library_of(Format format) { return is_folder(format) ? otf2::library() : std::string(); }

bool readable(Format format) noexcept { return is_folder(format) || entry_of(format).source != nullptr; }

bool available(Format format) noexcept { return !is_folder(format) || otf2::built_in; }

namespace {

/// How a trace is read together with many others.
struct Pieces {
  std::size_t bytes;    ///< of a read
  std::size_t records;  ///< of a batch
  bool closed;          ///< open only while it is read
};

/// A trace that is no archive.
OpenedSource open_file(const std::string& path, const SourceOptions& options, const Pieces* pieces) {
  const std::string name = input_name(path);
  if (const std::optional<std::string> what = foreign_folder(path)) throw InputError(name + ": " + *what);
  OpenedSource opened{nullptr, Format::text, std::nullopt};
  // What waits for live input is handed over at once.
  std::shared_ptr<Interrupt> interrupt;
  if (options.threads && options.threads->crew().reader(true) && !options.on_pause) {
    interrupt = std::make_shared<Interrupt>();
    if (!interrupt->works()) interrupt.reset();
  }
  auto bytes =
      std::make_unique<PeekSource>(options.kept        ? options.kept->open()
                                   : pieces != nullptr ? open_file_in_pieces(path, pieces->bytes, pieces->closed)
                                                       : open_file_source(path, options.on_pause, interrupt));
  if (is_zstd(bytes->peek(4))) {
    opened.zstd_level = usual_zstd_level;
    bytes = std::make_unique<PeekSource>(zstd_source(name, std::move(bytes)));
  }
  const FormatEntry& entry = options.format ? entry_of(*options.format) : recognize(name, *bytes);
  if (is_folder(entry.format))
    throw InputError(name +
                     ": is the anchor file of an OTF2 archive, which cannot be read from a pipe or compressed; "
                     "unpack the archive and name its folder");
  opened.format = entry.format;
  const bool apart = interrupt && options.threads->crew().reader(entry.slow_words || opened.zstd_level);
  std::unique_ptr<ByteSource> input = std::move(bytes);
  if (apart && !entry.slow_words) input = threaded(std::move(input), interrupt, options.threads);
  std::unique_ptr<Reader> made = entry.source(name, std::move(input), options);
  Reader& reader = *made;
  if (pieces != nullptr) reader.limit_batches(pieces->records);
  opened.source = std::move(made);
  const auto changes = std::make_shared<std::function<void()>>();  // of a sorted source
  if (!options.any_order) {
    const Ticks window = reader.definitions().resolution.ticks_of_microseconds(options.sort_window_us);
    const auto on_change = [changes] {
      if (*changes) (*changes)();
    };
    opened.source = window > 0 ? sorted_within(std::move(opened.source), window, options.sort_memory, on_change)
                               : checked(std::move(opened.source));
  }
  const auto on_definitions = [&reader, changes](const std::function<void()>& call) {
    *changes = call;
    reader.on_definitions(call);
  };
  opened.source = threaded(std::move(opened.source), apart && entry.slow_words, on_definitions, std::move(interrupt),
                           options.threads);
  return opened;
}

bool are_several(const std::string& path, const SourceOptions& options) {
  if (options.as_set || !options.further.empty() || !options.files_from.empty()) return true;
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error) && !foreign_folder(path);
}

/// For each of several traces, to write it again.
SourceOptions as_files(SourceOptions options) {
  options.threads = nullptr;
  options.output.reset();
  options.as_input = true;
  return options;
}

void refuse_archive(const std::string& file, const SourceOptions& options) {
  if (options.format == Format::otf2 || otf2::is_archive(file))
    throw InputError(
        file + ": is an OTF2 archive, expected a trace in one file; convert it with SinkOptions::format binary first");
}

std::vector<std::string> refusals(const std::vector<std::string>& compressed) {
  std::vector<std::string> all;
  all.reserve(compressed.size());
  for (const std::string& file : compressed)
    all.push_back(
        file + ": is compressed, expected a trace uncompressed or as *.zst; decompress it in the folder, or remove it");
  return all;
}

/// A trace that can be read only once is kept when it is first opened, if the options say where.
std::shared_ptr<const KeptInput> kept_of(const std::string& file, const SourceOptions& options) {
  struct stat status = {};
  if (!options.kept_inputs) return nullptr;
  if (file != "-" && (::stat(file.c_str(), &status) != 0 || S_ISREG(status.st_mode))) return nullptr;
  std::shared_ptr<const KeptInput>& kept = (*options.kept_inputs)[file];
  if (!kept) kept = keep_input(file, options.format);
  return kept;
}

/// Several traces as one. If a folder or a list names only one, that is read as if it had been named itself.
OpenedSource open_several(const std::string& path, const SourceOptions& options) {
  if (options.on_pause)
    throw UsageError(
        "SourceOptions::on_pause: several traces cannot be live input; read them without it when the program has "
        "ended");
  std::vector<std::string> paths = options.further;
  if (!path.empty()) paths.insert(paths.begin(), path);
  const TraceFiles found = trace_files(paths, options.files_from, otf2::is_archive);
  const std::vector<std::string>& files = found.files;
  MergedOptions how{options.clock_of, options.keep_going, refusals(found.compressed)};
  if (!how.failures.empty() && (!options.keep_going || files.empty())) throw InputError(how.failures.front());
  if (files.size() == 1 && how.failures.empty() && !options.as_set) {
    refuse_archive(files.front(), options);
    SourceOptions alone = options;
    alone.kept = kept_of(files.front(), options);
    return open_file(files.front(), alone, nullptr);
  }
  constexpr std::size_t all_bytes = std::size_t{1} << 26;
  constexpr std::size_t all_records = std::size_t{1} << 17;
  constexpr std::size_t longest_read = std::size_t{1} << 20;
  const Pieces pieces{std::clamp(all_bytes / files.size(), std::size_t{1} << 14, longest_read),
                      all_records / files.size(), files.size() > free_descriptors() / 2};
  SourceOptions each = options;
  each.threads = nullptr;
  each.output = Format::binary;
  each.as_input = false;
  OpenedSource opened{nullptr, Format::text, std::nullopt};
  std::vector<MergedInput> inputs;
  how.parts = std::make_shared<Parts>(
      [again = as_files(options)](const std::string& file) { return open_file(file, again, nullptr); },
      options.sort_memory);
  if (options.threads) how.on_definitions = [threads = options.threads] { threads->crew().drain(); };
  for (const std::string& file : files) {
    try {
      refuse_archive(file, options);
      each.kept = kept_of(file, options);
      OpenedSource one = open_file(file, each, &pieces);
      if (inputs.empty()) {
        opened.format = one.format;
        opened.zstd_level = one.zstd_level;
      }
      inputs.push_back({input_name(file), std::move(one.source), one.format == Format::binary});
      how.parts->add(file);
    } catch (const InputError& error) {
      if (!options.keep_going) throw;
      how.failures.emplace_back(error.what());
    }
  }
  if (inputs.empty())
    throw InputError(how.failures.front() + "; no trace of " + std::to_string(files.size() + found.compressed.size()) +
                     " can be read");
  opened.body_format = Format::binary;
  opened.parts = how.parts;
  opened.source = merged(std::move(inputs), std::move(how));
  return opened;
}

}  // namespace

OpenedSource open_source(const std::string& path, const SourceOptions& options) {
  if (!(options.sort_window_us >= 0) || !std::isfinite(options.sort_window_us))
    throw UsageError("sort window: expected microseconds, 0 or more");
  if (!(options.thread_delay_us >= 0) || !std::isfinite(options.thread_delay_us))
    throw UsageError("SourceOptions::thread_delay_us: expected microseconds, 0 or more");
  std::int64_t units = 1;
  while (units < 1'000'000'000 && units != options.units_per_second) units *= 10;
  if (units != options.units_per_second)
    throw UsageError("SourceOptions::units_per_second: expected a power of ten from 1 to 10^9, found " +
                     std::to_string(options.units_per_second));
  if (options.format && !readable(*options.format))
    throw UsageError(std::string(name_of(*options.format)) + " traces can only be written");
  const bool named = options.further.empty() && options.files_from.empty();
  if (named && (options.format == Format::otf2 || (!options.format && otf2::is_archive(path)))) {
    if (options.on_pause) throw UsageError("SourceOptions::on_pause: an archive cannot be live input");
    return otf2::open_archive(path, options);
  }
  if (are_several(path, options)) return open_several(path, options);
  return open_file(path, options, nullptr);
}

std::unique_ptr<Sink> open_sink(const std::string& path, const Definitions& definitions, const SinkOptions& options) {
  if (options.parts) return parts_sink(path, definitions, options, open_sink);
  const FormatEntry& entry = entry_of(options.format);
  const bool new_archive = is_folder(options.format) && !options.archive;
  if ((options.body_format != options.format || new_archive) && options.decoder == nullptr)
    throw UsageError("conversion to another format needs the decoder of the source");
  if (options.clock_offsets && !(is_folder(options.format) && options.archive))
    throw UsageError("clock offsets can only be written when an OTF2 archive is written again");
  if (is_folder(options.format)) return otf2::create_archive(path, definitions, options);
  auto bytes = open_file_sink(path, entry.for_terminal && !options.zstd_level, options.sync);
  if (options.zstd_level) bytes = zstd_sink(std::move(bytes), *options.zstd_level);
  const bool apart = options.threads && options.threads->crew().writer(entry.slow_words || options.zstd_level);
  // The thread takes all of the writing that does not make it slower than the clock.
  const bool only_compresses = options.zstd_level && *options.zstd_level > fast_zstd_level;
  if (apart && only_compresses) bytes = threaded(std::move(bytes), options.threads);
  std::unique_ptr<Sink> sink = entry.sink(std::move(bytes), definitions, options);
  if (apart && !only_compresses) sink = threaded(std::move(sink), options.threads);
  return sink;
}

bool writes_over(const std::string& input, const std::string& output) {
  if (same_file(input, output)) return true;
  if (input == "-") return false;
  const std::optional<std::string> anchor = otf2::find_anchor(input);
  if (anchor) return otf2::is_file_of(*anchor, output);
  if (!is_open_file(output) || !are_several(input, {})) return false;
  const std::vector<std::string> traces = formats::trace_files({input}, "", otf2::is_archive).files;
  return std::ranges::any_of(traces, [&](const std::string& trace) { return same_file(trace, output); });
}

}  // namespace clc
