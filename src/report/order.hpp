// The order of lists in a report.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "clc/analysis.hpp"

namespace clc {

/// Pointers into pairs: most violations first, then the worst delay, then the original order.
inline std::vector<const PairStatistics*> worst_first(std::span<const PairStatistics> pairs) {
  std::vector<const PairStatistics*> sorted;
  sorted.reserve(pairs.size());
  for (const PairStatistics& pair : pairs) sorted.push_back(&pair);
  std::sort(sorted.begin(), sorted.end(), [](const PairStatistics* a, const PairStatistics* b) {
    if (a->violated != b->violated) return a->violated > b->violated;
    return a->worst != b->worst ? a->worst < b->worst : a < b;
  });
  return sorted;
}

}  // namespace clc
