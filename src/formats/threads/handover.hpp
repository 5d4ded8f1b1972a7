// Slots that one thread fills and another one empties, in order.
//
// Shapes   A ring. Each side works on one slot at a time; the filled slots between them wait.
// Cost     A lock per slot. A thread without work sleeps. As waking it takes some microseconds, it is woken only
//          for `least` slots at once.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace clc::formats {

template <class Slot, std::size_t slots, std::size_t least = 1>
class Handover {
  static_assert(least >= 1 && least < slots);

 public:
  // For the side that fills.

  /// The next slot, once it is empty; null after stop.
  [[nodiscard]] Slot* to_fill() {
    std::unique_lock lock(mutex_);
    if (waiting() == slots) changed_.wait(lock, [&] { return stopped_ || waiting() <= slots - least; });
    return stopped_ ? nullptr : &ring_[filled_ % slots];
  }
  void filled() {
    const std::lock_guard lock(mutex_);
    ++filled_;
    if (waiting() >= least) changed_.notify_all();
  }
  /// Waits until all slots are empty. False after stop.
  [[nodiscard]] bool drained() {
    std::unique_lock lock(mutex_);
    if (waiting() == 0) return !stopped_;
    hurry_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return stopped_ || waiting() == 0; });
    hurry_ = false;
    return !stopped_;
  }
  /// No more slots will be filled: the filled ones are handed over at once.
  void no_more() {
    const std::lock_guard lock(mutex_);
    hurry_ = true;
    changed_.notify_all();
  }
  /// After no_more, once all slots are empty: slots will be filled again.
  void more_again() {
    const std::lock_guard lock(mutex_);
    hurry_ = false;
  }
  /// Waits until all slots are empty and the other side has granted it. False after stop.
  [[nodiscard]] bool ask() {
    std::unique_lock lock(mutex_);
    asked_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return stopped_ || !asked_; });
    return !stopped_;
  }

  // For the side that empties.

  /// The next slot, once it is filled; null after stop, after wake, or if all slots are empty and the other side
  /// asks for permission.
  [[nodiscard]] Slot* to_empty() {
    std::unique_lock lock(mutex_);
    if (waiting() == 0)
      changed_.wait(lock,
                    [&] { return stopped_ || woken_ || asked_ || waiting() >= least || (hurry_ && waiting() > 0); });
    if (stopped_ || woken_ || waiting() == 0) {
      woken_ = false;
      return nullptr;
    }
    return &ring_[emptied_ % slots];
  }
  void emptied() {
    const std::lock_guard lock(mutex_);
    ++emptied_;
    if (waiting() <= slots - least) changed_.notify_all();
  }
  void grant() {
    const std::lock_guard lock(mutex_);
    asked_ = false;
    changed_.notify_all();
  }

  // For any thread.

  /// Ends all waiting.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  /// Makes to_empty return without a slot, once.
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }

 private:
  [[nodiscard]] std::uint64_t waiting() const noexcept { return filled_ - emptied_; }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Slot, slots> ring_;
  std::uint64_t filled_ = 0;
  std::uint64_t emptied_ = 0;
  bool stopped_ = false;
  bool hurry_ = false;  // hand over every filled slot at once
  bool asked_ = false;
  bool woken_ = false;
};

}  // namespace clc::formats
