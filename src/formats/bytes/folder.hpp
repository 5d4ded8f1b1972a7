// What is in a folder. std::filesystem::directory_iterator ends the program when there is no memory.
#pragma once

#include <string>
#include <vector>

namespace clc::formats {

/// Names of files and folders in it, in no order. Sets error to errno, 0 when all went well.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder, int& error);

}  // namespace clc::formats
