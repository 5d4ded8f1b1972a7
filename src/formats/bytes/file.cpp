#include "bytes/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "bytes/descriptors.hpp"
#include "bytes/files.hpp"
#include "bytes/signals.hpp"
#include "clc/error.hpp"

namespace clc {

namespace fs = std::filesystem;

namespace {

bool same_regular_file(const struct stat& a, const struct stat& b) noexcept {
  return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Which descriptor a file of /proc/self/fd means; nullopt: it is none of these.
std::optional<int> descriptor_at(const fs::path& file) {
  const std::string name = file.filename().string();
  std::error_code error;
  if (name.empty() || name.size() > 7 || name.find_first_not_of("0123456789") != std::string::npos ||
      !fs::equivalent(file.parent_path(), "/proc/self/fd", error))
    return std::nullopt;
  return std::stoi(name);
}

/// The file that symbolic links lead to, whether there is one or not, so that the links stay; of an open descriptor its
/// entry in /proc/self/fd. nullopt: they lead nowhere.
std::optional<fs::path> follow(const std::string& path) {
  constexpr int most_links = 40;  // as many as the system follows
  fs::path file = path;
  for (int links = 0; links < most_links; ++links) {
    if (descriptor_at(file)) return file;
    std::error_code no_link;
    const fs::path next = fs::read_symlink(file, no_link);
    if (no_link) return file;
    file = file.parent_path() / next;
  }
  return std::nullopt;
}

/// The descriptor that an output means: of "-", /dev/stdout, /dev/stderr, /dev/fd/N and links to them.
std::optional<int> descriptor_of(const std::string& output) {
  if (output == "-") return STDOUT_FILENO;
  const std::optional<fs::path> file = follow(output);
  return file ? descriptor_at(*file) : std::nullopt;
}

int stat_of(const std::string& output, struct stat& status) {
  const std::optional<int> descriptor = descriptor_of(output);
  return descriptor ? ::fstat(*descriptor, &status) : ::stat(output.c_str(), &status);
}

}  // namespace

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string output_name(const std::string& path) { return path == "-" ? "standard output" : path; }

bool same_file(const std::string& input, const std::string& output) {
  struct stat in = {};
  struct stat out = {};
  const int in_failed = input == "-" ? ::fstat(STDIN_FILENO, &in) : ::stat(input.c_str(), &in);
  return in_failed == 0 && stat_of(output, out) == 0 && same_regular_file(in, out);
}

bool is_open_file(const std::string& output) {
  struct stat status = {};
  return descriptor_of(output) && stat_of(output, status) == 0 && S_ISREG(status.st_mode);
}

bool same_output(const std::string& one, const std::string& other) {
  if (one == other) return true;
  if (const std::optional<int> descriptor = descriptor_of(one); descriptor && descriptor == descriptor_of(other))
    return true;
  struct stat status = {};
  struct stat other_status = {};
  const bool exists = stat_of(one, status) == 0;
  if (exists != (stat_of(other, other_status) == 0)) return false;
  if (exists) return same_regular_file(status, other_status);
  std::error_code error;
  const auto place = [&error](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(follow(path).value_or("")), error);
  };
  return place(one) == place(other) && !error;
}

bool appears_when_complete(const std::string& output) {
  if (descriptor_of(output)) return false;
  struct stat status = {};
  return ::stat(output.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

std::optional<std::int64_t> end_of_standard_output() {
  struct stat status = {};
  if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_APPEND) != 0) return std::nullopt;
  const off_t place = ::lseek(STDOUT_FILENO, 0, SEEK_CUR);
  return place == status.st_size ? std::optional<std::int64_t>(place) : std::nullopt;
}

bool cut_standard_output(std::int64_t end) {
  return ::ftruncate(STDOUT_FILENO, end) == 0 && ::lseek(STDOUT_FILENO, end, SEEK_SET) == end;
}

}  // namespace clc

