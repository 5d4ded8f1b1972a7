// How many files may be open at once: a limit of the system for each process (RLIMIT_NOFILE, ulimit -n).
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace clc::formats {

/// How many more files can be opened, about.
[[nodiscard]] std::size_t free_descriptors();

/// "; ..." with the limit and what to do, where an error number says that it is reached; else empty.
[[nodiscard]] std::string descriptor_remedy(int error);

/// Keeps descriptors for a time when there are no others: a folder cannot be removed without.
class SpareDescriptors {
 public:
  /// Throws OutputError when there are none.
  explicit SpareDescriptors(const std::string& whose);
  SpareDescriptors(const SpareDescriptors&) = delete;
  SpareDescriptors& operator=(const SpareDescriptors&) = delete;
  ~SpareDescriptors() { release(); }
  void release() noexcept;

 private:
  std::array<int, 2> files_{-1, -1};
};

}  // namespace clc::formats
