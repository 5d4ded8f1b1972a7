// A thread that is started when there is work for it.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "bytes/signals.hpp"

namespace clc::formats {

class Worker {
 public:
  /// Starts the thread at the first call. False: the system provides none, and the caller keeps the work.
  template <class Work>
  [[nodiscard]] bool start(Work work) {
    if (thread_.joinable() || alone_) return !alone_;
    try {
      const SignalsHeld held;  // the caller's thread handles them
      thread_ = std::thread(std::move(work));
    } catch (const std::system_error&) {
      alone_ = true;
    }
    return !alone_;
  }
  [[nodiscard]] bool started() const noexcept { return thread_.joinable(); }
  /// The system provided no thread.
  [[nodiscard]] bool alone() const noexcept { return alone_; }
  /// Waits for its end. Requires that it was told to end.
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  bool alone_ = false;
  std::thread thread_;
};

}  // namespace clc::formats
