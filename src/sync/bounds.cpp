#include "sync/bounds.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace clc::sync {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_sweeps = 64;

/// The error of `to` is at most that of `from` plus length.
struct Arc {
  ClockIndex from;
  ClockIndex to;
  double length;
};

/// Shortens until nothing changes. False: it goes on for ever.
bool shorten(const std::vector<Arc>& arcs, std::vector<double>& distances) {
  for (std::size_t round = 0; round <= distances.size(); ++round) {
    bool changed = false;
    for (const Arc& arc : arcs) {
      const double longest = distances[arc.from] + arc.length;
      if (!(longest < distances[arc.to])) continue;
      distances[arc.to] = longest;
      changed = true;
    }
    if (!changed) return true;
  }
  return false;
}

/// By window. What a message says holds at its time: by the middle of the window both clocks may have moved.
std::vector<std::vector<Arc>> arcs_of(const std::vector<Direction>& directions, const Windows& windows,
                                      double min_delay, double step) {
  std::vector<std::vector<Arc>> arcs(windows.count);
  for (const Direction& direction : directions)
    for (const Minimum& minimum : direction.minima)
      arcs[minimum.window].push_back({direction.from, direction.to, minimum.delay - min_delay + step});
  return arcs;
}

class Paths {
 public:
  Paths(const std::vector<std::vector<Arc>>& arcs, const std::vector<ClockIndex>& references, std::size_t clocks,
        double step)
      : arcs_(arcs), step_(step), distances_(arcs.size(), std::vector<double>(clocks, infinity)) {
    for (std::vector<double>& window : distances_)
      for (const ClockIndex reference : references) window[reference] = 0;
  }
  /// False: errors contradict each other.
  bool find() {
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      changed_ = false;
      for (std::size_t window = 0; window < arcs_.size(); ++window) {
        if (window > 0) go_on(window - 1, window);
        if (!shorten(arcs_[window], distances_[window])) return false;
      }
      for (std::size_t window = arcs_.size(); window-- > 1;) {
        go_on(window, window - 1);
        if (!shorten(arcs_[window - 1], distances_[window - 1])) return false;
      }
      if (!changed_) return true;
    }
    return false;
  }
  [[nodiscard]] double at(std::size_t window, ClockIndex clock) const { return distances_[window][clock]; }

 private:
  void go_on(std::size_t from, std::size_t to) {
    for (std::size_t clock = 0; clock < distances_[to].size(); ++clock) {
      const double longest = distances_[from][clock] + step_;
      if (!(longest < distances_[to][clock])) continue;
      distances_[to][clock] = longest;
      changed_ = true;
    }
  }

  const std::vector<std::vector<Arc>>& arcs_;
  double step_;
  std::vector<std::vector<double>> distances_;
  bool changed_ = false;
};

std::vector<ClockIndex> references_of(const std::vector<Direction>& directions, const Groups& groups) {
  std::vector<std::size_t> observations(groups.of.size(), 0);
  for (const Direction& direction : directions) {
    observations[direction.from] += direction.minima.size();
    observations[direction.to] += direction.minima.size();
  }
  std::vector<ClockIndex> references = groups.first;
  for (ClockIndex clock = 0; clock < groups.of.size(); ++clock) {
    if (groups.of[clock] == Groups::none) continue;
    ClockIndex& reference = references[groups.of[clock]];
    if (observations[clock] > observations[reference]) reference = clock;
  }
  return references;
}

}  // namespace

ErrorBounds error_bounds(const std::vector<Direction>& directions, const Groups& groups, const Windows& windows,
                         double min_delay, double rate, const std::vector<ClockIndex>& references) {
  const std::size_t clocks = groups.of.size();
  const double step = rate * windows.length;
  ErrorBounds bounds;
  bounds.reference = references.empty() ? references_of(directions, groups) : references;
  bounds.windows.assign(windows.count, std::vector<ErrorInterval>(clocks, {-infinity, infinity}));
  std::vector<std::vector<Arc>> arcs = arcs_of(directions, windows, min_delay, step);
  // A window whose messages contradict each other, because a clock was set in it or mu is too large, proves nothing.
  for (std::vector<Arc>& window : arcs) {
    std::vector<double> distances(clocks, 0.0);
    if (shorten(window, distances)) continue;
    bounds.contradiction = true;
    window.clear();
  }
  Paths high(arcs, bounds.reference, clocks, step);
  bool proven = high.find();
  for (std::vector<Arc>& window : arcs)
    for (Arc& arc : window) std::swap(arc.from, arc.to);
  Paths low(arcs, bounds.reference, clocks, step);
  proven = proven && low.find();
  bounds.contradiction |= !proven;
  if (!proven) return bounds;
  for (std::size_t window = 0; window < windows.count; ++window)
    for (ClockIndex clock = 0; clock < clocks; ++clock)
      bounds.windows[window][clock] = {-low.at(window, clock), high.at(window, clock)};
  return bounds;
}

}  // namespace clc::sync
