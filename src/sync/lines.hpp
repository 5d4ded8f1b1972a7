// Fits a straight line, offset and rate, to each clock so that all observations agree best.
//
// Method   Weighted least squares over all pairs at once, weights 1/(s^2 + sd_b^2), made robust by 1/(1 + (r/3)^2),
//          with r in units of 1.5 medians. The prior of the difference of two rates is 100 ppm wide. 2n unknowns,
//          sparse Cholesky decomposition by Eigen.
// Gauge    The mean of the offsets, and of the rates, over the clocks of a group is 0.
#pragma once

#include <vector>

#include "sync/groups.hpp"

namespace clc::sync {

/// Adjusts offset and rate of the curves to fit the observations, which were mapped by these curves. rates: false keeps
/// the rates.
void fit_lines(std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, bool rates);

/// False if a line is no better than a constant, as short traces suggest rates that do not exist. A clock's rate is
/// significant if, for half of its pairs, the medians over eighths of the trace rise by more than eight standard
/// deviations, estimated from their scatter about the line. Constant errors of a pair do not count; slow changes do.
[[nodiscard]] bool rates_matter(const std::vector<Curve>& curves, const std::vector<Pair>& pairs);

}  // namespace clc::sync
