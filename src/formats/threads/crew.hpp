// State shared by a source and a sink that use threads.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "clc/io/format.hpp"

namespace clc {

class Threads::Crew {
 public:
  explicit Crew(std::optional<unsigned> count);

  /// pays: whether a thread pays off for the format, by measurement.
  /// How many threads may run, the caller's among them.
  [[nodiscard]] unsigned count() const noexcept { return count_; }
  [[nodiscard]] bool reader(bool pays) const noexcept { return reads_ && (pays || !automatic_); }
  [[nodiscard]] bool writer(bool pays) const noexcept { return writes_ && (pays || !automatic_); }

  /// Sets a function to be called when writing fails, so that a blocked read ends; empty: none.
  void set_wake(std::function<void()> wake);
  /// To be called by the writing thread before it ends with an error.
  void fail(std::exception_ptr error);
  /// Throws the error of the writing thread, if any.
  void rethrow();

  /// Sets a function that waits until the sink has written all its input and may throw its error. Empty: no thread.
  void set_drain(std::function<void()> drain) { drain_ = std::move(drain); }
  /// To be called in the caller's thread before definitions change, because the sink reads them.
  void drain() const {
    if (drain_) drain_();
  }

 private:
  bool automatic_;
  unsigned count_;
  bool reads_;
  bool writes_;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::exception_ptr error_;
  std::function<void()> drain_;
};

}  // namespace clc
