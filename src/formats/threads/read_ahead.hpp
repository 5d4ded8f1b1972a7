// Reads ahead in a thread. Shared by sources of records and of bytes.
//
// Place    A member of such a source, declared after the object that it reads from.
// Shapes   Blocks in a Handover, which hands over `least` at once to a waiting side. With three blocks and least = 1,
//          one is being filled, one is being emptied, and one is between them.
// Rests    If definitions change in almost every block, the other side must be asked each time, and switching threads
//          takes longer than reading. The thread then ends, and the caller reads by itself until that is over.
// Errors   An exception of reading travels in its block, after everything that was read before.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "bytes/interrupt.hpp"
#include "threads/crew.hpp"
#include "threads/handover.hpp"
#include "threads/worker.hpp"

namespace clc::formats {

template <class Content, std::size_t slots = 3, std::size_t least = 1>
class ReadAhead {
 public:
  struct Block {
    Content content;
    std::exception_ptr error;    ///< thrown while reading it
    std::uint64_t consumed = 0;  ///< bytes of the file up to its end
    bool rests = false;          ///< the thread has ended after it
  };

  /// fill: reads into a block; false: it was the last one. consumed: bytes of the file so far. Both are called in the
  /// thread once it runs. interrupt: ends a fill that waits for input; null: fill never waits.
  ReadAhead(std::function<bool(Content&)> fill, std::function<std::uint64_t()> consumed,
            std::shared_ptr<Interrupt> interrupt, std::shared_ptr<Threads> threads)
      : fill_(std::move(fill)),
        consumed_now_(std::move(consumed)),
        interrupt_(std::move(interrupt)),
        threads_(std::move(threads)),
        consumed_(consumed_now_()) {
    threads_->crew().set_wake([this] { blocks_.wake(); });
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() {
    threads_->crew().set_wake({});
    blocks_.stop();
    if (interrupt_) interrupt_->raise();
    worker_.join();
  }

  /// False: there is no thread, and the caller reads by itself. Call it before each read, without a current block.
  [[nodiscard]] bool start() {
    if (rests_) {
      in_row_ = std::exchange(asked_, false) ? 0 : in_row_ + 1;
      if (in_row_ < most_in_row) return false;
      worker_.join();
      blocks_.more_again();
      rests_ = false;
      in_row_ = 0;
    }
    return worker_.start([this] { work(); });
  }

  /// The block that is being emptied; null: none.
  [[nodiscard]] Block* current() noexcept { return block_; }
  /// The next block, once it is filled. Requires that there is no current one. Throws the error of writing, if any.
  Block& next() {
    while ((block_ = blocks_.to_empty()) == nullptr) {
      threads_->crew().rethrow();
      threads_->crew().drain();
      blocks_.grant();
    }
    consumed_ = block_->consumed;
    return *block_;
  }
  /// Marks the current block as empty.
  void give_back() {
    if (block_ == nullptr) return;
    if (block_->rests) rests_ = true;
    block_ = nullptr;
    blocks_.emptied();
  }
  /// For fill: waits until the other side has emptied all blocks and waits for the next.
  void wait_for_other() {
    asked_ = true;
    if (worker_.alone() || rests_) return threads_->crew().drain();
    if (!blocks_.ask()) throw Interrupt::Raised();
  }
  /// Bytes of the file up to the end of the current block.
  [[nodiscard]] std::uint64_t consumed() const { return worker_.alone() || rests_ ? consumed_now_() : consumed_; }

 private:
  static constexpr unsigned most_in_row = 16;  // blocks

  /// In the thread.
  void work() noexcept {
    for (bool more = true; more;) {
      Block* const block = blocks_.to_fill();
      if (block == nullptr) return;
      try {
        more = fill_(block->content);
      } catch (const Interrupt::Raised&) {
        return;
      } catch (...) {
        more = false;
        block->error = std::current_exception();
      }
      block->consumed = consumed_now_();
      in_row_ = std::exchange(asked_, false) ? in_row_ + 1 : 0;
      block->rests = more && in_row_ >= most_in_row;
      if (block->rests) {
        in_row_ = 0;
        more = false;
      }
      blocks_.filled();
    }
    blocks_.no_more();
  }

  std::function<bool(Content&)> fill_;
  std::function<std::uint64_t()> consumed_now_;
  std::shared_ptr<Interrupt> interrupt_;
  std::shared_ptr<Threads> threads_;
  Handover<Block, slots, least> blocks_;
  Block* block_ = nullptr;
  std::uint64_t consumed_;
  // Used by the reading side.
  bool asked_ = false;   // the other side was asked for this block
  unsigned in_row_ = 0;  // successive blocks for which it was asked; while the thread rests, was not asked
  bool rests_ = false;   // the thread rests; changes only while there is none
  Worker worker_;
};

}  // namespace clc::formats
