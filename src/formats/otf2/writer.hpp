// Opening an archive for writing.
//
// Memory   libotf2 writes out the buffer of an event file at 4 MiB, without a BufferFlush event.
#pragma once

#include <otf2/otf2.h>

#include <string>

#include "otf2/library.hpp"

namespace clc::otf2 {

using WriterHandle = Owned<OTF2_Archive, OTF2_Archive_Close>;

/// folder: exists and is empty. archive: name of the anchor file, without ".otf2". name: of the folder in messages.
/// Throws OutputError.
[[nodiscard]] WriterHandle create_writer(const std::string& folder, const std::string& archive, const std::string& name,
                                         const Layout& layout);

}  // namespace clc::otf2
