// A queue in an array: small where there are many, and most are short.
//
// Cost     O(1) on average, but erase; no memory while nothing was put in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/heap.hpp"

namespace clc {

template <class T>
class ShortQueue {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size() - first_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return entries_[first_ + i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return entries_[first_ + i]; }
  [[nodiscard]] T& front() noexcept { return entries_[first_]; }
  [[nodiscard]] const T& front() const noexcept { return entries_[first_]; }
  [[nodiscard]] auto begin() noexcept { return entries_.begin() + static_cast<std::ptrdiff_t>(first_); }
  [[nodiscard]] auto end() noexcept { return entries_.end(); }
  [[nodiscard]] auto begin() const noexcept { return entries_.begin() + static_cast<std::ptrdiff_t>(first_); }
  [[nodiscard]] auto end() const noexcept { return entries_.end(); }
  void push_back(const T& entry) { entries_.push_back(entry); }
  void resize(std::size_t size) { entries_.resize(first_ + size); }
  void pop_front() noexcept {
    if (++first_ == entries_.size()) return clear();
    if (2 * first_ <= entries_.size()) return;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  /// Moves those on its shorter side.
  void erase(std::size_t i) noexcept {
    const auto own = begin() + static_cast<std::ptrdiff_t>(i);
    if (2 * i >= size()) {
      entries_.erase(own);
      return;
    }
    std::move_backward(begin(), own, own + 1);
    pop_front();
  }
  void clear() noexcept {
    entries_.clear();
    first_ = 0;
  }
  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept { return on_heap(entries_); }

 private:
  std::vector<T> entries_;
  std::size_t first_ = 0;
};

}  // namespace clc
