// Lists a folder. std::filesystem::directory_iterator would end the program when memory is exhausted.
#pragma once

#include <string>
#include <vector>

namespace clc::formats {

/// Names of files and folders in it, in no particular order. Sets error to errno, or to 0 on success.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder, int& error);

}  // namespace clc::formats
