#include "published_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clc::test {

namespace {

double time_of(const sync::Point& point) { return (point.sent() + point.received()) / 2; }

/// How far the bounds are apart for lines of this slope.
struct Gap {
  double lowest_above = HUGE_VAL;
  double highest_below = -HUGE_VAL;
  [[nodiscard]] double size() const { return lowest_above - highest_below; }
};

Gap gap_at(const std::vector<sync::Point>& up, const std::vector<sync::Point>& down, double slope) {
  Gap gap;
  for (const sync::Point& point : up)
    gap.lowest_above = std::min(gap.lowest_above, point.delay() - slope * time_of(point));
  for (const sync::Point& point : down)
    gap.highest_below = std::max(gap.highest_below, -point.delay() - slope * time_of(point));
  return gap;
}

}  // namespace

std::optional<PlainLine> plain_duda(const std::vector<sync::Point>& up, const std::vector<sync::Point>& down) {
  // The gap is a concave function of the slope: its maximum by thirds, its zeros to both sides by halves.
  double low = -1;
  double high = 1;
  for (int i = 0; i < 300; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (gap_at(up, down, a).size() < gap_at(up, down, b).size() ? low : high) =
        gap_at(up, down, a).size() < gap_at(up, down, b).size() ? a : b;
  }
  const double widest = (low + high) / 2;
  if (gap_at(up, down, widest).size() < 0) return std::nullopt;
  const auto zero = [&](double inside, double outside) {
    for (int i = 0; i < 200; ++i) {
      const double middle = (inside + outside) / 2;
      (gap_at(up, down, middle).size() >= 0 ? inside : outside) = middle;
    }
    return inside;
  };
  const double steepest = zero(widest, 1);
  const double flattest = zero(widest, -1);
  return PlainLine{(gap_at(up, down, steepest).lowest_above + gap_at(up, down, flattest).lowest_above) / 2,
                   (steepest + flattest) / 2};
}

PlainLine plain_hofmann(const std::vector<sync::Point>& up, const std::vector<sync::Point>& down, double begin,
                        double end, std::size_t intervals) {
  const double length = (end - begin) / static_cast<double>(intervals);
  std::vector<double> times;
  std::vector<double> values;
  for (std::size_t v = 0; v < intervals; ++v) {
    const double from = begin + static_cast<double>(v) * length;
    const auto inside = [&](const sync::Point& point) {
      return (time_of(point) >= from || v == 0) && (time_of(point) < from + length || v + 1 == intervals);
    };
    double upper = HUGE_VAL;
    double lower = -HUGE_VAL;
    for (const sync::Point& point : up)
      if (inside(point)) upper = std::min(upper, point.delay());
    for (const sync::Point& point : down)
      if (inside(point)) lower = std::max(lower, -point.delay());
    if (std::isinf(upper) || std::isinf(lower)) continue;
    times.push_back(from + length / 2);
    values.push_back((upper + lower) / 2);
  }
  double time = 0;
  double value = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    time += times[i] / static_cast<double>(times.size());
    value += values[i] / static_cast<double>(times.size());
  }
  double tt = 0;
  double tv = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    tt += (times[i] - time) * (times[i] - time);
    tv += (times[i] - time) * (values[i] - value);
  }
  const double rate = tt > 0 ? tv / tt : 0;
  return {value - rate * time, rate};
}

std::optional<std::vector<std::vector<double>>> plain_closure(std::vector<std::vector<double>> upper) {
  const std::size_t n = upper.size();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t z = 0; z < n; ++z) {
          if (!(upper[i][z] + upper[z][k] < upper[i][k] - 1e-15)) continue;
          upper[i][k] = upper[i][z] + upper[z][k];
          changed = true;
        }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        if (i != k && upper[i][k] + upper[k][i] < 0) return std::nullopt;
  }
  return upper;
}

}  // namespace clc::test
