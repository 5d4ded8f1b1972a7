// Finding OTF2 archives by content, without libotf2.
#pragma once

#include <optional>
#include <string>

namespace clc::otf2 {

/// The anchor file that path means: path itself, or the one in the folder path; nullopt when neither is one.
/// Throws InputError for a folder with several anchors, or with an archive's files but without anchor.
[[nodiscard]] std::optional<std::string> find_anchor(const std::string& path);

}  // namespace clc::otf2
