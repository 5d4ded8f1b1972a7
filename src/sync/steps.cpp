#include "sync/steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace clc::sync {

namespace {

struct PairInWindow {
  ClockIndex low;
  ClockIndex high;
  bool contradicts;
};

/// For each window the delays of both directions, in it or next to it.
std::vector<std::vector<PairInWindow>> corridors_of(const std::vector<Direction>& directions,
                                                    const std::vector<Pair>& pairs, const Windows& windows,
                                                    const Seen& seen, double beside) {
  std::map<std::pair<ClockIndex, ClockIndex>, const Direction*> by_ends;
  for (const Direction& direction : directions) by_ends[{direction.from, direction.to}] = &direction;
  std::vector<std::vector<PairInWindow>> result(windows.count);
  for (const Pair& pair : pairs) {
    if (pair.measured) continue;
    const auto up = by_ends.find({pair.low, pair.high});
    const auto down = by_ends.find({pair.high, pair.low});
    if (up == by_ends.end() || down == by_ends.end()) continue;
    const auto check = [&](const Minimum& forth, const Minimum& back) {
      const double apart = std::abs(forth.time - back.time) + beside;
      const double least = -std::max({pair.round_trip, fastest_slew * apart, 4 * seen.tick});
      const bool contradicts = forth.delay + back.delay < least;
      std::vector<PairInWindow>& there = result[std::max(forth.window, back.window)];
      if (!there.empty() && there.back().low == pair.low && there.back().high == pair.high)
        there.back().contradicts |= contradicts;
      else
        there.push_back({pair.low, pair.high, contradicts});
    };
    const std::vector<Minimum>& backs = down->second->minima;
    auto next = backs.begin();
    for (const Minimum& forth : up->second->minima) {
      while (next != backs.end() && next->window < forth.window) ++next;
      if (next != backs.begin()) check(forth, *(next - 1));
      if (next == backs.end()) continue;
      check(forth, *next);
      if (next->window == forth.window && next + 1 != backs.end()) check(forth, *(next + 1));
    }
  }
  return result;
}

/// Those of a window; a pair counts as contradicting itself where it does so in the next one.
std::vector<PairInWindow> around(const std::vector<std::vector<PairInWindow>>& corridors, std::size_t window) {
  std::vector<PairInWindow> result = corridors[window];
  if (window + 1 == corridors.size()) return result;
  for (const PairInWindow& next : corridors[window + 1]) {
    if (!next.contradicts) continue;
    const auto same = std::ranges::find_if(
        result, [&](const PairInWindow& one) { return one.low == next.low && one.high == next.high; });
    if (same != result.end())
      same->contradicts = true;
    else
      result.push_back(next);
  }
  return result;
}

/// The clocks that explain the contradictions of a window.
void blame(std::vector<PairInWindow> corridors, std::size_t window, std::size_t clocks, std::vector<Step>& steps) {
  std::vector<std::uint32_t> pairs(clocks, 0);
  for (const PairInWindow& one : corridors) {
    ++pairs[one.low];
    ++pairs[one.high];
  }
  for (;;) {
    std::vector<std::uint32_t> votes(clocks, 0);
    for (const PairInWindow& one : corridors)
      if (one.contradicts) {
        ++votes[one.low];
        ++votes[one.high];
      }
    const auto most = std::ranges::max_element(votes);
    const auto clock = static_cast<ClockIndex>(most - votes.begin());
    if (*most == 0 || 2 * *most < pairs[clock]) return;
    steps.push_back({clock, window});
    for (PairInWindow& one : corridors)
      if (one.low == clock || one.high == clock) one.contradicts = false;
  }
}

}  // namespace

std::vector<Step> find_steps(const std::vector<Direction>& directions, const std::vector<Pair>& pairs,
                             const Windows& windows, const Seen& seen, double beside) {
  std::vector<Step> steps;
  const auto corridors = corridors_of(directions, pairs, windows, seen, beside);
  for (std::size_t window = 0; window < windows.count; ++window) {
    const bool any = std::ranges::any_of(corridors[window], [](const PairInWindow& one) { return one.contradicts; });
    if (any) blame(around(corridors, window), window, seen.clocks, steps);
  }
  return steps;
}

}  // namespace clc::sync
