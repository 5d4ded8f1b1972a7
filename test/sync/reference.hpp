// The smooth solution with dense matrices, written from estimation's formula, slow and plain.
#pragma once

#include <vector>

#include "sync/cycle.hpp"
#include "sync/smooth.hpp"

namespace clc::test {

/// As sync::solve_smooth, for curves without y.
[[nodiscard]] std::vector<std::vector<double>> dense_smooth(const std::vector<sync::Pair>& pairs, std::size_t clocks,
                                                            const sync::Knots& knots);

/// As sync::smallest_mean_cycle: tries all simple cycles.
[[nodiscard]] double shortest_cycle_by_search(const std::vector<sync::Arc>& arcs, std::size_t nodes);

}  // namespace clc::test
