#include "sync/intervals.hpp"

#include <algorithm>

namespace clc::sync {

Windows intervals_over(const std::vector<Series>& series, std::size_t count) noexcept {
  const Span span = span_of(series);
  const double length = (span.end - span.begin) / static_cast<double>(count);
  return {span.begin, length > 0 ? length : 1, count};
}

Line LineFit::line() const noexcept {
  if (count_ == 0) return {};
  const auto n = static_cast<double>(count_);
  const double spread = tt_ - t_ * t_ / n;
  const double rate = count_ > 1 && spread > 0 ? (tv_ - t_ * v_ / n) / spread : 0;
  return {(v_ - rate * t_) / n - rate * origin_, rate};
}

}  // namespace clc::sync
