#include "record/writer.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "record/failures.hpp"

namespace clc::record {

namespace {

template <class Number>
void store(char* to, Number value) noexcept {
  for (std::size_t i = 0; i < sizeof value; ++i)
    to[i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
}

}  // namespace

bool Writer::open(const char* path) noexcept {
  file_ = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) return false;
  char start[16] = {'\x89', 'C', 'L', 'C', '\r', '\n', '\x1a', '\n'};
  store(start + 8, std::uint32_t{1});
  store(start + 12, static_cast<std::uint32_t>(XXH3_64bits(start, 12)));
  used_ = head;
  put(start, sizeof start);
  return error_ == 0;
}

void Writer::put(const char* bytes, std::size_t count) noexcept {
  const NoSizeSignal none;
  while (count > 0 && error_ == 0) {
    const ssize_t written = ::write(file_, bytes, count);
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

void Writer::number(std::uint64_t value) noexcept {
  while (value >= 0x80) {
    byte(static_cast<unsigned>(value | 0x80U) & 0xffU);
    value >>= 7U;
  }
  byte(static_cast<unsigned>(value));
}

void Writer::text(std::string_view text) noexcept {
  number(text.size());
  std::memcpy(block_ + used_, text.data(), text.size());
  used_ += text.size();
}

void Writer::note(std::string_view line) noexcept {
  if (file_ < 0) return;
  ++notes_;
  if (line.size() + 16 > payload) return long_note(line);
  if (used_ + line.size() + 16 > head + payload) flush();
  byte(0);
  text(line);
}

/// In a block of its own: a communicator may have more members than a usual one has room for.
void Writer::long_note(std::string_view line) noexcept {
  flush();
  byte(0);
  number(line.size());
  std::string block(block_, used_);
  used_ = head;
  block += line;
  const std::size_t size = block.size();
  block.resize(size + check);
  put_block("DATA", block.data(), size);
}

void Writer::record(std::uint32_t process, std::int64_t time) noexcept {
  if (used_ + longest_entry > head + payload) flush();
  if (block_records_ == 0) base_ = last_ = time;
  number(process + std::uint64_t{1});
  signed_number(static_cast<std::int64_t>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(last_)));
  last_ = time;
  ++block_records_;
}

/// size: of its head and payload, in front of room for the checksum.
void Writer::put_block(const char* type, char* block, std::size_t size) noexcept {
  std::memcpy(block, type, 4);
  store(block + 4, static_cast<std::uint32_t>(size - head));
  store(block + 8, records_);
  store(block + 16, base_);
  store(block + 24, block_records_);
  store(block + 28, static_cast<std::uint32_t>(XXH3_64bits(block, 28)));
  store(block + size, static_cast<std::uint64_t>(XXH3_64bits(block + head, size - head)));
  put(block, size + check);
}

void Writer::end_block(const char* type) noexcept {
  put_block(type, block_, used_);
  records_ += block_records_;
  block_records_ = 0;
  used_ = head;
}

void Writer::flush() noexcept {
  if (file_ >= 0 && used_ > head) end_block("DATA");
}

void Writer::close() noexcept {
  if (file_ < 0) return;
  flush();
  store(block_ + head, notes_);
  used_ = head + 8;
  base_ = last_;
  end_block("END.");
  if (::close(file_) != 0 && error_ == 0) error_ = errno;  // as file systems over a network tell
  file_ = -1;
}

void Writer::discard(const char* path) noexcept {
  if (file_ < 0) return;
  static_cast<void>(::close(file_));
  static_cast<void>(::unlink(path));
  file_ = -1;
}

}  // namespace clc::record
