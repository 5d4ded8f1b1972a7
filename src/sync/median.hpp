// The middle one of some values; of two the upper one, if they do not have weights.
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

struct Weighted {
  double value = 0;
  double weight = 1;
};

/// The smallest value up to which half of the weight lies; 0 if there are none. Cost: that of sorting.
[[nodiscard]] inline double median(std::vector<Weighted> values) {
  std::sort(values.begin(), values.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double all = 0;
  for (const Weighted& one : values) all += one.weight;
  double below = 0;
  for (const Weighted& one : values) {
    below += one.weight;
    if (2 * below >= all) return one.value;
  }
  return 0;
}

}  // namespace clc::sync
