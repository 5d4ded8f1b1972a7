#include "sync/published.hpp"

#include <algorithm>
#include <limits>

#include "sync/closure.hpp"

namespace clc::sync {

namespace {

constexpr std::size_t most_intervals = 512;
/// Bounds of all pairs in all intervals: 64 MiB.
constexpr std::size_t most_bounds = std::size_t{1} << 23;
static_assert(most_bounds >= Bounds::most_clocks * Bounds::most_clocks);

std::size_t intervals_at_most(std::size_t clocks) noexcept {
  return std::clamp<std::size_t>(most_bounds / (clocks * clocks), 1, most_intervals);
}

/// More and more intervals, until no pair contradicts itself; else as many as wanted.
Solution choose_hofmann(const std::vector<Series>& series, const Groups& groups, std::size_t wanted) {
  for (std::size_t intervals = 2; intervals <= wanted; intervals *= 2) {
    Solution solution = solve_hofmann(series, groups, intervals);
    if (solution.failure || solution.contradictions == 0) return solution;
  }
  return solve_hofmann(series, groups, std::max<std::size_t>(2, wanted));
}

/// More and more intervals, until all have a solution. If none has, the last contradiction says why.
Solution choose_hofmann_hilgers(const std::vector<Series>& series, const Groups& groups) {
  Solution failed;
  const std::size_t most = intervals_at_most(groups.of.size());
  for (std::size_t intervals = std::min<std::size_t>(2, most); intervals <= most; intervals *= 2) {
    Solution solution = solve_hofmann_hilgers(series, groups, intervals);
    if (!solution.failure) return solution;
    // With more intervals, even more messages would be missing.
    const bool one_way = solution.failure->cause == NoSolution::Cause::one_way;
    if (!failed.failure || !one_way) failed = std::move(solution);
    if (one_way) break;
  }
  return failed;
}

/// Twice as many intervals each time, until all borders are solved. Else those of which the least is missing: unsolved
/// borders, and bounds that no messages give.
Solution choose_variable(const std::vector<Series>& series, const Groups& groups) {
  Solution best;
  const std::size_t most = intervals_at_most(groups.of.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t intervals = 1; intervals <= most; intervals *= 2) {
    Solution solution = solve_variable(series, groups, intervals);
    const double missing = static_cast<double>(solution.unsolved) / static_cast<double>(intervals + 1);
    const double loss = solution.failure ? std::numeric_limits<double>::max() : missing + solution.invented;
    if (loss < least) {
      least = loss;
      best = std::move(solution);
    }
    if (missing == 0 && !best.failure) break;
  }
  return best;
}

}  // namespace

Solution solve_published(Method method, const std::vector<Series>& series, const Groups& groups, std::size_t intervals,
                         std::size_t wanted) {
  const std::size_t clocks = groups.of.size();
  const bool compares_all = method == Method::duda || method == Method::hofmann_hilgers || method == Method::variable;
  if (method == Method::duda) intervals = 0;  // it has none
  if (compares_all &&
      (clocks > Bounds::most_clocks || std::max<std::size_t>(1, intervals) > most_bounds / (clocks * clocks))) {
    Solution solution;
    solution.failure = {NoSolution::Cause::too_many, 0, 0, intervals};
    return solution;
  }
  switch (method) {
    case Method::duda:
      return solve_duda(series, groups);
    case Method::jezequel:
      return solve_jezequel(series, groups);
    case Method::hofmann:
      return intervals != 0 ? solve_hofmann(series, groups, intervals) : choose_hofmann(series, groups, wanted);
    case Method::hofmann_hilgers:
      return intervals != 0 ? solve_hofmann_hilgers(series, groups, intervals) : choose_hofmann_hilgers(series, groups);
    case Method::variable:
      return intervals != 0 ? solve_variable(series, groups, intervals) : choose_variable(series, groups);
    default:
      break;
  }
  return {};
}

}  // namespace clc::sync
