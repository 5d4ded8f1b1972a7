// What libotf2 does not tell about the files of an archive: whether they were cut off, and which kinds of records it
// does not know. As far as they are laid out as chunks.hpp says, and not compressed.
//
// Place    Under the archive and what reads and rewrites it.
// Errors   A file that cannot be read counts as whole, and without such kinds: libotf2 says what is wrong with it.
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
