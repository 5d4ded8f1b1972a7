// Checks the files of an archive for faults that libotf2 does not report: truncation, and kinds of records that it does
// not know. Only for uncompressed files with the layout described in chunks.hpp.
//
// Place    Below the archive, its reader and its writer.
// Errors   None: an unreadable file counts as complete and free of unknown kinds, and libotf2 reports the fault.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "otf2/library.hpp"

namespace clc::otf2 {

/// How many records stand ahead of the place where a file was cut off, when its last chunk ends without the mark of its
/// end; libotf2 may read the chunk before it again and again there. nullopt: it is whole. Cost: of events two chunks
/// at most; of the others one, but all of them when it was cut off.
[[nodiscard]] std::optional<std::uint64_t> records_before_cut(const std::string& file, const Layout& layout, Part part);

/// Adds the numbers of the kinds of events or definitions that are behind the first `known`; of definitions from String
/// on.
void collect_kinds(const std::string& file, const Layout& layout, Part part, unsigned known, std::set<unsigned>& kinds);

}  // namespace clc::otf2
