#include "common/new_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "bytes/file.hpp"
#include "bytes/files.hpp"
#include "bytes/folder.hpp"
#include "bytes/signals.hpp"
#include "clc/error.hpp"
#include "common/words.hpp"

namespace clc::formats {

namespace fs = std::filesystem;

namespace {

bool is_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  return to_number(text, number);
}

/// Returns errno or 0.
int rename(const std::string& from, const std::string& to) noexcept {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// 17.evt
bool is_part_of_location(std::string_view file) noexcept {
  const std::size_t dot = std::min(file.find('.'), file.size());
  const std::string_view kind = file.substr(dot);
  return is_number(file.substr(0, dot)) && (kind == ".evt" || kind == ".def" || kind == ".snap");
}

/// traces.def, traces.3.thumb
bool is_part_of_archive(std::string_view file, std::string_view name) noexcept {
  if (!file.starts_with(name)) return false;
  std::string_view kind = file.substr(name.size());
  if (kind == ".otf2" || kind == ".def" || kind == ".marker") return true;
  constexpr std::string_view thumbnail = ".thumb";
  if (!kind.starts_with('.') || !kind.ends_with(thumbnail) || kind == thumbnail) return false;
  kind.remove_suffix(thumbnail.size());
  return is_number(kind.substr(1));
}

}  // namespace

NewFolder::NewFolder(const std::string& path, bool overwrite, bool sync) : target_(path), sync_(sync), spare_(path) {
  while (target_.size() > 1 && target_.back() == '/') target_.pop_back();
  const std::string base = fs::path(target_).filename().string();
  if (base.empty() || base == "." || base == ".." || path == "-")
    throw UsageError(path + ": an OTF2 archive is a folder; name a new one with open_sink()");
  struct stat status = {};
  replaces_ = ::lstat(target_.c_str(), &status) == 0;
  mode_ = status.st_mode & permission_bits;
  if (replaces_ && S_ISLNK(status.st_mode))
    throw OutputError(target_ + ": is a symbolic link, which is not replaced; name the folder it points to");
  if (replaces_ && !S_ISDIR(status.st_mode))
    throw OutputError(target_ + ": already exists and is not a folder; name a new folder for the OTF2 archive");
  if (replaces_ && !overwrite)
    throw OutputError(target_ +
                      ": already exists; name a new folder, or replace the archive in it with SinkOptions::overwrite");
  if (replaces_) list_archive();
  make();
}

/// With no more permissions than the folder that is replaced.
void NewFolder::make() {
  const fs::path parent = fs::path(target_).parent_path();
  const std::string base = fs::path(target_).filename().string();
  for (unsigned attempt = 0;; ++attempt) {
    temporary_ =
        (parent / ('.' + base + '.' + std::to_string(::getpid()) + '-' + std::to_string(attempt) + ".tmp")).string();
    const SignalsHeld held;
    if (::mkdir(temporary_.c_str(), replaces_ ? mode_ | S_IRWXU : permission_bits) == 0) {
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
  if (temporary_.empty()) return;
  spare_.release();
  remove_temporary(temporary_.c_str());
  keep_on_signal(temporary_);
}

void NewFolder::publish() {
  sync();
  struct stat status = {};
  if (replaces_ && ::stat(temporary_.c_str(), &status) == 0)
    static_cast<void>(::chmod(temporary_.c_str(), (status.st_mode & ~permission_bits & 07777U) | mode_));
  std::string old;
  {
    const SignalsHeld held;  // what has no name any more is nothing for a signal to remove
    const int error = replaces_ ? replace(old) : rename(temporary_, target_);
    if (error != 0) throw OutputError(target_ + ": cannot be created: " + std::strerror(error));
    keep_on_signal(temporary_);
    temporary_.clear();
    if (!old.empty()) remove_archive(old);
  }
  if (sync_) sync_folder_of(target_);
}

/// All of its file system at once: an archive can be ten thousands of files.
void NewFolder::sync() const {
  if (!sync_) return;
  const int folder = ::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int error = folder < 0 || ::syncfs(folder) != 0 ? errno : 0;
  if (folder >= 0) ::close(folder);
  if (error == EIO || error == ENOSPC || error == EDQUOT)
    throw OutputError(target_ + ": cannot be written: " + std::strerror(error) + "; make room or write elsewhere");
}

/// Sets old to what the replaced folder is called then. Returns errno or 0.
int NewFolder::replace(std::string& old) const noexcept {
  old = temporary_;
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOENT) return errno;
  // A file system without such a step, or somebody has removed the old folder.
  old += ".old";
  int error = rename(target_, old);
  if (error == ENOENT) old.clear();
  if (error != 0 && error != ENOENT) return error;
  error = rename(temporary_, target_);
  if (error != 0 && !old.empty()) static_cast<void>(rename(old, target_));
  return error;
}

void NewFolder::remove_archive(const std::string& old) {
  const auto unchanged = [](const struct stat& now, const Listed& listed) {
    return now.st_dev == listed.device && now.st_ino == listed.inode && now.st_size == listed.size &&
           now.st_mtim.tv_sec == listed.changed.tv_sec && now.st_mtim.tv_nsec == listed.changed.tv_nsec;
  };
  for (const Listed& listed : archive_) {
    const std::string file = old + '/' + listed.path;
    struct stat now = {};
    if (::lstat(file.c_str(), &now) == 0 && unchanged(now, listed)) static_cast<void>(::unlink(file.c_str()));
  }
  if (!inner_.empty()) static_cast<void>(::rmdir((old + '/' + inner_).c_str()));
  if (::rmdir(old.c_str()) == 0) return;
  kept_ = old;
  for (unsigned attempt = 1; attempt < 10000; ++attempt) {
    const std::string name = target_ + ".kept" + (attempt == 1 ? std::string() : '-' + std::to_string(attempt));
    struct stat taken = {};
    if (::lstat(name.c_str(), &taken) == 0) continue;
    if (rename(old, name) == 0) kept_ = name;
    return;
  }
}

std::vector<std::string> NewFolder::warnings() const {
  if (kept_.empty()) return {};
  return {target_ +
          ": files that were added to the replaced folder or changed while the archive was written are kept in " +
          kept_};
}

/// False: it is no regular file.
bool NewFolder::add(const std::string& file) {
  struct stat status = {};
  if (::lstat((target_ + '/' + file).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  archive_.push_back({file, status.st_dev, status.st_ino, status.st_size, status.st_mtim});
  return true;
}

/// Only archives are replaced: files of one name, and a folder of that name with files of locations.
void NewFolder::list_archive() {
  const auto refuse = [this](const fs::path& file) {
    throw OutputError(target_ + ": holds " + file.string() +
                      ", which does not belong to an OTF2 archive; name a new folder");
  };
  const auto files_of = [this](const fs::path& folder) {
    int error = 0;
    std::vector<std::string> files = names_in(folder.string(), error);
    if (error != 0) throw OutputError(target_ + ": cannot be read: " + std::strerror(error));
    return files;
  };
  const std::vector<std::string> files = files_of(target_);
  const auto anchor = std::find_if(files.begin(), files.end(),
                                   [](const std::string& file) { return fs::path(file).extension() == ".otf2"; });
  const std::string name = anchor == files.end() ? std::string() : fs::path(*anchor).stem().string();
  for (const std::string& file : files) {
    if (name.empty()) refuse(file);
    if (file != name) {
      if (!is_part_of_archive(file, name) || !add(file)) refuse(file);
      continue;
    }
    if (!fs::is_directory(fs::symlink_status(fs::path(target_) / file))) refuse(file);
    inner_ = file;
    for (const std::string& inner : files_of(fs::path(target_) / file)) {
      const std::string path = fs::path(file) / inner;
      if (!is_part_of_location(inner) || !add(path)) refuse(path);
    }
  }
}

}  // namespace clc::formats
