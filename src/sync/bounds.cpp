#include "sync/bounds.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "sync/cycle.hpp"

namespace clc::sync {

namespace {

constexpr int most_sweeps = 64;

/// The arcs of a window, by the clock that they come from: the error of `to` is at most that of `from` plus length.
class Arcs {
 public:
  Arcs() = default;
  Arcs(std::vector<Arc> arcs, std::size_t clocks) : arcs_(std::move(arcs)), first_(clocks + 1, 0) {
    std::stable_sort(arcs_.begin(), arcs_.end(), [](const Arc& a, const Arc& b) { return a.from < b.from; });
    for (const Arc& arc : arcs_) ++first_[arc.from + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }
  [[nodiscard]] Arcs reversed() const {
    std::vector<Arc> arcs = arcs_;
    for (Arc& arc : arcs) std::swap(arc.from, arc.to);
    return {std::move(arcs), first_.size() - 1};
  }
  [[nodiscard]] std::span<const Arc> from(ClockIndex clock) const {
    return {arcs_.begin() + first_[clock], arcs_.begin() + first_[clock + 1]};
  }

 private:
  std::vector<Arc> arcs_;
  std::vector<std::ptrdiff_t> first_;
};

/// Do the arcs that shortened last go round? Then they do so for ever.
bool goes_round(const std::vector<const Arc*>& last) {
  std::vector<ClockIndex> seen(last.size(), 0);  // in which search; 0: not yet
  for (ClockIndex begin = 0; begin < last.size(); ++begin) {
    ClockIndex clock = begin;
    for (; seen[clock] == 0 && last[clock] != nullptr; clock = last[clock]->from) seen[clock] = begin + 1;
    if (seen[clock] == begin + 1 && last[clock] != nullptr) return true;
  }
  return false;
}

/// Shortens until nothing changes, beginning with the clocks that have a distance. False: it goes on for ever.
bool shorten(const Arcs& arcs, std::vector<double>& distances) {
  std::vector<const Arc*> last(distances.size(), nullptr);
  std::vector<ClockIndex> changed;
  std::vector<ClockIndex> next;
  std::vector<bool> waits(distances.size(), false);
  for (ClockIndex clock = 0; clock < distances.size(); ++clock)
    if (distances[clock] < infinity) next.push_back(clock);
  for (std::size_t steps = 0; !next.empty();) {
    changed.swap(next);
    next.clear();
    for (const ClockIndex from : changed) {
      waits[from] = false;
      for (const Arc& arc : arcs.from(from)) {
        const double longest = distances[from] + arc.length;
        if (!(longest < distances[arc.to])) continue;
        distances[arc.to] = longest;
        last[arc.to] = &arc;
        if (!waits[arc.to]) next.push_back(arc.to);
        waits[arc.to] = true;
      }
    }
    steps += changed.size();
    if (steps < distances.size()) continue;
    if (goes_round(last)) return false;
    steps = 0;
  }
  return true;
}

/// By window. What a message says holds at its time: by the middle of the window both clocks may have moved.
std::vector<Arcs> arcs_of(const std::vector<Direction>& directions, const Windows& windows, std::size_t clocks,
                          double min_delay, double step) {
  std::vector<std::vector<Arc>> arcs(windows.count);
  for (const Direction& direction : directions)
    for (const Minimum& minimum : direction.minima)
      arcs[minimum.window].push_back({direction.from, direction.to, minimum.delay - min_delay + step});
  std::vector<Arcs> result;
  result.reserve(windows.count);
  for (std::vector<Arc>& window : arcs) result.emplace_back(std::move(window), clocks);
  return result;
}

class Paths {
 public:
  Paths(const std::vector<Arcs>& arcs, const std::vector<ClockIndex>& references, std::size_t clocks, double step)
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

  const std::vector<Arcs>& arcs_;
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
  std::vector<Arcs> arcs = arcs_of(directions, windows, clocks, min_delay, step);
  // A window whose messages contradict each other, because a clock was set in it or mu is too large, proves nothing.
  for (Arcs& window : arcs) {
    std::vector<double> distances(clocks, 0.0);
    if (shorten(window, distances)) continue;
    bounds.contradiction = true;
    window = Arcs({}, clocks);
  }
  Paths high(arcs, bounds.reference, clocks, step);
  bool proven = high.find();
  for (Arcs& window : arcs) window = window.reversed();
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
