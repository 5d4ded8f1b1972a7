// The order of lists in a report, and what stands out in them.
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
  std::ranges::sort(sorted, [](const PairStatistics* a, const PairStatistics* b) {
    if (a->violated != b->violated) return a->violated > b->violated;
    return a->worst != b->worst ? a->worst < b->worst : a < b;
  });
  return sorted;
}

/// The process with the largest correction, of several the first; null: nothing was moved.
inline const ProcessStatistics* most_moved(std::span<const ProcessStatistics> processes) {
  const auto found = std::ranges::max_element(
      processes, [](const auto& a, const auto& b) { return magnitude(a.largest_shift) < magnitude(b.largest_shift); });
  return found == processes.end() || found->largest_shift == 0 ? nullptr : &*found;
}

}  // namespace clc
