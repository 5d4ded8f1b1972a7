// Intervals of equal length, and a straight line through values in them.
#pragma once

#include <vector>

#include "sync/closure.hpp"
#include "sync/corridor.hpp"

namespace clc::sync {

/// The trace divided into intervals, the first from its first, the last to its last message.
[[nodiscard]] Windows intervals_over(const std::vector<Series>& series, std::size_t count) noexcept;

/// A straight line by least squares. No points: 0; one point: a constant.
class LineFit {
 public:
  explicit LineFit(double origin) : origin_(origin) {}
  void add(double time, double value) noexcept {
    const double t = time - origin_;
    ++count_;
    t_ += t;
    v_ += value;
    tt_ += t * t;
    tv_ += t * value;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] Line line() const noexcept;

 private:
  double origin_;
  std::size_t count_ = 0;
  double t_ = 0;
  double v_ = 0;
  double tt_ = 0;
  double tv_ = 0;
};

}  // namespace clc::sync
