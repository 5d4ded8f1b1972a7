#include "otf2/spool.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "bytes/descriptors.hpp"
#include "clc/error.hpp"

namespace clc::otf2 {

namespace {

[[noreturn]] void fail(const char* what) {
  const int error = errno;
  const std::string remedy = formats::descriptor_remedy(error);
  throw OutputError(std::string("temporary file: cannot be ") + what + ": " + std::strerror(error) +
                    (remedy.empty() ? "; make room, or name another folder in TMPDIR" : remedy));
}

int open_temporary() {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/clc-XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) fail("created");
  static_cast<void>(::unlink(name.c_str()));
  return file;
}

}  // namespace

Spool::Spool(std::size_t streams, std::size_t memory_limit)
    : streams_(streams), most_in_memory_(memory_limit / block_size) {}

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
}

void Spool::append_slowly(Stream& to, const char* bytes, std::size_t size) {
  for (;;) {
    const std::size_t part = std::min(size, to.tail.size() - to.used);
    std::copy_n(bytes, part, to.tail.data() + to.used);
    to.used += static_cast<std::uint32_t>(part);
    bytes += part;
    size -= part;
    if (to.used == block_size) store(to);
    if (size == 0) return;
    to.tail.resize(std::clamp<std::size_t>(2 * to.tail.size(), 64, block_size));
  }
}

void Spool::append_varint_slowly(Stream& to, std::uint64_t value) {
  std::array<char, formats::longest_varint> bytes{};
  append_slowly(to, bytes.data(), static_cast<std::size_t>(formats::put_varint(bytes.data(), value) - bytes.data()));
}

void Spool::store(Stream& stream) {
  if (in_memory_.size() < most_in_memory_) {
    in_memory_.push_back(std::exchange(stream.tail, {}));
  } else {
    if (file_ < 0) file_ = open_temporary();
    const auto place = static_cast<off_t>((blocks_ - in_memory_.size()) * block_size);
    for (std::size_t done = 0; done < block_size;) {
      const ssize_t written =
          ::pwrite(file_, stream.tail.data() + done, block_size - done, place + static_cast<off_t>(done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("written");
      done += static_cast<std::size_t>(written);
    }
  }
  stream.used = 0;
  stream.blocks.push_back(blocks_++);
}

void Spool::load(std::uint64_t block, char* to) const {
  if (block < in_memory_.size()) {
    std::memcpy(to, in_memory_[block].data(), block_size);
    return;
  }
  const auto place = static_cast<off_t>((block - in_memory_.size()) * block_size);
  for (std::size_t done = 0; done < block_size;) {
    const ssize_t got = ::pread(file_, to + done, block_size - done, place + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read");
    done += static_cast<std::size_t>(got);
  }
}

bool Spool::Reader::refill() {
  const Stream& stream = spool_->streams_[stream_];
  if (next_block_ > stream.blocks.size()) return false;
  at_ = 0;
  if (next_block_ == stream.blocks.size()) {
    block_ = stream.tail;
    size_ = stream.used;
  } else {
    block_.resize(block_size);
    spool_->load(stream.blocks[next_block_], block_.data());
    size_ = block_size;
  }
  ++next_block_;
  return size_ > 0;
}

}  // namespace clc::otf2
