// Collects output until there is enough for a system call.
#pragma once

#include <cstring>
#include <memory>

#include "bytes/bytes.hpp"

namespace clc::formats {

class OutputBuffer {
 public:
  static constexpr std::size_t chunk = std::size_t{1} << 18;

  explicit OutputBuffer(std::unique_ptr<ByteSink> bytes)
      : bytes_(std::move(bytes)), capacity_(chunk), data_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

  /// Makes room for `count` more bytes; commit takes the number of bytes used.
  [[nodiscard]] char* reserve(std::size_t count) {
    if (capacity_ - used_ < count) [[unlikely]]
      make_room(count);
    return data_.get() + used_;
  }
  void commit(const char* end) noexcept { used_ = static_cast<std::size_t>(end - data_.get()); }
  void append(std::string_view bytes) {
    std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void flush() {
    drain();
    bytes_->flush();
  }
  void close() {
    drain();
    bytes_->close();
  }

 private:
  void drain() {
    if (used_ == 0) return;
    const std::size_t count = used_;
    used_ = 0;
    bytes_->write({data_.get(), count});
  }
  void make_room(std::size_t count) {
    drain();
    if (capacity_ >= count) return;
    capacity_ = count;
    data_ = std::make_unique_for_overwrite<char[]>(capacity_);
  }

  std::unique_ptr<ByteSink> bytes_;
  std::size_t capacity_;
  std::unique_ptr<char[]> data_;
  std::size_t used_ = 0;
};

}  // namespace clc::formats
