// Deviations of the clocks from their lines: y, piecewise linear, as smooth as the changes of their rates permit.
//
// Method   Minimises  sum (A y + b - m)^2/s^2 + sum b^2/sd_b^2 + sum (second difference of y)^2 / (2/3 q T^3)
//          over all knots y and the constant errors b of all pairs. Data and second differences are reweighted by
//          Student's t with 4 degrees of freedom, because of bad windows and sudden changes of rate.
// Solver   Conjugate gradients with the preconditioner of two_level.hpp, less exact before the weights are changed
//          again. Cost: iterations * (pairs + clocks) * knots; tens of iterations, also for thousands of clocks.
// Gauge    The mean of y over the clocks of a group is 0 at each knot.
#pragma once

#include <cstdint>
#include <vector>

#include "sync/groups.hpp"

namespace clc::sync {

/// Where the knots are: as many as the changes of rates need, at most one for each window and one more. Between closer
/// ones the clocks are straight within 3 % of the error of an observation, and the system would be stiff for nothing.
struct Knots {
  Windows grid;  ///< the knots are its centres, the first and the last at the ends of the trace
  double bend =
      0;  ///< variance of a second difference: 2/3 q T^3, but not below what the number of knots was chosen by
};
[[nodiscard]] Knots knots_for(const std::vector<Pair>& pairs, const Windows& windows, double q);

/// What y of a clock was found to be at a mapped time, from earlier data. Counts as four observations.
struct KnownValue {
  ClockIndex clock = 0;
  double time = 0;
  double value = 0;
};

/// How exact the knots are, as a share of the standard deviation of a good observation.
enum class Precision : std::uint8_t {
  rough,  ///< 1e-3: enough to take observations through the curves
  full,   ///< 1e-6
};

/// The values at the knots of each clock; empty: it takes no part. curves: with the y, on the same grid, through which
/// the observations were taken; the solution is sought from there.
[[nodiscard]] std::vector<std::vector<double>> solve_smooth(const std::vector<Curve>& curves,
                                                            const std::vector<Pair>& pairs, const Groups& groups,
                                                            const Knots& knots,
                                                            const std::vector<KnownValue>& known = {},
                                                            Precision precision = Precision::full);

}  // namespace clc::sync
