#include "bytes/input_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace clc::formats {

InputBuffer::InputBuffer(std::unique_ptr<ByteSource> bytes, std::size_t longest)
    : bytes_(std::move(bytes)), chunk_(std::min(chunk, bytes_->largest_read())), most_(longest + chunk) {}

bool InputBuffer::fill() {
  const std::size_t left = size();
  const std::size_t room = std::min(chunk_, most_ - left);
  if (left + room > capacity_) {
    grow(left + room);
  } else if (begin_ != data_.get()) {
    std::memmove(data_.get(), begin_, left);
    begin_ = data_.get();
    end_ = begin_ + left;
  }
  std::size_t got = 0;
  try {
    got = bytes_->read(end_, room);
  } catch (...) {
    std::memset(end_, 0, padding);  // what is there can still be decoded
    throw;
  }
  end_ += got;
  std::memset(end_, 0, padding);
  return got > 0;
}

void InputBuffer::grow(std::size_t least) {
  const std::size_t step = std::max<std::size_t>(chunk_ / 4, 1);  // so that a rest before the next chunk has room
  capacity_ = std::min(most_, std::max(2 * capacity_, (least + step - 1) / step * step));
  std::unique_ptr<char[]> larger = std::make_unique_for_overwrite<char[]>(capacity_ + padding);
  const std::size_t left = size();
  std::memcpy(larger.get(), begin_, left);
  data_ = std::move(larger);
  begin_ = data_.get();
  end_ = begin_ + left;
}

}  // namespace clc::formats
