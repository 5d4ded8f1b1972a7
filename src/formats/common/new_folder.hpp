// A folder that appears under its final name when it is complete.
//
// Replacing  In one step if the file system can exchange two names, so that an archive exists under the name at all
//            times. Of the old folder, only files that existed at the start and have not changed since are removed.
//            Files that others added are kept in a separate folder.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "bytes/descriptors.hpp"

namespace clc::formats {

class NewFolder {
 public:
  /// Creates the folder beside path, under a temporary name. overwrite: an archive at path is replaced. sync: publish
  /// waits until everything is on the disk. Throws OutputError, UsageError.
  NewFolder(const std::string& path, bool overwrite, bool sync);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  /// Removes it, unless it has been published.
  ~NewFolder();

  [[nodiscard]] const std::string& path() const noexcept { return temporary_; }
  [[nodiscard]] const std::string& target() const noexcept { return target_; }

  /// Waits until everything is on the disk, if that is wanted. Throws OutputError.
  void sync() const;
  /// Gives the folder its name and removes an archive of that name. Throws OutputError.
  void publish();
  /// The folder in which other files of the replaced folder are kept; empty: none.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  /// A file of the archive that is replaced.
  struct Listed {
    std::string path;  ///< in the folder
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    struct timespec changed = {};
  };
  void list_archive();
  [[nodiscard]] bool add(const std::string& file);
  void make();
  [[nodiscard]] int replace(std::string& old) const noexcept;
  void remove_archive(const std::string& old);

  std::string target_;
  bool sync_;
  SpareDescriptors spare_;
  std::string temporary_;  ///< empty: it has its name
  bool replaces_ = false;
  mode_t mode_ = 0;  ///< of the folder that is replaced
  std::vector<Listed> archive_;
  std::string inner_;  ///< its folder of files of locations; empty: it has none
  std::string kept_;
};

}  // namespace clc::formats
