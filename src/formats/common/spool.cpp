#include "common/spool.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bytes/temporary.hpp"

namespace clc::formats {

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
  std::array<char, longest_varint> bytes{};
  append_slowly(to, bytes.data(), static_cast<std::size_t>(put_varint(bytes.data(), value) - bytes.data()));
}

void Spool::store(Stream& stream) {
  if (in_memory_.size() < most_in_memory_) {
    in_memory_.push_back(std::exchange(stream.tail, {}));
  } else {
    if (file_ < 0) file_ = open_temporary();
    const std::uint64_t place = (blocks_ - in_memory_.size()) * block_size;
    write_temporary(file_, stream.tail.data(), block_size, place);
  }
  stream.used = 0;
  stream.blocks.push_back(blocks_++);
}

bool Spool::Reader::refill() {
  const Stream& stream = spool_->streams_[stream_];
  if (next_block_ > stream.blocks.size()) return false;
  at_ = 0;
  size_ = block_size;
  if (next_block_ == stream.blocks.size()) {
    block_ = stream.tail.data();
    size_ = stream.used;
  } else if (const std::uint64_t block = stream.blocks[next_block_]; block < spool_->in_memory_.size()) {
    block_ = spool_->in_memory_[block].data();
  } else {
    loaded_.resize(block_size);
    static_cast<void>(
        read_temporary(spool_->file_, loaded_.data(), block_size, (block - spool_->in_memory_.size()) * block_size));
    block_ = loaded_.data();
  }
  ++next_block_;
  return size_ > 0;
}

}  // namespace clc::formats
