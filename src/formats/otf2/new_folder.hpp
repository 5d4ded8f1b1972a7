// A folder that appears under its name when it is complete.
#pragma once

#include <string>

namespace clc::otf2 {

class NewFolder {
 public:
  /// Makes the folder beside path, under a temporary name. overwrite: an archive in path is replaced.
  /// Throws OutputError, UsageError.
  NewFolder(const std::string& path, bool overwrite);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  /// Removes it, unless it has been published.
  ~NewFolder();

  [[nodiscard]] const std::string& path() const noexcept { return temporary_; }
  [[nodiscard]] const std::string& target() const noexcept { return target_; }

  /// The folder gets its name; what had it is removed. Throws OutputError.
  void publish();

 private:
  void refuse_other_files() const;

  std::string target_;
  std::string temporary_;  ///< empty: it has its name
  bool replaces_ = false;
};

}  // namespace clc::otf2
