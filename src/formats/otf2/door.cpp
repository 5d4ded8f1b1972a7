#include "otf2/door.hpp"

#include "otf2/anchor.hpp"
#include "otf2/archive.hpp"

namespace clc::otf2 {

const bool built_in = true;

std::string library() { return library_version(); }

bool is_archive(const std::string& path) { return path != "-" && find_anchor(path).has_value(); }

OpenedSource open_archive(const std::string& path, const SourceOptions& options) {
  OpenedSource opened{nullptr, Format::otf2, std::nullopt, std::make_shared<Archive>(path, options.clock_offsets)};
  opened.source = archive_source(opened.archive, !options.without_bodies);
  return opened;
}

std::unique_ptr<Sink> create_archive(const std::string& path, const SinkOptions& options) {
  return archive_sink(path, options);
}

}  // namespace clc::otf2
