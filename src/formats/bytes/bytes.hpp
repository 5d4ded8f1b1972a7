// Sources and sinks of bytes: the layer below the formats.
//
// Place    At the bottom a file or pipe (bytes/file.hpp), above it decorators such as zstd
//          (zstd/zstd.hpp), on top a format's reader or writer.
// Cost     One virtual call per buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace clc::formats {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads at least one byte, at most capacity; 0 only at the end. May return fewer bytes than requested,
  /// so that the contents of a pipe are delivered without delay. Throws InputError.
  virtual std::size_t read(char* to, std::size_t capacity) = 0;
  /// No read returns more bytes.
  [[nodiscard]] virtual std::size_t largest_read() const noexcept { return SIZE_MAX; }
  /// Bytes read so far from the underlying file, and its size (0: unknown).
  [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t total() const noexcept = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Writes all bytes or throws OutputError.
  virtual void write(std::string_view bytes) = 0;
  /// Flushes the buffers of decorators, so that a reader at the other end sees all bytes written so far.
  virtual void flush() = 0;
  /// Completes the output and gives a file its final name. Without close the output is discarded.
  virtual void close() = 0;
};

/// Allows to recognise the format by content: bytes that were peeked at are read again.
class PeekSource final : public ByteSource {
 public:
  explicit PeekSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}

  /// The next `count` bytes, fewer only at the end of the input.
  std::string_view peek(std::size_t count);
  std::size_t read(char* to, std::size_t capacity) override;
  [[nodiscard]] std::size_t largest_read() const noexcept override { return inner_->largest_read(); }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return inner_->total(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string head_;
};

}  // namespace clc::formats
