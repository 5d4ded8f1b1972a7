// Writes behind in a thread of its own: what sinks of records and of bytes with a thread have in common.
//
// Place    A member of such a sink, behind what it writes to: its destruction ends the thread, and drops what waits.
// Shapes   As Handover. Each slot is written once, in order.
// Errors   What writing throws ends the thread; the next call here throws it, and a read that waits is woken.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "threads/crew.hpp"
#include "threads/handover.hpp"
#include "threads/worker.hpp"

namespace clc::formats {

template <class Slot, std::size_t slots, std::size_t least = 1>
class WriteBehind {
 public:
  /// write: called in the thread.
  WriteBehind(std::function<void(const Slot&)> write, std::shared_ptr<Threads> threads)
      : write_(std::move(write)), threads_(std::move(threads)) {}
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;
  ~WriteBehind() {
    handed_.stop();
    worker_.join();
  }

  /// False: there is no thread, and the caller writes by itself.
  [[nodiscard]] bool start() {
    return worker_.start([this] { work(); });
  }
  /// fill: puts something into the slot that it is given. Pre: start.
  template <class Fill>
  void hand_over(Fill fill) {
    Slot* const slot = handed_.to_fill();
    if (slot == nullptr) return threads_->crew().rethrow();
    fill(*slot);
    handed_.filled();
  }
  /// Waits until all is written, or writing has failed; then the thread has nothing to do. False: it has failed.
  [[nodiscard]] bool wait() { return !worker_.started() || handed_.drained(); }
  /// As wait, but throws.
  void drain() {
    if (!wait()) threads_->crew().rethrow();
  }

 private:
  /// In the thread.
  void work() noexcept {
    while (const Slot* const slot = handed_.to_empty()) {
      try {
        write_(*slot);
      } catch (...) {
        threads_->crew().fail(std::current_exception());
        handed_.stop();
        return;
      }
      handed_.emptied();
    }
  }

  std::function<void(const Slot&)> write_;
  std::shared_ptr<Threads> threads_;
  Handover<Slot, slots, least> handed_;
  Worker worker_;
};

}  // namespace clc::formats
