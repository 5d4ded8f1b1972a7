// Recognises files of other programs that cannot be read, so that messages can name the remedy.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clc::formats {

/// The number of bytes from the start of a file that are needed to recognise it.
constexpr std::size_t foreign_start = 512;

/// Kind of a file, by its name and its first bytes, with the remedy: "is a ZIP archive; unpack it, ...". Empty for
/// supported and for unknown formats.
[[nodiscard]] std::optional<std::string> foreign(std::string_view path, std::string_view start);

/// The same for a folder, by the files in it.
[[nodiscard]] std::optional<std::string> foreign_folder(const std::string& path);

}  // namespace clc::formats
