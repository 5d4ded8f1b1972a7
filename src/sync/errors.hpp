// The uncertainty of estimated offsets.
//
// Model    The offset of a pair has three errors: the noise of its observations, averaged over as many windows as the
//          curve is smooth; what the curve misses, which changes slowly from window to window; and the constant error
//          b_p of the pair. Of pairs in which both sides wait, loops show how large b_p is: where there are at least
//          three, the residuals replace the assumption; a pair counts by what others leave undecided of it. Few loops
//          may agree by chance: one more counts that agrees as assumed. What that makes of clocks: variances.hpp.
// Units    Seconds.
// Source   clc-sync(1), "The method". A smoothed random walk of the rate has the variance R^(3/4) q^(1/4) / (2 sqrt 2),
//          where R is the variance of an observation times their distance.
#pragma once

#include <vector>

#include "sync/groups.hpp"

namespace clc::sync {

struct Smoothing {
  double span = 0;     ///< the length of the trace
  double q = 0;        ///< rate_variance
  double spacing = 0;  ///< between knots of the curves; without effect if q is 0
};

/// Standard deviation of each clock's offset against the mean of its group; infinity: no pair. pairs: as observed with
/// the final curves.
[[nodiscard]] std::vector<double> offset_errors(const std::vector<Pair>& pairs, const Groups& groups,
                                                const Smoothing& smoothing);

/// The same against fixed neighbours, before anything is known of the residuals: an upper estimate.
[[nodiscard]] std::vector<double> assumed_errors(const std::vector<Pair>& pairs, std::size_t clocks);

/// Of the variance of the assumed constant errors of pairs whose both sides wait, what loops show. Where measurements
/// take part in the fit, the messages follow these, and loops show what measurements are wrong by: then it is to be
/// known from messages alone.
[[nodiscard]] double bias_scale(const std::vector<Pair>& pairs, std::size_t clocks);

/// Adapts these errors, also those of bursts: the network is the same. For measurements beside messages, which else
/// would count as equally uncertain.
void scale_biases_by(double scale, std::vector<Pair>& pairs);

}  // namespace clc::sync
