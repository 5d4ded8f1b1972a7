#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "threads/crew.hpp"
#include "threads/handover.hpp"
#include "threads/threads.hpp"

namespace clc::formats {

namespace {

/// What one read of the inner source gave.
struct Block {
  static constexpr std::size_t capacity = std::size_t{1} << 17;  // a block of zstd
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  std::exception_ptr error;  ///< thrown instead
  std::uint64_t consumed = 0;
};

class ThreadedByteSource final : public ByteSource {
 public:
  ThreadedByteSource(std::unique_ptr<ByteSource> inner, std::shared_ptr<Interrupt> interrupt,
                     std::shared_ptr<Threads> threads)
      : inner_(std::move(inner)),
        interrupt_(std::move(interrupt)),
        threads_(std::move(threads)),
        consumed_(inner_->consumed()),
        total_(inner_->total()) {
    threads_->crew().set_wake([this] { blocks_.wake(); });
  }
  ThreadedByteSource(const ThreadedByteSource&) = delete;
  ThreadedByteSource& operator=(const ThreadedByteSource&) = delete;
  ~ThreadedByteSource() override {
    threads_->crew().set_wake({});
    blocks_.stop();
    interrupt_->raise();
    if (thread_.joinable()) thread_.join();
  }

  std::size_t read(char* to, std::size_t capacity) override {
    if (!thread_.joinable() && !alone_) start();
    if (alone_) return inner_->read(to, capacity);
    if (block_ == nullptr) {
      while ((block_ = blocks_.to_empty()) == nullptr) threads_->crew().rethrow();
      taken_ = 0;
      consumed_ = block_->consumed;
    }
    if (block_->error) std::rethrow_exception(block_->error);
    const std::size_t count = std::min(capacity, block_->size - taken_);
    if (count == 0) return 0;  // the end, which stays
    std::memcpy(to, block_->bytes.get() + taken_, count);
    taken_ += count;
    if (taken_ == block_->size) {
      block_ = nullptr;
      blocks_.emptied();
    }
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return alone_ ? inner_->consumed() : consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return total_; }

 private:
  void start() {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // no thread is to be had
      alone_ = true;
    }
  }

  /// In the thread that reads.
  void work() noexcept {
    for (bool more = true; more;) {
      Block* const block = blocks_.to_fill();
      if (block == nullptr) return;
      try {
        if (!block->bytes) block->bytes = std::make_unique_for_overwrite<char[]>(Block::capacity);
        block->size = inner_->read(block->bytes.get(), Block::capacity);
        more = block->size > 0;
      } catch (const Interrupt::Raised&) {
        return;
      } catch (...) {
        more = false;
        block->error = std::current_exception();
      }
      block->consumed = inner_->consumed();
      blocks_.filled();
    }
  }

  std::unique_ptr<ByteSource> inner_;
  std::shared_ptr<Interrupt> interrupt_;
  std::shared_ptr<Threads> threads_;
  Handover<Block, 3> blocks_;
  Block* block_ = nullptr;  ///< is emptied
  std::size_t taken_ = 0;   ///< of its bytes
  std::uint64_t consumed_;
  std::uint64_t total_;
  bool alone_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteSource> threaded(std::unique_ptr<ByteSource> inner, std::shared_ptr<Interrupt> interrupt,
                                     std::shared_ptr<Threads> threads) {
  return std::make_unique<ThreadedByteSource>(std::move(inner), std::move(interrupt), std::move(threads));
}

}  // namespace clc::formats
