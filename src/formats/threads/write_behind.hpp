// Writes in a thread. Shared by sinks of records and of bytes.
//
// Place    A member of such a sink, declared after the object that it writes to. Its destructor ends the thread and
//          drops the slots that wait.
// Shapes   As Handover. Each slot is written once, in order.
// Errors   An exception of writing ends the thread. The next call here throws it, and a blocked read is woken.
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
  /// fill: fills the given slot. Requires start.
  template <class Fill>
  void hand_over(Fill fill) {
    Slot* const slot = handed_.to_fill();
    if (slot == nullptr) return threads_->crew().rethrow();
    fill(*slot);
    handed_.filled();
  }
  /// Waits until all is written or writing has failed; the thread is idle then. False: writing has failed.
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
