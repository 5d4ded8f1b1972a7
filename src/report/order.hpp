// What comes first in the lists of a report.
#pragma once

#include <algorithm>
#include <vector>

#include "clc/analysis.hpp"

namespace clc {

/// Pairs with most violations first, then those with the worst delay.
inline std::vector<PairStatistics> worst_first(std::vector<PairStatistics> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const PairStatistics& a, const PairStatistics& b) {
    if (a.violated != b.violated) return a.violated > b.violated;
    return a.worst < b.worst;
  });
  return pairs;
}

}  // namespace clc
