// What the variances of pairs make of the variances of clocks.
//
// Model    Offsets are fitted to the pairs by least squares. A clock is as far off its neighbours as its own pairs
//          tell, and these are off as well: in a ring of n clocks the variance against the mean of all is
//          (n^2 - 1)/(6 n) times that against the neighbours, in a row or a grid it grows with the distance. It is
//          the diagonal of the pseudoinverse of the graph's Laplacian, with the weights 1/variance.
// Method   Exact for groups of up to 256 clocks. For larger ones, from offsets fitted to drawn errors of the pairs: the
//          variance against fixed neighbours is known, and what comes on top of it is the mean over the draws. Cost:
//          linear in the pairs; for each smaller group, to the third power of its clocks.
// Shares   Of the error of a pair the fit takes what no other pair speaks against: all of it where it alone joins its
//          clocks to others. The rest is left between the pair and the offsets.
// Results  The draws are the same in each run.
#pragma once

#include <vector>

#include "sync/groups.hpp"

namespace clc::sync {

/// Of each clock, against the mean of its group; infinity: no pair has observations of it. variances: of the pairs,
/// above 0.
[[nodiscard]] std::vector<double> offset_variances(const std::vector<Pair>& pairs, const std::vector<double>& variances,
                                                   const Groups& groups);

/// Of each pair: which share of its variance is left of its offset after the fit. All of it, if others fix its clocks;
/// nothing, if it alone does. In the sum as many as there are loops.
[[nodiscard]] std::vector<double> shares_left(const std::vector<Pair>& pairs, const std::vector<double>& variances,
                                              const Groups& groups);

/// The same from drawn errors, whatever the number of clocks.
[[nodiscard]] std::vector<double> drawn_offset_variances(const std::vector<Pair>& pairs,
                                                         const std::vector<double>& variances, const Groups& groups);
[[nodiscard]] std::vector<double> drawn_shares_left(const std::vector<Pair>& pairs,
                                                    const std::vector<double>& variances, const Groups& groups);

}  // namespace clc::sync
