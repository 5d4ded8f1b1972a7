#include "otf2/new_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bytes/signals.hpp"
#include "clc/error.hpp"
#include "clc/io/files.hpp"

namespace clc::otf2 {

namespace fs = std::filesystem;

NewFolder::NewFolder(const std::string& path, bool overwrite) : target_(path) {
  while (target_.size() > 1 && target_.back() == '/') target_.pop_back();
  const fs::path parent = fs::path(target_).parent_path();
  const std::string base = fs::path(target_).filename().string();
  if (base.empty() || base == "." || base == ".." || path == "-")
    throw UsageError(path + ": an OTF2 archive is a folder; name a new one with -o");
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target_, error);
  replaces_ = fs::exists(status);
  if (replaces_ && !overwrite)
    throw OutputError(target_ + ": exists already; name a new folder, or replace the archive in it with --overwrite");
  if (replaces_ && !fs::is_directory(status))
    throw OutputError(target_ + ": is no folder, expected one with an OTF2 archive to be replaced; name a new folder");
  if (replaces_) refuse_other_files();
  for (unsigned attempt = 0;; ++attempt) {
    temporary_ =
        (parent / ('.' + base + '.' + std::to_string(::getpid()) + '-' + std::to_string(attempt) + ".tmp")).string();
    const formats::SignalsHeld held;
    if (::mkdir(temporary_.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) == 0) {
      remove_on_signal(temporary_);
      return;
    }
    if (errno == EEXIST && attempt < 10000) continue;
    std::string message = target_ + ": cannot be created: " + std::strerror(errno);
    if (errno == ENOENT) message += "; create the folder above it first";
    if (errno == EACCES || errno == EROFS) message += "; write to a folder that you may write to";
    temporary_.clear();
    throw OutputError(message);
  }
}

NewFolder::~NewFolder() {
  std::error_code error;
  if (temporary_.empty()) return;
  fs::remove_all(temporary_, error);
  keep_on_signal(temporary_);
}

void NewFolder::publish() {
  std::error_code error;
  const std::string old = temporary_ + ".old";
  {
    const formats::SignalsHeld held;  // between the two steps nothing has the name
    if (replaces_) fs::rename(target_, old, error);
    if (!error) {
      fs::rename(temporary_, target_, error);
      std::error_code ignored;
      if (error && replaces_) fs::rename(old, target_, ignored);
    }
    if (!error) {
      keep_on_signal(temporary_);
      if (replaces_) remove_on_signal(old);
    }
  }
  if (error) throw OutputError(target_ + ": cannot be created: " + error.message());
  temporary_.clear();
  if (!replaces_) return;
  fs::remove_all(old, error);
  keep_on_signal(old);
}

/// Only archives are replaced: files of one name, and a folder of that name.
void NewFolder::refuse_other_files() const {
  std::error_code error;
  std::string name;
  for (const fs::directory_entry& entry : fs::directory_iterator(target_, error))
    if (entry.path().extension() == ".otf2") name = entry.path().stem().string();
  for (const fs::directory_entry& entry : fs::directory_iterator(target_, error)) {
    const std::string file = entry.path().filename().string();
    if (name.empty() || (file != name && !file.starts_with(name + '.')))
      throw OutputError(target_ + ": holds " + file +
                        ", which is no part of an OTF2 archive, and is not replaced; name a new folder");
  }
}

}  // namespace clc::otf2
