// Opening an archive for writing.
//
// Memory   What libotf2 holds of an event file is written out when it reaches 4 MiB, without a BufferFlush event.
#pragma once

#include <otf2/otf2.h>

#include <string>

#include "otf2/library.hpp"

namespace clc::otf2 {

using WriterHandle = Owned<OTF2_Archive, OTF2_Archive_Close>;

struct WriterSettings {
  std::uint64_t event_chunk = std::uint64_t{256} * 1024;
  std::uint64_t definition_chunk = std::uint64_t{256} * 1024;
  OTF2_Compression compression = OTF2_COMPRESSION_NONE;
};

/// folder: exists and is empty. archive: name of the anchor file, without ".otf2". name: of the folder in messages.
/// Throws OutputError.
[[nodiscard]] WriterHandle create_writer(const std::string& folder, const std::string& archive, const std::string& name,
                                         const WriterSettings& settings);

}  // namespace clc::otf2
