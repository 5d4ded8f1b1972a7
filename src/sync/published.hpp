// Published methods of estimating clocks from messages: the smallest delays in, one map per clock out.
//
// Signs    C_i - C_k: by how much clock i is ahead of clock k. A message from k to i with apparent delay d says
//          C_i - C_k <= d. An upper bound of C_k - C_i is a lower bound of C_i - C_k, so bounds are upper bounds only.
// Methods  duda             one line per pair: the middle of the steepest and the flattest line between the hulls of
//                           both directions; several processes by shortest paths [R 3.3, 7.5; Duda et al. 1987]
//          jezequel         the same lines, added up along a minimum spanning tree [R 3.3, 7.5]
//          hofmann          smallest delays in intervals, a line through their middles; spanning tree [R eq. 7.2-7.5]
//          hofmann-hilgers  shortest paths in each interval, lines through the middles [R 7.5, 7.6]
//          variable         shortest paths at the borders between intervals, linear in between [R 7.7]
// Units    Seconds. The times of a point are those of its clocks; their constant offsets have been removed, so that
//          an interval is nearly the same for all clocks.
// Place    Independent of the estimator's own method; called by fit.cpp in its place.
// Cost     hofmann and jezequel: O(points). The others: O(clocks^3) for each interval or border.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sync/groups.hpp"
#include "sync/method.hpp"

namespace clc::sync {

struct Solution {
  Solution() = default;
  explicit Solution(std::size_t clocks) : curves(clocks), errors(clocks, 0.0) {}

  /// Relative to the reference of each group. Clocks without observations: 0.
  std::vector<Curve> curves;
  Windows grid;                        ///< of the knots, where curves have any
  std::vector<double> errors;          ///< of each clock against the reference: half the distance of its bounds
  std::vector<ClockIndex> references;  ///< of each group
  std::size_t intervals = 0;           ///< 0: the method has none
  std::size_t unsolved = 0;            ///< borders without a solution, interpolated
  std::size_t contradictions = 0;      ///< hofmann: intervals in which the bounds of a pair contradict each other
  double invented = 0;                 ///< share of bounds at borders that no messages give
  std::optional<NoSolution> failure;   ///< then nothing else counts
};

/// series: all points, with the times of both ends. groups: the clocks that they connect. intervals: their number; 0:
/// chosen. wanted: the number for which a pair has some messages per interval.
/// Chosen are, for hofmann, the fewest for which no pair contradicts itself in an interval, else as many as wanted; for
/// hofmann-hilgers, the fewest for which all intervals have a solution; for variable, the fewest for which all borders
/// have one, else those for which the least is missing.
[[nodiscard]] Solution solve_published(Method method, const std::vector<Series>& series, const Groups& groups,
                                       std::size_t intervals, std::size_t wanted);

// One function per method, with the arguments of solve_published.
[[nodiscard]] Solution solve_duda(const std::vector<Series>& series, const Groups& groups);
[[nodiscard]] Solution solve_jezequel(const std::vector<Series>& series, const Groups& groups);
[[nodiscard]] Solution solve_hofmann(const std::vector<Series>& series, const Groups& groups, std::size_t intervals);
[[nodiscard]] Solution solve_hofmann_hilgers(const std::vector<Series>& series, const Groups& groups,
                                             std::size_t intervals);
[[nodiscard]] Solution solve_variable(const std::vector<Series>& series, const Groups& groups, std::size_t intervals);

}  // namespace clc::sync
