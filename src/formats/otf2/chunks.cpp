#include "otf2/chunks.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

namespace clc::otf2::chunks {

namespace {

constexpr std::uint8_t own_order = std::endian::native == std::endian::little ? 'B' : '#';
constexpr std::uint8_t other_order = std::endian::native == std::endian::little ? '#' : 'B';

}  // namespace

File::File(const std::string& path, int flags) : file_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}

File::~File() {
  if (file_ >= 0) ::close(file_);
}

std::optional<std::size_t> File::read(char* to, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(file_, to + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool File::write(const char* from, std::size_t size) const {
  while (size > 0) {
    const ssize_t written = ::write(file_, from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

std::optional<std::uint64_t> File::size() const {
  struct stat status = {};
  if (::fstat(file_, &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

bool File::seek(std::uint64_t place) const { return ::lseek(file_, static_cast<off_t>(place), SEEK_SET) >= 0; }

bool File::close() { return ::close(std::exchange(file_, -1)) == 0; }

Chunks::Chunks(const std::string& file, std::uint64_t chunk_size)
    : in_(file, O_RDONLY), chunk_size_(std::max<std::uint64_t>(1, chunk_size)) {
  if (in_.open() && chunk_size > head_size) bytes_ = in_.size().value_or(0);
}

bool Chunks::read(std::uint64_t number) {
  if (number_ == number) return begins_with_head_;
  const std::uint64_t room = std::min(bytes_, chunk_size_);
  if (!chunk_) {
    chunk_ = std::make_unique_for_overwrite<char[]>(room + margin);
    std::memset(&chunk_[room], 0, margin);
  }
  const auto size = in_.seek(number * chunk_size_) ? in_.read(chunk_.get(), room) : std::nullopt;
  readable_ = size.has_value();
  size_ = size.value_or(0);
  number_ = number;
  const auto order = size_ > head_size ? static_cast<std::uint8_t>(chunk_[1]) : std::uint8_t{0};
  swapped_ = order == other_order;
  begins_with_head_ = (order == own_order || order == other_order) && chunk_[0] == chunk_head;
  return begins_with_head_;
}

std::uint64_t Chunks::number_at(std::size_t at) const noexcept { return load(&chunk_[at], swapped_); }

bool begins_with_head(const char* chunk, std::size_t size) noexcept {
  return size > head_size && chunk[0] == chunk_head && static_cast<std::uint8_t>(chunk[1]) == own_order;
}

}  // namespace clc::otf2::chunks
