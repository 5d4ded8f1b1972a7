// The stretch of input that a reader works on.
//
// Assumes  A reader consumes from the front and asks for more only when what is left is too little; views
//          into the buffer are valid until then.
// Cost     What is left is moved to the front once per fill: less than a line or a block.
#pragma once

#include <cstdint>
#include <memory>

#include "bytes/bytes.hpp"

namespace clc::formats {

class InputBuffer {
 public:
  /// At most this much is read at once.
  static constexpr std::size_t chunk = std::size_t{1} << 20;
  /// Bytes behind end() that may be read (not used): decoders need not check every byte.
  static constexpr std::size_t padding = 128;

  /// Holds up to `longest` unconsumed bytes and can still fill.
  InputBuffer(std::unique_ptr<ByteSource> bytes, std::size_t longest);

  [[nodiscard]] const char* begin() const noexcept { return begin_; }
  [[nodiscard]] const char* end() const noexcept { return end_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  /// Position of begin() in the stream.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// The bytes before `to` are done with.
  void consume(const char* to) noexcept {
    offset_ += static_cast<std::uint64_t>(to - begin_);
    begin_ += to - begin_;
  }
  /// Reads more. False: the input has ended. Throws InputError; the buffer then is as before.
  bool fill();
  /// Puts a byte behind the last one read; one at most, at the end of the input.
  void append(char byte) noexcept { *end_++ = byte; }

  [[nodiscard]] const ByteSource& bytes() const noexcept { return *bytes_; }

 private:
  std::unique_ptr<ByteSource> bytes_;
  std::size_t capacity_;
  std::unique_ptr<char[]> data_;
  char* begin_;
  char* end_;
  std::uint64_t offset_ = 0;
};

}  // namespace clc::formats
