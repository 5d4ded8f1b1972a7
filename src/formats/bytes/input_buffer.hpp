// The part of the input that a reader works on.
//
// Assumes  A reader consumes from the front and fills only when the rest is incomplete. Views into the
//          buffer are valid until the next fill.
// Cost     Each fill moves the rest, less than a line or a block, to the front. Memory for one read and the longest
//          rest so far.
#pragma once

#include <cstdint>
#include <memory>

#include "bytes/bytes.hpp"

namespace clc::formats {

class InputBuffer {
 public:
  /// Largest number of bytes per read.
  static constexpr std::size_t chunk = std::size_t{1} << 20;
  /// Bytes after end() that may be read but not used, so that decoders need not check every byte.
  static constexpr std::size_t padding = 128;

  /// Holds up to `longest` unconsumed bytes and can still fill.
  InputBuffer(std::unique_ptr<ByteSource> bytes, std::size_t longest);

  [[nodiscard]] const char* begin() const noexcept { return begin_; }
  [[nodiscard]] const char* end() const noexcept { return end_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  /// Position of begin() in the stream.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// Consumes the bytes before `to`.
  void consume(const char* to) noexcept {
    offset_ += static_cast<std::uint64_t>(to - begin_);
    begin_ += to - begin_;
  }
  /// Reads more. False: the input has ended. Throws InputError; what was not consumed stays, but may have moved.
  bool fill();
  /// Appends a byte at the end of the input; at most one.
  void append(char byte) noexcept { *end_++ = byte; }

  [[nodiscard]] const ByteSource& bytes() const noexcept { return *bytes_; }

 private:
  void grow(std::size_t least);

  std::unique_ptr<ByteSource> bytes_;
  std::size_t chunk_;  ///< bytes of a read
  std::size_t most_;
  std::size_t capacity_ = 0;
  std::unique_ptr<char[]> data_ = std::make_unique<char[]>(padding);
  char* begin_ = data_.get();
  char* end_ = data_.get();
  std::uint64_t offset_ = 0;
};

}  // namespace clc::formats
