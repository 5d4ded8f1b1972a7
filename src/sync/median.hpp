// The middle one of some values, the upper one of two.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace clc::sync {

/// 0 if there are none. Cost: linear.
[[nodiscard]] inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace clc::sync
