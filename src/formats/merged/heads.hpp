// The traces that are being merged, by the time of their next record: a tree of losers.
//
// Purpose  Each inner node keeps the later one of the two that met there, so that only the nodes above the first trace
//          change when it gets another time. Which of two is earlier cannot be predicted, so no step may be a branch:
//          a trace is a number of 64 bits, its time since `origin_` above its place in the list of traces.
// Cost     replace and pop O(log(traces)), about three cycles a level; the others O(1). Where the times of the traces
//          lie further apart than the number can hold (with 1,000 traces 2^53 ticks), all are numbered anew.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clc/time.hpp"

namespace clc::formats {

struct Head {
  Time time;
  std::size_t input = 0;
};

class Heads {
 public:
  Heads() = default;
  /// heads: at most one of each trace. traces: how many there are.
  Heads(std::span<const Head> heads, std::size_t traces)
      : bits_(std::max(1, static_cast<int>(std::bit_width(traces - 1)))),
        leaves_(std::size_t{1} << bits_),
        left_(heads.size()),
        ended_(~std::uint64_t{0} >> bits_),
        far_(ended_ - 1),
        times_(leaves_),
        present_(leaves_),
        nodes_(leaves_) {
    for (const Head& head : heads) {
      times_[head.input] = head.time;
      present_[head.input] = true;
    }
    number();
  }

  [[nodiscard]] bool empty() const noexcept { return left_ == 0; }
  [[nodiscard]] std::size_t first() const noexcept { return input_of(first_); }
  /// The one that comes behind it, if there is any.
  [[nodiscard]] std::size_t second() const noexcept { return input_of(second_); }
  /// Records of the first trace come next as long as they are earlier than that.
  [[nodiscard]] Time until() const noexcept {
    const std::uint64_t since = (second_ >> bits_) + (first() < second() ? 1 : 0);
    return since < ticks_between(origin_, Time::latest()) ? origin_ + static_cast<Ticks>(since) : Time::latest();
  }
  /// The first gets another time.
  void replace(Time time) {
    times_[first()] = time;
    const Key own = key(time);
    if (own == 0) [[unlikely]] {
      number();
      return;
    }
    sift(own);
    if (first_ >= key_of(far_, 0)) [[unlikely]]
      number();
  }
  void pop() {
    --left_;
    present_[first()] = false;
    sift(key_of(ended_, first()));
    if (first_ >= key_of(far_, 0) && left_ > 0) [[unlikely]]
      number();
  }

 private:
  /// A place in the order of records: by time, and for equal times in the order of the traces.
  using Key = std::uint64_t;

  [[nodiscard]] std::size_t input_of(Key key) const noexcept { return key & (leaves_ - 1); }
  /// Of a record of the first trace.
  [[nodiscard]] Key key(Time time) const noexcept {
    if (time < origin_) [[unlikely]]
      return 0;
    const std::uint64_t since = ticks_between(origin_, time);
    if (since >= far_) [[unlikely]]
      return key_of(far_, first());
    return key_of(since, first());
  }
  [[nodiscard]] Key key_of(std::uint64_t since, std::size_t input) const noexcept { return since << bits_ | input; }

  void sift(Key winner) noexcept {
    // The first one is known before the tree is: whoever goes on with it need not wait.
    first_ = second_ < winner ? second_ : winner;
    for (std::size_t node = (leaves_ + input_of(winner)) / 2; node > 0; node /= 2) {
      // Not std::min and std::max, which become a branch.
      const Key other = nodes_[node];
      const Key earlier = other < winner ? other : winner;
      const Key later = other < winner ? winner : other;
      nodes_[node] = later;
      winner = earlier;
    }
    find_second();
  }
  void find_second() noexcept {
    Key second = key_of(far_, 0);
    for (std::size_t node = (leaves_ + first()) / 2; node > 0; node /= 2)
      second = nodes_[node] < second ? nodes_[node] : second;
    second_ = second;
  }

  /// All traces, as seen from an origin a good deal before the first one.
  void number() {
    origin_ = Time::latest();
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf)
      if (present_[leaf]) origin_ = std::min(origin_, times_[leaf]);
    origin_ = origin_ - static_cast<Ticks>(far_ / 4) - 1;
    std::vector<Key> winners(2 * leaves_);
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
      const std::uint64_t since = std::min(ticks_between(origin_, times_[leaf]), far_);
      winners[leaves_ + leaf] = key_of(present_[leaf] ? since : ended_, leaf);
    }
    for (std::size_t node = leaves_; node-- > 1;) {
      winners[node] = std::min(winners[2 * node], winners[2 * node + 1]);
      nodes_[node] = std::max(winners[2 * node], winners[2 * node + 1]);
    }
    first_ = winners[1];
    find_second();
  }

  int bits_ = 1;
  std::size_t leaves_ = 2;
  std::size_t left_ = 0;
  std::uint64_t ended_ = 0;  ///< the time of traces that have ended
  std::uint64_t far_ = 0;    ///< that of traces that are further from the origin
  Time origin_;
  std::vector<Time> times_;
  std::vector<bool> present_;
  std::vector<Key> nodes_;  ///< nodes_[1] is the uppermost
  Key first_ = 0;
  Key second_ = 0;
};

}  // namespace clc::formats
