// Files that people hand to a program of traces and that it cannot read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clc::formats {

/// How much of a file tells what it is.
constexpr std::size_t foreign_start = 512;

/// What a file is, by its name and its first bytes, and what to do: "is a ZIP archive; unpack it, ...". Nothing for
/// formats that are read, and for what is not known.
[[nodiscard]] std::optional<std::string> foreign(std::string_view path, std::string_view start);

/// The same for a folder, by the files in it.
[[nodiscard]] std::optional<std::string> foreign_folder(const std::string& path);

}  // namespace clc::formats