namespace clc::formats {

namespace {

constexpr int pipe_bytes = 1 << 20;

/// A file descriptor that closes itself unless it is one of the standard ones.
class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  /// Closes now; the result of close.
  int close() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return fd > STDERR_FILENO ? ::close(fd) : 0;
  }

 private:
  int fd_;
};

void widen_pipe(int fd, mode_t mode) noexcept {
#ifdef F_SETPIPE_SZ
  if (S_ISFIFO(mode)) static_cast<void>(::fcntl(fd, F_SETPIPE_SZ, pipe_bytes));
#else
  static_cast<void>(fd);
  static_cast<void>(mode);
#endif
}

/// Waits until a descriptor that was set to non-blocking by somebody else is ready.
void wait_for(int fd, short events) noexcept {
  struct pollfd ready = {fd, events, 0};
  static_cast<void>(::poll(&ready, 1, -1));
}

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int fd, std::uint64_t total, OnPause on_pause,
             std::shared_ptr<const Interrupt> interrupt)
      : name_(std::move(name)),
        fd_(fd),
        total_(total),
        on_pause_(std::move(on_pause)),
        interrupt_(std::move(interrupt)) {}

  std::size_t read(char* to, std::size_t capacity) override {
    if (on_pause_) pause();
    for (;;) {
      if (interrupt_ && !interrupt_->wait(fd_.get())) throw Interrupt::Raised();
      const ssize_t got = ::read(fd_.get(), to, capacity);
      if (got >= 0) {
        consumed_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (!interrupt_) wait_for(fd_.get(), POLLIN);
      } else if (errno != EINTR)
        throw InputError(name_ + ": cannot be read at offset " + std::to_string(consumed_) + ": " +
                         std::strerror(errno));
    }
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return total_; }

 private:
  /// Until there is input, or on_pause need not be called again.
  void pause() {
    for (std::chrono::milliseconds wait{0}; !ready(wait);) {
      const std::optional<std::chrono::milliseconds> again = on_pause_();
      if (!again) return;
      wait = *again;
    }
  }
  /// Whether a read returns at once, or would within that time.
  [[nodiscard]] bool ready(std::chrono::milliseconds within) const noexcept {
    struct pollfd input = {fd_.get(), POLLIN, 0};
    return ::poll(&input, 1, static_cast<int>(within.count())) != 0;
  }

  std::string name_;
  Descriptor fd_;
  std::uint64_t total_;
  std::uint64_t consumed_ = 0;
  OnPause on_pause_;
  std::shared_ptr<const Interrupt> interrupt_;
};

/// A regular file in pieces.
class PieceSource final : public ByteSource {
 public:
  PieceSource(std::string path, std::size_t piece, bool closed)
      : path_(std::move(path)), piece_(piece), closed_(closed) {
    reopen();
    if (!closed_) return;
    start_.resize(start_size);
    start_.resize(read_piece(start_.data(), start_.size()));
  }

  std::size_t read(char* to, std::size_t capacity) override {
    std::size_t got = 0;
    if (consumed_ < start_.size()) {
      got = start_.copy(to, capacity, static_cast<std::size_t>(consumed_));
    } else {
      start_ = std::string();
      got = read_piece(to, std::min(capacity, piece_));
    }
    consumed_ += got;
    return got;
  }
  [[nodiscard]] std::size_t largest_read() const noexcept override { return std::max(piece_, start_size); }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return total_; }

 private:
  static constexpr std::size_t start_size = 4096;

  void reopen();
  [[nodiscard]] std::size_t read_piece(char* to, std::size_t capacity) {
    if (closed_ && !open_ && consumed_ == total_) return 0;
    if (!open_) reopen();
    for (;;) {
      const ssize_t got = ::pread(open_->get(), to, capacity, static_cast<off_t>(consumed_));
      if (got >= 0) {
        if (closed_) open_.reset();
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR)
        throw InputError(path_ + ": cannot be read at offset " + std::to_string(consumed_) + ": " +
                         std::strerror(errno));
    }
  }

  std::string path_;
  std::size_t piece_;
  bool closed_;
  std::optional<Descriptor> open_;
  std::string start_;  ///< closed: the start of the file, which is read in small parts to recognise the format
  std::uint64_t consumed_ = 0;
  std::uint64_t total_ = 0;  ///< when it was opened last
};

