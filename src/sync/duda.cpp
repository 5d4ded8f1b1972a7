// Lines between convex hulls: several processes by shortest paths (Duda), or along a tree (Jezequel).
#include <algorithm>
#include <cmath>

#include "sync/closure.hpp"
#include "sync/published.hpp"
#include "sync/tree.hpp"

namespace clc::sync {

namespace {

NoSolution refusal(const Corridor& corridor) {
  return {corridor.known ? NoSolution::Cause::no_line : NoSolution::Cause::one_way, corridor.low, corridor.high, 0};
}

/// Pairs without messages in one of the directions, which is reason enough to find no line.
std::vector<NoSolution> one_way_pairs(const std::vector<Series>& series, const std::vector<Corridor>& corridors) {
  std::vector<NoSolution> pairs;
  for (const Series& one : series) {
    const auto [low, high] = std::minmax(one.from, one.to);
    const auto at = std::lower_bound(corridors.begin(), corridors.end(), std::pair(low, high),
                                     [](const Corridor& corridor, const std::pair<ClockIndex, ClockIndex>& pair) {
                                       return std::pair(corridor.low, corridor.high) < pair;
                                     });
    if (at == corridors.end() || at->low != low || at->high != high)
      pairs.push_back({NoSolution::Cause::one_way, low, high, 0});
  }
  return pairs;
}

}  // namespace

Solution solve_jezequel(const std::vector<Series>& series, const Groups& groups) {
  const Span span = span_of(series);
  const double length = span.end - span.begin;
  std::vector<Branch> branches;
  const std::vector<Corridor> corridors = corridors_of(series);
  std::vector<NoSolution> refused;
  for (const Corridor& one : corridors) {
    if (!one.possible) {
      refused.push_back(refusal(one));
      continue;
    }
    const double first = std::abs(one.steepest.at(span.begin) - one.flattest.at(span.begin));
    const double last = std::abs(one.steepest.at(span.end) - one.flattest.at(span.end));
    branches.push_back({one.low, one.high, one.middle(),
                        first + std::abs(one.steepest.rate - one.flattest.rate) * length, std::max(first, last) / 2});
  }
  const std::vector<NoSolution> one_way = one_way_pairs(series, corridors);
  refused.insert(refused.end(), one_way.begin(), one_way.end());
  return solve_tree(std::move(branches), groups, refused);
}

Solution solve_duda(const std::vector<Series>& series, const Groups& groups) {
  const std::size_t clocks = groups.of.size();
  Solution solution(clocks);
  // All lines of a pair lie between its two extreme ones before the first and after the last message, and there sums of
  // lines are bounded by sums of bounds.
  const Span span = span_of(series);
  const double ends[] = {span.begin, span.end};
  std::vector<Bounds> bounds(2, Bounds(clocks));
  for (const Corridor& one : corridors_of(series)) {
    if (!one.known) continue;
    if (!one.possible) {
      solution.failure = refusal(one);
      return solution;
    }
    for (std::size_t end = 0; end < 2; ++end) {
      const double a = one.steepest.at(ends[end]);
      const double b = one.flattest.at(ends[end]);
      bounds[end].limit(one.high, one.low, std::max(a, b));
      bounds[end].limit(one.low, one.high, -std::min(a, b));
    }
  }
  for (const std::vector<ClockIndex>& members : members_of(groups)) {
    for (Bounds& one : bounds)
      if (const auto pair = one.close(members)) {
        solution.failure = {NoSolution::Cause::contradicts, pair->first, pair->second, 0};
        return solution;
      }
    const ClockIndex reference = best_reference({bounds.data(), bounds.data() + 1}, members);
    solution.references.push_back(reference);
    for (const ClockIndex clock : members) {
      if (!bounds[0].known(clock, reference)) {
        solution.failure = {NoSolution::Cause::one_way, std::min(clock, reference), std::max(clock, reference), 0};
        return solution;
      }
      const double first = bounds[0].middle(clock, reference);
      const double last = bounds[1].middle(clock, reference);
      const double rate = span.end > span.begin ? (last - first) / (span.end - span.begin) : 0;
      solution.curves[clock] = curve_of({first - rate * span.begin, rate});
      solution.errors[clock] = std::max(bounds[0].half_width(clock, reference), bounds[1].half_width(clock, reference));
    }
  }
  return solution;
}

}  // namespace clc::sync
