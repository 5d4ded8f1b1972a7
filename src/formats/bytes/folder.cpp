#include "bytes/folder.hpp"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace clc::formats {

std::vector<std::string> names_in(const std::string& folder, int& error) {
  std::vector<std::string> names;
  const auto close = [](DIR* stream) { ::closedir(stream); };
  errno = 0;
  const std::unique_ptr<DIR, decltype(close)> stream(::opendir(folder.c_str()), close);
  error = errno;
  if (!stream) return names;
  for (errno = 0; const dirent* const entry = ::readdir(stream.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  error = errno;
  return names;
}

}  // namespace clc::formats