class FileSink final : public ByteSink {
 public:
  /// temporary, target: empty when the descriptor is the output itself.
  FileSink(std::string name, int fd, std::string temporary, std::string target, bool sync)
      : name_(std::move(name)), fd_(fd), temporary_(std::move(temporary)), target_(std::move(target)), sync_(sync) {
    if (!temporary_.empty()) remove_on_signal(temporary_);
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override {
    if (temporary_.empty()) return;
    static_cast<void>(::unlink(temporary_.c_str()));
    keep_on_signal(temporary_);
  }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
      if (written >= 0)
        bytes.remove_prefix(static_cast<std::size_t>(written));
      else if (errno == EAGAIN || errno == EWOULDBLOCK)
        wait_for(fd_.get(), POLLOUT);
      else if (errno != EINTR)
        fail();
    }
  }
  void flush() override {}
  void close() override {
    // Not of all kinds of files.
    if (sync_ && ::fsync(fd_.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) fail();
    if (fd_.close() != 0) fail();
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
    keep_on_signal(temporary_);
    temporary_.clear();
    if (sync_) sync_folder_of(target_);
  }

 private:
  [[noreturn]] void fail() const {
    const int error = errno;
    if (error == EPIPE) throw BrokenPipe(name_ + ": the reader of the pipe has ended");
    std::string message = name_ + ": cannot be written: " + std::strerror(error);
    if (error == ENOSPC || error == EDQUOT) message += "; make room or write elsewhere";
    throw OutputError(message);
  }

  std::string name_;
  Descriptor fd_;
  std::string temporary_;
  std::string target_;
  bool sync_;
};

[[noreturn]] void cannot_create(const std::string& path, int error) {
  std::string message = path + ": cannot be created: " + std::strerror(error);
  if (error == ENOENT) message += "; create the folder first";
  if (error == EACCES || error == EROFS) message += "; write to a folder that you may write to";
  message += descriptor_remedy(error);
  throw OutputError(message);
}

/// For a file or device that is there.
[[noreturn]] void cannot_write(const std::string& path, int error) {
  if (error != EACCES) cannot_create(path, error);
  throw OutputError(path + ": cannot be written: " + std::strerror(error) +
                    "; it is write-protected: make it writable, or write to another file");
}

constexpr mode_t plain_mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;

/// The descriptor of an input.
int open_input(const std::string& path, const std::string& name, struct stat& status) {
  const int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    std::string message = name + ": cannot be opened: " + std::strerror(error);
    if (error == ENOENT) message += "; check the name";
    if (error == EACCES) message += "; check the permissions";
    message += descriptor_remedy(error);
    throw InputError(message);
  }
  if (::fstat(fd, &status) != 0) {
    const int error = errno;
    if (path != "-") ::close(fd);
    throw InputError(name + ": cannot be opened: " + std::strerror(error));
  }
  if (S_ISDIR(status.st_mode)) {
    if (path != "-") ::close(fd);
    throw InputError(name + ": is a directory, expected a trace file; name a file in it");
  }
  return fd;
}

