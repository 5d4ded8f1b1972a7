// Smallest delays in intervals: lines for pairs along a tree (Hofmann), or shortest paths in each interval (Hofmann and
// Hilgers).
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "sync/intervals.hpp"
#include "sync/published.hpp"
#include "sync/tree.hpp"

namespace clc::sync {

Solution solve_hofmann(const std::vector<Series>& series, const Groups& groups, std::size_t intervals) {
  const Windows windows = intervals_over(series, intervals);
  constexpr double none = std::numeric_limits<double>::infinity();
  struct OfPair {
    std::vector<double> up;    // low -> high
    std::vector<double> down;  // high -> low
  };
  std::map<std::pair<ClockIndex, ClockIndex>, OfPair> pairs;
  for (const Series& one : series) {
    OfPair& pair = pairs[std::minmax(one.from, one.to)];
    std::vector<double>& smallest = one.from < one.to ? pair.up : pair.down;
    smallest.assign(windows.count, none);
    for (const Point& point : one.points) {
      double& least = smallest[windows.at((point.sent() + point.received()) / 2)];
      least = std::min(least, point.delay());
    }
  }
  std::vector<Branch> branches;
  std::vector<NoSolution> refused;
  std::size_t contradictions = 0;
  for (const auto& [names, pair] : pairs) {
    LineFit fit(windows.begin);
    double widths = 0;
    for (std::size_t interval = 0; interval < std::min(pair.up.size(), pair.down.size()); ++interval) {
      if (pair.up[interval] == none || pair.down[interval] == none) continue;
      fit.add(windows.centre(interval), (pair.up[interval] - pair.down[interval]) / 2);
      const double width = pair.up[interval] + pair.down[interval];
      contradictions += width < 0;
      widths += std::max(0.0, width);
    }
    if (fit.count() < std::min<std::size_t>(2, intervals)) {
      refused.push_back({NoSolution::Cause::one_way, names.first, names.second, intervals});
      continue;
    }
    // A line through few intervals is worth less.
    const auto count = static_cast<double>(fit.count());
    const double half_width = widths / count / 2;
    branches.push_back(
        {names.first, names.second, fit.line(), half_width * static_cast<double>(windows.count) / count, half_width});
  }
  Solution solution = solve_tree(std::move(branches), groups, refused);
  solution.intervals = intervals;
  solution.contradictions = contradictions;
  return solution;
}

namespace {

std::vector<Bounds> bounds_in(const std::vector<Series>& series, const Windows& windows, std::size_t clocks) {
  std::vector<Bounds> bounds(windows.count, Bounds(clocks));
  for (const Series& one : series)
    for (const Point& point : one.points)
      bounds[windows.at((point.sent() + point.received()) / 2)].limit(one.to, one.from, point.delay());
  return bounds;
}

}  // namespace

Solution solve_hofmann_hilgers(const std::vector<Series>& series, const Groups& groups, std::size_t intervals) {
  const std::size_t clocks = groups.of.size();
  Solution solution(clocks);
  solution.intervals = intervals;
  const Windows windows = intervals_over(series, intervals);
  std::vector<Bounds> bounds = bounds_in(series, windows, clocks);
  std::vector<const Bounds*> all;
  all.reserve(bounds.size());
  for (const Bounds& interval : bounds) all.push_back(&interval);
  for (const std::vector<ClockIndex>& members : members_of(groups)) {
    for (Bounds& interval : bounds)
      if (const auto pair = interval.close(members)) {
        solution.failure = {NoSolution::Cause::contradicts, pair->first, pair->second, intervals};
        return solution;
      }
    const ClockIndex reference = best_reference(all, members);
    solution.references.push_back(reference);
    for (const ClockIndex clock : members) {
      LineFit fit(windows.begin);
      double widths = 0;
      for (std::size_t interval = 0; interval < windows.count; ++interval) {
        if (!bounds[interval].known(clock, reference)) continue;
        fit.add(windows.centre(interval), bounds[interval].middle(clock, reference));
        widths += bounds[interval].half_width(clock, reference);
      }
      if (fit.count() < std::min<std::size_t>(2, intervals)) {
        solution.failure = {NoSolution::Cause::one_way, std::min(clock, reference), std::max(clock, reference),
                            intervals};
        return solution;
      }
      solution.curves[clock] = curve_of(fit.line());
      solution.errors[clock] = widths / static_cast<double>(fit.count());
    }
  }
  return solution;
}

}  // namespace clc::sync
