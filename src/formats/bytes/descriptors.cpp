#include "bytes/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bytes/folder.hpp"
#include "clc/error.hpp"

namespace clc::formats {

std::size_t free_descriptors() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  constexpr std::size_t usual = 16;  // where the system does not tell
  int error = 0;
  const std::size_t open = names_in("/proc/self/fd", error).size();
  if (error == EMFILE || error == ENFILE) return 0;
  const std::size_t used = error == 0 ? open : usual;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

std::string descriptor_remedy(int error) {
  if (error == ENFILE) return "; the system has reached its limit of open files: try again later";
  if (error != EMFILE) return {};
  struct rlimit limit = {};
  static_cast<void>(::getrlimit(RLIMIT_NOFILE, &limit));
  return "; at most " + std::to_string(limit.rlim_cur) + " files may be open at once: raise the limit with ulimit -n";
}

SpareDescriptors::SpareDescriptors(const std::string& whose) {
  for (int& file : files_) {
    file = ::open("/", O_PATH | O_CLOEXEC);
    if (file >= 0) continue;
    const int error = errno;
    release();
    throw OutputError(whose + ": cannot be created: " + std::strerror(error) + descriptor_remedy(error));
  }
}

void SpareDescriptors::release() noexcept {
  for (int& file : files_)
    if (file >= 0) ::close(std::exchange(file, -1));
}

}  // namespace clc::formats
