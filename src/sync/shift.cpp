#include "sync/shift.hpp"

#include <algorithm>

namespace clc::sync {

std::vector<double> shift_into_bounds(const std::vector<Direction>& directions, std::size_t clocks, double min_delay) {
  constexpr int sweeps = 300;
  struct Bound {
    ClockIndex from;
    ClockIndex to;
    double room;
    double multiplier = 0;
  };
  std::vector<Bound> bounds;
  for (const Direction& direction : directions) {
    if (direction.minima.empty()) continue;
    std::vector<double> delays;
    for (const Minimum& minimum : direction.minima) delays.push_back(minimum.delay);
    const auto quarter = delays.begin() + std::ssize(delays) / 4;
    std::nth_element(delays.begin(), quarter, delays.end());
    bounds.push_back({direction.from, direction.to, *quarter - min_delay});
  }
  std::vector<double> shift(clocks, 0.0);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool changed = false;
    for (Bound& bound : bounds) {
      const double excess = (shift[bound.to] - shift[bound.from] - bound.room) / 2;
      const double multiplier = std::max(0.0, bound.multiplier + excess);
      const double step = multiplier - bound.multiplier;
      if (step == 0) continue;
      bound.multiplier = multiplier;
      shift[bound.to] -= step;
      shift[bound.from] += step;
      changed = true;
    }
    if (!changed) break;
  }
  return shift;
}

}  // namespace clc::sync
