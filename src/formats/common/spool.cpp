#include "common/spool.hpp"

#include <unistd.h>

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
    unwritten_.insert(unwritten_.end(), stream.tail.begin(), stream.tail.end());
    if (unwritten_.size() == group * block_size) {
      if (file_ < 0) file_ = open_temporary();
      write_temporary(file_, unwritten_.data(), unwritten_.size(), written_ * block_size);
      written_ += group;
      unwritten_.clear();
    }
  }
  stream.used = 0;
  stream.blocks.push_back(blocks_++);
}

void Spool::read_block(std::uint64_t number, char* to) const {
  if (number < written_)
    static_cast<void>(read_temporary(file_, to, block_size, number * block_size));
  else
    std::copy_n(unwritten_.data() + (number - written_) * block_size, block_size, to);
}

bool Spool::Reader::load() {
  const Stream& stream = spool_->streams_[stream_];
  if (next_block_ > stream.blocks.size()) return false;
  std::size_t size = block_size;
  if (next_block_ == stream.blocks.size()) {
    at_ = stream.tail.data();
    size = stream.used;
  } else if (const std::uint64_t block = stream.blocks[next_block_]; block < spool_->in_memory_.size()) {
    at_ = spool_->in_memory_[block].data();
  } else {
    loaded_.resize(block_size);
    spool_->read_block(block - spool_->in_memory_.size(), loaded_.data());
    at_ = loaded_.data();
  }
  end_ = at_ + size;
  ++next_block_;
  return size > 0;
}

bool Spool::Reader::refill() {
  if (after_ == nullptr) return load();
  at_ = std::exchange(after_, nullptr);
  end_ = after_end_;
  return true;
}

const char* Spool::Reader::entry_at_end() {
  if (after_ != nullptr) {  // no more is left than was copied from the block
    at_ = after_ - (end_ - at_);
    end_ = after_end_;
    after_ = nullptr;
    return entry();
  }
  if (at_ == end_ && !load()) return nullptr;
  const auto rest = end_ - at_;
  if (rest >= std::ptrdiff_t{longest_entry}) return at_;
  std::copy(at_, end_, joined_.begin());
  at_ = end_ = nullptr;
  load();
  const auto more = std::min(end_ - at_, std::ptrdiff_t{longest_entry});
  std::copy_n(at_, more, joined_.begin() + rest);
  if (at_ + more != end_) {
    after_ = at_ + more;
    after_end_ = end_;
  }
  at_ = joined_.data();
  end_ = at_ + rest + more;
  return at_;
}

}  // namespace clc::formats
