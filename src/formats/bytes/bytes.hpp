// Where bytes come from and go to: the layer below the formats.
//
// Place    A file or pipe at the bottom (bytes/file.hpp), decorators such as zstd (zstd/zstd.hpp) on it,
//          a format's reader or writer on top.
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
  /// Reads at least one byte, at most capacity; 0 only at the end. May return fewer bytes than asked for,
  /// so that what a pipe holds is delivered without delay. Throws InputError.
  virtual std::size_t read(char* to, std::size_t capacity) = 0;
  /// Bytes of the file at the bottom consumed so far, and in all (0: unknown).
  [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t total() const noexcept = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Takes all bytes or throws OutputError.
  virtual void write(std::string_view bytes) = 0;
  /// Passes on what decorators hold back, so that a reader at the other end sees all bytes written so far.
  virtual void flush() = 0;
  /// Completes the output and gives a file its final name. Without close the output is discarded.
  virtual void close() = 0;
};

/// Lets the format be found by content: bytes that were looked at are read again.
class PeekSource final : public ByteSource {
 public:
  explicit PeekSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}

  /// The next bytes, `count` of them unless the input ends before.
  std::string_view peek(std::size_t count);
  std::size_t read(char* to, std::size_t capacity) override;
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return inner_->total(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string head_;
};

}  // namespace clc::formats
