// The interface between the list of formats and OTF2; the same with and without libotf2.
#pragma once

#include <memory>
#include <string>

#include "clc/io/format.hpp"

namespace clc::otf2 {

extern const bool built_in;
/// "libotf2 3.0.2"; without the version when it is not built in.
[[nodiscard]] std::string library();

/// True when path is an anchor file, or a folder with one. Works without libotf2. Throws InputError for a
/// folder that holds several archives or one without anchor.
[[nodiscard]] bool is_archive(const std::string& path);
/// Throws InputError.
[[nodiscard]] OpenedSource open_archive(const std::string& path, const SourceOptions& options);
/// path: the folder that is to hold the archive. Throws OutputError, UsageError.
[[nodiscard]] std::unique_ptr<Sink> create_archive(const std::string& path, const Definitions& definitions,
                                                   const SinkOptions& options);

}  // namespace clc::otf2
