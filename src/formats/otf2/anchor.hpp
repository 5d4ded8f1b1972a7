// Finding OTF2 archives by content, without libotf2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clc::otf2 {

/// How many bytes starts_anchor needs.
inline constexpr std::size_t anchor_start = 6;
/// True for the first bytes of an anchor file, of either byte order.
[[nodiscard]] bool starts_anchor(std::string_view start) noexcept;

/// The anchor file that path means: path itself, or the one in the folder path; nullopt when neither is one.
/// Throws InputError for a folder with several anchors, or with an archive's files but without anchor.
[[nodiscard]] std::optional<std::string> find_anchor(const std::string& path);

inline constexpr const char* damaged = "the archive is damaged or incomplete, copy or record it again";
/// Throws InputError for an anchor file that tells more properties than it has bytes: libotf2 would reserve memory for
/// them, and look for each.
void check_properties(const std::string& anchor);

/// True for a file of the archive with that anchor file.
[[nodiscard]] bool is_file_of(const std::string& anchor, const std::string& path);

}  // namespace clc::otf2
