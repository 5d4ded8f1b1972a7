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

std::vector<LineShift> lines_into_bounds(const std::vector<Binding>& messages, std::size_t clocks) {
  // If clocks are not straight after all there are many, and no lines that obey them.
  constexpr std::size_t most_steps = 10'000'000;
  const std::size_t sweeps = std::clamp<std::size_t>(most_steps / std::max<std::size_t>(messages.size(), 1), 3, 300);
  constexpr double of_change = 3;  // 1/the mean square of the times
  std::vector<double> multipliers(messages.size(), 0.0);
  std::vector<LineShift> lines(clocks);
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    bool changed = false;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Binding& one = messages[i];
      LineShift& from = lines[one.from];
      LineShift& to = lines[one.to];
      const double size = 2 * (1 + of_change * one.time * one.time);
      const double taken = to.offset - from.offset + (to.change - from.change) * one.time;
      const double multiplier = std::max(0.0, multipliers[i] + (taken - one.room) / size);
      const double step = multiplier - multipliers[i];
      if (step == 0) continue;
      multipliers[i] = multiplier;
      to.offset -= step;
      to.change -= of_change * one.time * step;
      from.offset += step;
      from.change += of_change * one.time * step;
      changed = true;
    }
    if (!changed) break;
  }
  return lines;
}

}  // namespace clc::sync