void PieceSource::reopen() {
  struct stat status = {};
  open_.emplace(open_input(path_, path_, status));
  total_ = static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

std::unique_ptr<ByteSource> open_file_in_pieces(const std::string& path, std::size_t piece, bool closed) {
  struct stat status = {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return open_file_source(path);
  return std::make_unique<PieceSource>(path, piece, closed);
}

std::unique_ptr<ByteSource> open_file_source(const std::string& path, OnPause on_pause,
                                             std::shared_ptr<const Interrupt> interrupt) {
  const std::string name = input_name(path);
  struct stat status = {};
  const int fd = open_input(path, name, status);
  widen_pipe(fd, status.st_mode);
#ifdef POSIX_FADV_SEQUENTIAL
  if (S_ISREG(status.st_mode)) static_cast<void>(::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
#endif
  const std::uint64_t total = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  return std::make_unique<FileSource>(name, fd, total, std::move(on_pause), std::move(interrupt));
}

void sync_folder_of(const std::string& path) noexcept {
  const std::size_t slash = path.rfind('/');
  std::array<char, PATH_MAX> folder{'.'};
  if (slash != std::string::npos && slash + 1 < folder.size()) path.copy(folder.data(), slash + 1);
  const int fd = ::open(folder.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  static_cast<void>(::fsync(fd));
  ::close(fd);
}

/// A temporary file in the folder of the target, whose name begins at `base`; mode: of a file that it will replace.
static std::unique_ptr<ByteSink> create_beside(const std::string& name, const std::string& target, std::size_t base,
                                               std::optional<mode_t> mode, bool sync) {
  // Like mkstemp, but with the permissions that the file is to have.
  for (unsigned attempt = 0;; ++attempt) {
    const std::string temporary = target.substr(0, base) + '.' + target.substr(base, 200) + '.' +
                                  std::to_string(::getpid()) + '-' + std::to_string(attempt) + ".tmp";
    const SignalsHeld held;
    const int fd =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ? *mode & permission_bits : plain_mode);
    if (fd < 0) {
      if (errno == EEXIST && attempt < 10000) continue;
      cannot_create(name, errno);
    }
    std::unique_ptr<FileSink> sink;
    try {
      sink = std::make_unique<FileSink>(name, fd, temporary, target, sync);
    } catch (...) {  // no memory
      static_cast<void>(::close(fd));
      static_cast<void>(::unlink(temporary.c_str()));
      throw;
    }
    if (mode) static_cast<void>(::fchmod(fd, *mode & permission_bits));
    return sink;
  }
}

std::unique_ptr<ByteSink> open_file_sink(const std::string& path, bool for_terminal, bool sync) {
  const std::string name = output_name(path);
  const auto direct = [&](int fd, mode_t mode) -> std::unique_ptr<ByteSink> {
    widen_pipe(fd, mode);
    auto sink = std::make_unique<FileSink>(name, fd, std::string(), std::string(), false);
    if (!for_terminal && ::isatty(fd) == 1)
      throw UsageError(
          name +
          " is a terminal: binary and compressed traces are not written to it; name a file with open_sink(), use a "
          "pipe, or write text with SinkOptions::format text");
    return sink;
  };
  struct stat status = {};
  if (path == "-") {
    if (::fstat(STDOUT_FILENO, &status) != 0) cannot_create(name, errno);
    return direct(STDOUT_FILENO, status.st_mode);
  }
  if (const std::optional<int> open = descriptor_of(path)) {
    // Its file goes on where it is; opened by name it would begin anew, and be replaced.
    const int flags = ::fcntl(*open, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) cannot_create(name, EBADF);
    const int fd = ::fcntl(*open, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd < 0 || ::fstat(fd, &status) != 0) cannot_create(name, errno);
    return direct(fd, status.st_mode);
  }
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    throw OutputError(name + ": is a directory, expected a file; name a file in it");
  if (exists && !S_ISREG(status.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) cannot_write(name, errno);
    return direct(fd, status.st_mode);
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) cannot_write(name, errno);
  const std::optional<fs::path> followed = follow(path);
  if (!followed) cannot_create(path, ELOOP);
  const std::string target = followed->string();
  const std::size_t slash = target.rfind('/');
  const std::size_t base = slash == std::string::npos ? 0 : slash + 1;
  if (base == target.size()) throw OutputError(name + ": expected the name of a file");
  return create_beside(name, target, base, exists ? std::optional(status.st_mode) : std::nullopt, sync);
}

}  // namespace clc::formats
