// The system's limit of open files per process (RLIMIT_NOFILE, ulimit -n).
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace clc::formats {

/// Approximate number of files that can still be opened.
[[nodiscard]] std::size_t free_descriptors();

/// "; ..." with the limit and the remedy, if the error number says that the limit is reached; otherwise empty.
[[nodiscard]] std::string descriptor_remedy(int error);

/// Reserves descriptors for the time when no others are free: removing a folder needs some.
class SpareDescriptors {
 public:
  /// Throws OutputError if none are free.
  explicit SpareDescriptors(const std::string& whose);
  SpareDescriptors(const SpareDescriptors&) = delete;
  SpareDescriptors& operator=(const SpareDescriptors&) = delete;
  ~SpareDescriptors() { release(); }
  void release() noexcept;

 private:
  std::array<int, 2> files_{-1, -1};
};

}  // namespace clc::formats
