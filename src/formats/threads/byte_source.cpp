#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "threads/read_ahead.hpp"
#include "threads/threads.hpp"

namespace clc::formats {

namespace {

/// What one read of the inner source gave; nothing at its end.
struct Bytes {
  static constexpr std::size_t capacity = std::size_t{1} << 17;  // a block of zstd
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
};

class ThreadedByteSource final : public ByteSource {
 public:
  ThreadedByteSource(std::unique_ptr<ByteSource> inner, std::shared_ptr<Interrupt> interrupt,
                     std::shared_ptr<Threads> threads)
      : inner_(std::move(inner)),
        total_(inner_->total()),
        ahead_([this](Bytes& block) { return fill(block); }, [this] { return inner_->consumed(); },
               std::move(interrupt), std::move(threads)) {}

  std::size_t read(char* to, std::size_t capacity) override {
    if (!ahead_.start()) return inner_->read(to, capacity);
    if (ahead_.current() == nullptr) {
      ahead_.next();
      taken_ = 0;
    }
    const auto& block = *ahead_.current();
    if (block.error) std::rethrow_exception(block.error);
    const std::size_t count = std::min(capacity, block.content.size - taken_);
    if (count == 0) return 0;  // the end, which stays
    std::memcpy(to, block.content.bytes.get() + taken_, count);
    taken_ += count;
    if (taken_ == block.content.size) ahead_.give_back();
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return ahead_.consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return total_; }

 private:
  /// In the thread that reads.
  bool fill(Bytes& block) {
    if (!block.bytes) block.bytes = std::make_unique_for_overwrite<char[]>(Bytes::capacity);
    block.size = inner_->read(block.bytes.get(), Bytes::capacity);
    return block.size > 0;
  }

  std::unique_ptr<ByteSource> inner_;
  std::uint64_t total_;
  std::size_t taken_ = 0;  ///< of the current block
  ReadAhead<Bytes> ahead_;
};

}  // namespace

std::unique_ptr<ByteSource> threaded(std::unique_ptr<ByteSource> inner, std::shared_ptr<Interrupt> interrupt,
                                     std::shared_ptr<Threads> threads) {
  return std::make_unique<ThreadedByteSource>(std::move(inner), std::move(interrupt), std::move(threads));
}

}  // namespace clc::formats
