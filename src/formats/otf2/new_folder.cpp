#include "otf2/new_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "bytes/folder.hpp"
#include "bytes/signals.hpp"
#include "clc/error.hpp"
#include "clc/io/files.hpp"
#include "common/words.hpp"

namespace clc::otf2 {

namespace fs = std::filesystem;

namespace {

bool is_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  return formats::to_number(text, number);
}

bool is_file(const fs::path& path) { return fs::is_regular_file(fs::symlink_status(path)); }

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

NewFolder::NewFolder(const std::string& path, bool overwrite) : target_(path) {
  while (target_.size() > 1 && target_.back() == '/') target_.pop_back();
  const fs::path parent = fs::path(target_).parent_path();
  const std::string base = fs::path(target_).filename().string();
  if (base.empty() || base == "." || base == ".." || path == "-")
    throw UsageError(path + ": an OTF2 archive is a folder; name a new one with -o");
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target_, error);
  replaces_ = fs::exists(status);
  if (fs::is_symlink(status))
    throw OutputError(target_ + ": is a symbolic link, which is not replaced; name the folder that it leads to");
  if (replaces_ && !fs::is_directory(status))
    throw OutputError(target_ + ": exists already and is no folder; name a new folder for the OTF2 archive");
  if (replaces_ && !overwrite)
    throw OutputError(target_ + ": exists already; name a new folder, or replace the archive in it with --overwrite");
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
  if (temporary_.empty()) return;
  formats::remove_temporary(temporary_.c_str());
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
  formats::remove_temporary(old.c_str());
  keep_on_signal(old);
}

/// Only archives are replaced: files of one name, and a folder of that name with files of locations.
void NewFolder::refuse_other_files() const {
  const auto refuse = [this](const fs::path& file) {
    throw OutputError(target_ + ": holds " + file.string() +
                      ", which is no part of an OTF2 archive, and is not replaced; name a new folder");
  };
  const auto files_of = [this](const fs::path& folder) {
    int error = 0;
    std::vector<std::string> files = formats::names_in(folder.string(), error);
    if (error != 0) throw OutputError(target_ + ": cannot be read: " + std::strerror(error));
    return files;
  };
  const fs::path target = target_;
  const std::vector<std::string> files = files_of(target);
  const auto anchor = std::find_if(files.begin(), files.end(),
                                   [](const std::string& file) { return fs::path(file).extension() == ".otf2"; });
  const std::string name = anchor == files.end() ? std::string() : fs::path(*anchor).stem().string();
  for (const std::string& file : files) {
    if (name.empty() || file != name) {
      if (name.empty() || !is_file(target / file) || !is_part_of_archive(file, name)) refuse(file);
      continue;
    }
    if (!fs::is_directory(fs::symlink_status(target / file))) refuse(file);
    for (const std::string& inner : files_of(target / file))
      if (!is_file(target / file / inner) || !is_part_of_location(inner)) refuse(fs::path(file) / inner);
  }
}

}  // namespace clc::otf2
