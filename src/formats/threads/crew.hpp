// What a source and a sink with threads of their own know of each other.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "clc/io/threads.hpp"

namespace clc {

class Threads::Crew {
 public:
  explicit Crew(std::optional<unsigned> count);

  /// pays: what was measured for the format.
  [[nodiscard]] bool reader(bool pays) const noexcept { return reads_ && (pays || !automatic_); }
  [[nodiscard]] bool writer(bool pays) const noexcept { return writes_ && (pays || !automatic_); }

  /// Called when writing fails, so that a read that waits for input ends; empty: there is none.
  void set_wake(std::function<void()> wake);
  /// In the thread that writes: it ends.
  void fail(std::exception_ptr error);
  /// Throws what writing failed with, if it has.
  void rethrow();

  /// Waits until all is written that the sink was given; may throw what writing failed with. Empty: it has no thread.
  void set_drain(std::function<void()> drain) { drain_ = std::move(drain); }
  /// Called, in the thread that uses source and sink, before definitions change: the sink looks at them.
  void drain() const {
    if (drain_) drain_();
  }

 private:
  bool automatic_;
  bool reads_;
  bool writes_;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::exception_ptr error_;
  std::function<void()> drain_;
};

}  // namespace clc
