#include "offset_errors.hpp"

#include <algorithm>
#include <cmath>

namespace clc::check {

void OffsetErrors::Hull::add(const Point& point) {
  auto next = std::ranges::upper_bound(vertices_, point.time, {}, &Point::time);
  if (next != vertices_.begin() && (next - 1)->time == point.time) {
    --next;
    if (next->deviation >= point.deviation) return;
    *next = point;
  } else {
    next = vertices_.insert(next, point);
  }
  // At or below the line from one to the other.
  const auto is_below = [](const Point& left, const Point& middle, const Point& right) {
    return (middle.deviation - left.deviation) * (right.time - left.time) <=
           (right.deviation - left.deviation) * (middle.time - left.time);
  };
  if (next != vertices_.begin() && next + 1 != vertices_.end() && is_below(*(next - 1), *next, *(next + 1))) {
    vertices_.erase(next);
    return;
  }
  while (next - vertices_.begin() >= 2 && is_below(*(next - 2), *(next - 1), *next)) next = vertices_.erase(next - 1);
  while (vertices_.end() - next >= 3 && is_below(*next, *(next + 1), *(next + 2))) next = vertices_.erase(next + 1) - 1;
}

void OffsetErrors::add(Time truth, Time time) {
  const Ticks deviation = time - truth;
  if (count_ == 0) {
    first_ = truth;
    deviation_ = deviation;
  }
  const Point point{static_cast<double>(truth - first_),
                    static_cast<double>(subtract_saturating(deviation, deviation_))};
  ++count_;
  const auto n = static_cast<double>(count_);
  const double more_time = point.time - mean_time_;
  const double more = point.deviation - mean_deviation_;
  mean_time_ += more_time / n;
  mean_deviation_ += more / n;
  tt_ += more_time * (point.time - mean_time_);
  td_ += more_time * (point.deviation - mean_deviation_);
  dd_ += more * (point.deviation - mean_deviation_);
  above_.add(point);
  below_.add({point.time, -point.deviation});
}

double OffsetErrors::slope() const noexcept { return tt_ > 0 ? td_ / tt_ : 0; }

double OffsetErrors::rms() const noexcept {
  if (count_ == 0) return 0;
  return std::sqrt(std::max(0.0, dd_ - slope() * td_) / static_cast<double>(count_));
}

double OffsetErrors::largest() const noexcept {
  double largest = 0;
  const auto line = [&](double time) { return mean_deviation_ + slope() * (time - mean_time_); };
  for (const Point& point : above_.vertices()) largest = std::max(largest, point.deviation - line(point.time));
  for (const Point& point : below_.vertices()) largest = std::max(largest, point.deviation + line(point.time));
  return largest;
}

}  // namespace clc::check
