// Keeps the corrections until all are known, then writes the archive again with them.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "clc/error.hpp"
#include "otf2/archive.hpp"
#include "otf2/corrections.hpp"
#include "otf2/rewrite.hpp"

namespace clc::otf2 {

namespace {

namespace fs = std::filesystem;

/// A folder that appears under its name when it is complete.
class NewFolder {
 public:
  NewFolder(const std::string& path, bool overwrite) : target_(path) {
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
      throw OutputError(target_ +
                        ": is no folder, expected one with an OTF2 archive to be replaced; name a new folder");
    if (replaces_) refuse_other_files();
    for (unsigned attempt = 0;; ++attempt) {
      temporary_ =
          (parent / ('.' + base + '.' + std::to_string(::getpid()) + '-' + std::to_string(attempt) + ".tmp")).string();
      if (::mkdir(temporary_.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) == 0) return;
      if (errno == EEXIST && attempt < 10000) continue;
      std::string message = target_ + ": cannot be created: " + std::strerror(errno);
      if (errno == ENOENT) message += "; create the folder above it first";
      if (errno == EACCES || errno == EROFS) message += "; write to a folder that you may write to";
      temporary_.clear();
      throw OutputError(message);
    }
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code error;
    if (!temporary_.empty()) fs::remove_all(temporary_, error);
  }

  [[nodiscard]] const std::string& path() const noexcept { return temporary_; }
  [[nodiscard]] const std::string& target() const noexcept { return target_; }

  /// The folder gets its name; what had it is removed.
  void publish() {
    std::error_code error;
    const std::string old = temporary_ + ".old";
    if (replaces_) fs::rename(target_, old, error);
    if (!error) fs::rename(temporary_, target_, error);
    if (error) throw OutputError(target_ + ": cannot be created: " + error.message());
    temporary_.clear();
    if (replaces_) fs::remove_all(old, error);
  }

 private:
  /// Only archives are replaced: files of one name, and a folder of that name.
  void refuse_other_files() const {
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

  std::string target_;
  std::string temporary_;  ///< empty: it has its name
  bool replaces_ = false;
};

std::vector<bool> possible_leaders(const Archive& archive, bool carry) {
  std::map<OTF2_LocationGroupRef, std::size_t> sizes;
  for (const Archive::Location& location : archive.locations()) ++sizes[location.group];
  std::vector<bool> leaders;
  for (const Archive::Location& location : archive.locations())
    leaders.push_back(carry && location.type == OTF2_LOCATION_TYPE_CPU_THREAD && sizes[location.group] > 1);
  return leaders;
}

class ArchiveSink final : public Sink {
 public:
  ArchiveSink(const std::string& path, const SinkOptions& options)
      : archive_(options.archive),
        folder_(path, options.overwrite),
        corrections_(possible_leaders(*archive_, options.carry)),
        carry_(options.carry),
        provenance_(options.provenance) {}

  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) corrections_.add(event.process, event.recorded.ticks(), event.time.ticks());
  }
  void note(Body /*line*/) override {}  // an archive's notes were made from its definitions
  void flush() override {}
  void close() override {
    // What cannot be read to its end has not all its corrections; the source has said why.
    if (archive_->damaged) return;
    corrections_.finish();
    rewrite(*archive_, corrections_, folder_.path(), folder_.target(), carry_, provenance_);
    folder_.publish();
  }

 private:
  std::shared_ptr<Archive> archive_;
  NewFolder folder_;
  Corrections corrections_;
  bool carry_;
  std::string provenance_;
};

}  // namespace

std::unique_ptr<Sink> archive_sink(const std::string& path, const SinkOptions& options) {
  if (!options.archive)
    throw UsageError("-F otf2: only an OTF2 archive can be written as one; choose text or binary with -F");
  if (options.keep_original)
    throw UsageError("--keep-original: an OTF2 archive cannot keep recorded times; choose text or binary with -F");
  if (options.zstd_level) throw UsageError("-z: an OTF2 archive is not compressed with zstd; leave it out");
  return std::make_unique<ArchiveSink>(path, options);
}

}  // namespace clc::otf2
