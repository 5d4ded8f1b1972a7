#include "bytes/input_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace clc::formats {

InputBuffer::InputBuffer(std::unique_ptr<ByteSource> bytes, std::size_t longest)
    : bytes_(std::move(bytes)),
      capacity_(longest + chunk),
      data_(std::make_unique_for_overwrite<char[]>(capacity_ + padding)),
      begin_(data_.get()),
      end_(data_.get()) {
  std::memset(end_, 0, padding);
}

bool InputBuffer::fill() {
  if (begin_ != data_.get()) {
    const std::size_t left = size();
    std::memmove(data_.get(), begin_, left);
    begin_ = data_.get();
    end_ = begin_ + left;
  }
  const std::size_t room = std::min(chunk, capacity_ - size());
  const std::size_t got = bytes_->read(end_, room);
  end_ += got;
  std::memset(end_, 0, padding);
  return got > 0;
}

}  // namespace clc::formats
