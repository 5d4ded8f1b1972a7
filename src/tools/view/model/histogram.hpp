// A histogram with four classes per power of two: four from 1 to 2, four from 2 to 4.
//
// Cost     O(1) without logarithm: a class is the exponent of a number plus the first two bits of its fraction.
// Memory   One counter for each class between the smallest and the largest seen.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace clc::view {

class Histogram {
 public:
  /// size > 0.
  void add(double size) {
    const auto k = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 50U) - offset;
    if (counts_.empty()) first_ = k;
    if (k < first_) {
      counts_.insert(counts_.begin(), static_cast<std::size_t>(first_ - k), 0);
      first_ = k;
    }
    const auto at = static_cast<std::size_t>(k - first_);
    if (at >= counts_.size()) counts_.resize(at + 1);
    ++counts_[at];
  }

  [[nodiscard]] bool empty() const noexcept { return counts_.empty(); }
  /// Number of the first class; class k begins at lower(k).
  [[nodiscard]] int first() const noexcept { return first_; }
  [[nodiscard]] int end() const noexcept { return first_ + static_cast<int>(counts_.size()); }
  [[nodiscard]] std::uint64_t count(int k) const noexcept {
    return k < first_ || k >= end() ? 0 : counts_[static_cast<std::size_t>(k - first_)];
  }
  [[nodiscard]] static double lower(int k) noexcept {
    const int octave = static_cast<int>(std::floor(k / 4.0));
    return std::ldexp(1 + 0.25 * (k - 4 * octave), octave);
  }

 private:
  static constexpr int offset = 1023 * 4;
  int first_ = 0;
  std::vector<std::uint64_t> counts_;
};

/// The same for differences, which may be negative or none.
struct SignedHistogram {
  Histogram negative;  ///< of the sizes
  Histogram positive;
  std::uint64_t zero = 0;

  void add(double size) {
    if (size < 0)
      negative.add(-size);
    else if (size > 0)
      positive.add(size);
    else
      ++zero;
  }
};

}  // namespace clc::view
