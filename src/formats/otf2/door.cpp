#include "otf2/door.hpp"

#include <functional>
#include <utility>

#include "clc/error.hpp"
#include "otf2/anchor.hpp"
#include "otf2/archive.hpp"
#include "threads/crew.hpp"
#include "threads/threads.hpp"

namespace clc::otf2 {

const bool built_in = true;

std::string library() { return library_version(); }

bool is_archive(const std::string& path) { return path != "-" && find_anchor(path).has_value(); }

OpenedSource open_archive(const std::string& path, const SourceOptions& options) {
  OpenedSource opened{nullptr, Format::otf2, std::nullopt, std::make_shared<Archive>(path, options)};
  opened.archive->converted = options.converts(Format::otf2);
  opened.archive->group_lines = options.group_lines && opened.archive->converted;
  opened.source = archive_source(opened.archive, opened.archive->converted);
  const auto on_definitions = [&](std::function<void()> call) {
    opened.archive->communicators().on_definitions(std::move(call));
  };
  opened.source = formats::threaded(std::move(opened.source), options.threads && options.threads->crew().reader(true),
                                    on_definitions, nullptr, options.threads);
  return opened;
}

std::unique_ptr<Sink> create_archive(const std::string& path, const Definitions& definitions,
                                     const SinkOptions& options) {
  if (options.zstd_level)
    throw UsageError("SinkOptions::zstd_level: an OTF2 archive is not compressed with zstd; leave it out");
  if (options.archive && options.archive->converted)
    throw UsageError("an archive that is written again is read with SourceOptions::output = Format::otf2");
  return options.archive ? archive_sink(path, options) : new_archive_sink(path, definitions, options);
}

}  // namespace clc::otf2
