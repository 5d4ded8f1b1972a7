// A straight line for each clock: offset and rate that agree best with all observations.
//
// Method   Weighted least squares over all pairs at once, weights 1/(s^2 + sd_b^2), made robust by 1/(1 + (r/3)^2), r
// in
//          units of 1.5 medians; the prior of the difference of two rates is 100 ppm wide. 2n unknowns, sparse Cholesky
//          by Eigen [estimation A.3.5].
// Gauge    The mean over the clocks of a group is 0, of offsets and of rates.
#pragma once

#include <vector>

#include "sync/groups.hpp"

namespace clc::sync {

/// Moves offset and rate of the curves so that the observations, which were taken through them, are met best.
/// rates: false keeps the rates as they are.
void fit_lines(std::vector<Curve>& curves, const std::vector<Pair>& pairs, const Groups& groups, bool rates);

/// Standard deviation of each clock's offset, from its own pairs: 1/sum 1/(s_med^2/count + sd_b^2); infinity: no pair.
[[nodiscard]] std::vector<double> offset_errors(const std::vector<Pair>& pairs, std::size_t clocks);

/// False where a line is no better than a constant: short traces invent rates. A clock's rate is significant where, for
/// half of its pairs, the medians of the eighths of the trace rise by more than eight standard deviations, told from
/// how they scatter about their line. What a pair has always wrong does not count, and what changes slowly does.
[[nodiscard]] bool rates_matter(const std::vector<Curve>& curves, const std::vector<Pair>& pairs);

}  // namespace clc::sync
