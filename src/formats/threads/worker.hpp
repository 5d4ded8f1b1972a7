// A thread that is made when there is work for it.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "bytes/signals.hpp"

namespace clc::formats {

class Worker {
 public:
  /// Makes the thread at the first call. False: the system gives none, and the work stays with the caller.
  template <class Work>
  [[nodiscard]] bool start(Work work) {
    if (thread_.joinable() || alone_) return !alone_;
    try {
      const SignalsHeld held;  // the caller's thread takes them
      thread_ = std::thread(std::move(work));
    } catch (const std::system_error&) {
      alone_ = true;
    }
    return !alone_;
  }
  [[nodiscard]] bool started() const noexcept { return thread_.joinable(); }
  /// The system gave no thread.
  [[nodiscard]] bool alone() const noexcept { return alone_; }
  /// Waits for its end. Pre: something has told it to end.
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  bool alone_ = false;
  std::thread thread_;
};

}  // namespace clc::formats
