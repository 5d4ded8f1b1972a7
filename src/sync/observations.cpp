#include "sync/observations.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "sync/cycle.hpp"

namespace clc::sync {

namespace {

constexpr double uniform = 0.29;  // standard deviation of a uniform distribution of length 1

double square(double x) noexcept { return x * x; }

/// The value below which a share lies; not empty.
double quantile(std::vector<double> values, double share, std::size_t at_least = 0) {
  const auto at = std::max(at_least, static_cast<std::size_t>(share * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

/// Both directions of a pair side by side.
struct BothWays {
  struct Window {
    const Minimum* up;    ///< low -> high
    const Minimum* down;  ///< high -> low
    [[nodiscard]] double height() const noexcept { return up->delay + down->delay; }
  };
  const Direction* up = nullptr;
  const Direction* down = nullptr;
  std::vector<Window> windows;  ///< those with both
  double least = infinity;      ///< Hmin
  double low = 0;               ///< how much above it the lowest eighth is
  double waited = infinity;     ///< the same of the middle one of those in which both waited
  double up_waited = 0;         ///< share of windows
  double down_waited = 0;
};

double waited_share(const Direction* direction) {
  if (direction == nullptr || direction->minima.empty()) return 0;
  std::size_t waited = 0;
  for (const Minimum& minimum : direction->minima) waited += minimum.waited;
  return static_cast<double>(waited) / static_cast<double>(direction->minima.size());
}

void measure(BothWays& corridor) {
  corridor.up_waited = waited_share(corridor.up);
  corridor.down_waited = waited_share(corridor.down);
  if (corridor.up == nullptr || corridor.down == nullptr) return;
  auto down = corridor.down->minima.begin();
  for (const Minimum& up : corridor.up->minima) {
    while (down != corridor.down->minima.end() && down->window < up.window) ++down;
    if (down != corridor.down->minima.end() && down->window == up.window) corridor.windows.push_back({&up, &*down});
  }
}

void measure_heights(BothWays& corridor) {
  if (corridor.windows.empty()) return;
  std::vector<double> heights;
  for (const BothWays::Window& window : corridor.windows) heights.push_back(window.height());
  // With few windows both quantiles would be the same one, and its window would count as exact.
  const std::size_t least = std::max<std::size_t>(heights.size() >= 5 ? 1 : 0, heights.size() / 20);
  corridor.least = quantile(heights, 0, least);
  corridor.low = quantile(heights, 0.125, std::min(least + 1, heights.size() - 1)) - corridor.least;
  constexpr std::size_t enough = 8;
  heights.clear();
  for (const BothWays::Window& window : corridor.windows)
    if (window.up->waited && window.down->waited) heights.push_back(window.height());
  if (heights.size() >= enough) corridor.waited = std::max(0.0, quantile(std::move(heights), 0.5) - corridor.least);
}

std::vector<BothWays> corridors_of(const std::vector<Direction>& directions) {
  std::map<std::pair<ClockIndex, ClockIndex>, BothWays> pairs;
  for (const Direction& direction : directions) {
    if (direction.minima.empty()) continue;
    BothWays& pair = pairs[std::minmax(direction.from, direction.to)];
    (direction.from < direction.to ? pair.up : pair.down) = &direction;
  }
  std::vector<BothWays> result;
  for (auto& [key, corridor] : pairs) {
    measure(corridor);
    measure_heights(corridor);
    result.push_back(std::move(corridor));
  }
  return result;
}

std::vector<BothWays> corridors_of(const std::vector<MeasuredPair>& measured) {
  std::vector<BothWays> result;
  for (const MeasuredPair& pair : measured) {
    BothWays& corridor = result.emplace_back();
    corridor.up = &pair.up;
    corridor.down = &pair.down;
    corridor.up_waited = corridor.down_waited = 1;
    for (std::size_t burst = 0; burst < pair.up.minima.size(); ++burst)
      corridor.windows.push_back({&pair.up.minima[burst], &pair.down.minima[burst]});
    measure_heights(corridor);
  }
  return result;
}

/// Shortest round trips: between nodes, and in one node.
struct Floors {
  std::array<double, 2> of{infinity, infinity};
  bool assumed = false;  ///< nothing tells how long a round trip takes
};

std::size_t class_of(const BothWays& corridor, const Seen& seen) {
  const Direction& any = corridor.up != nullptr ? *corridor.up : *corridor.down;
  return same_node(any.from, any.to, seen.node) ? 1 : 0;
}

/// Of two messages that go round with others, as long as they take in the mean; infinity: none go round. Directions
/// with fewer windows do not count.
double floor_by_cycles(const std::vector<Direction>& directions, const Seen& seen, std::size_t least_windows) {
  std::vector<Arc> arcs;
  for (const Direction& direction : directions) {
    std::vector<double> delays;
    for (const Minimum& minimum : direction.minima) delays.push_back(minimum.delay);
    if (delays.size() >= least_windows)
      arcs.push_back({direction.from, direction.to, quantile(std::move(delays), 0.05)});
  }
  const double cycle = smallest_mean_cycle(arcs, seen.clocks).value_or(0);
  return cycle > 0 ? 2 * cycle : infinity;
}

Floors floors_of(const std::vector<BothWays>& corridors, const std::vector<BothWays>& measured,
                 const std::vector<Direction>& directions, const Seen& seen) {
  constexpr double often = 0.1;
  // The shortest round trip of fewer windows tells of the program, not of the network.
  const std::size_t least_windows = seen.min_delay > 0 ? 3 : 1;
  Floors result;
  std::array<double, 2>& floors = result.of;
  for (const BothWays& corridor : corridors)
    if (corridor.windows.size() >= least_windows && corridor.up_waited > often && corridor.down_waited > often) {
      double& floor = floors[class_of(corridor, seen)];
      floor = std::min(floor, corridor.least);
    }
  if (floors[0] == infinity && floors[1] == infinity) floors[0] = floor_by_cycles(directions, seen, least_windows);
  for (const BothWays& corridor : measured) {
    double& floor = floors[class_of(corridor, seen)];
    floor = std::min(floor, corridor.least);
  }
  if (floors[0] == infinity && floors[1] == infinity) {
    result.assumed = !(seen.min_delay > 0);
    floors[0] = result.assumed ? 2e-6 : 2 * seen.min_delay;
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (floors[i] == infinity) floors[i] = floors[1 - i];
  for (double& floor : floors) floor = std::max({floor, 2 * seen.min_delay, seen.tick});
  return result;
}

/// From both directions, or from the one that was waited for, whichever says more: then all of the slack is the other
/// one's, but for as much as windows have in which both waited.
Observation observation_of(const BothWays::Window& window, const BothWays& corridor, double tick) {
  const Minimum& up = *window.up;
  const Minimum& down = *window.down;
  const double rest = square(0.8 * corridor.low) + square(tick) / 6;
  const double slack = window.height() - corridor.least;
  if (up.waited == down.waited || uniform * slack <= corridor.waited)
    return {(up.time + down.time) / 2, (up.delay - down.delay) / 2, square(uniform * std::abs(slack)) + rest,
            up.window};
  const double half = (corridor.least + corridor.waited) / 2;
  const double variance = square(corridor.waited) + rest;
  if (up.waited) return {up.time, up.delay - half, variance, up.window};
  return {down.time, half - down.delay, variance, up.window};
}

/// The most that the minimum delays of both directions are taken to differ by, as neither is below a known minimum:
/// what the round trip has above two of it, or ticks hide of that.
double most_bias_of(double floor, const Seen& seen) noexcept {
  return uniform * (floor + seen.tick - 2 * seen.min_delay) + 1e-4 * floor;
}

/// From both directions.
Pair both_ways(const BothWays& corridor, double floor, const Seen& seen) {
  Pair pair{corridor.up->from, corridor.up->to, Kind::both_ways, 0, floor, {}};
  const double slack = uniform * std::max(0.0, corridor.least - floor);
  pair.bias_sd = 0.05 * floor + slack;
  pair.most_bias = most_bias_of(floor, seen) + slack;
  pair.observations.reserve(corridor.windows.size());
  for (const BothWays::Window& window : corridor.windows)
    pair.observations.push_back(observation_of(window, corridor, seen.tick));
  return pair;
}

/// From bursts: all that takes longer than the shortest round trip of any pair is slack of a burst by itself.
Pair from_bursts(const BothWays& corridor, double floor, const Seen& seen) {
  Pair pair = both_ways(corridor, floor, seen);
  pair.measured = true;
  pair.bias_sd = 0.05 * floor;
  pair.most_bias = most_bias_of(floor, seen);
  for (std::size_t burst = 0; burst < pair.observations.size(); ++burst) {
    const double slack = std::max(0.0, corridor.windows[burst].height() - floor);
    pair.observations[burst].variance = square(uniform * slack) + square(seen.tick) / 6;
  }
  return pair;
}

/// From one direction: what was waited for, else the shortest of all, which says next to nothing. slack: of the
/// shortest round trip, if there are any. All of it is taken for the other direction's; the fewer windows were waited
/// for, the less is known of that.
Pair one_way(const Direction& direction, double floor, double slack, const Seen& seen) {
  const bool up = direction.from < direction.to;
  Pair pair{
      std::min(direction.from, direction.to), std::max(direction.from, direction.to), Kind::one_way, 0, floor, {}};
  std::vector<double> delays;
  for (const Minimum& minimum : direction.minima)
    if (minimum.waited) delays.push_back(minimum.delay);
  const bool waited = !delays.empty();
  const double of_others = waited ? uniform * slack / static_cast<double>(delays.size()) : 0;
  if (!waited) {
    pair.kind = Kind::never_waited;
    for (const Minimum& minimum : direction.minima) delays.push_back(minimum.delay);
  }
  const double least = quantile(delays, 0.05);
  // With few windows both quantiles would be the same one, and its delay would count as the network's. What is left of
  // them after a line is less than they were apart.
  const auto count = static_cast<double>(delays.size());
  const double low = (quantile(delays, 0.125, std::min(delays.size() / 20 + 1, delays.size() - 1)) - least) *
                     (count > 2 ? count / (count - 2) : 1);
  const double spread = quantile(delays, 0.5) - least;
  pair.bias_sd = waited ? 0.5 * floor + 0.5 * low + of_others : 10 * floor + spread;
  for (const Minimum& minimum : direction.minima) {
    if (waited ? !minimum.waited : minimum.delay > least) continue;
    const double m = minimum.delay - floor / 2;
    const double variance = waited ? square(0.5 * (minimum.delay - least)) + square(0.5 * low) + square(seen.tick) / 6
                                   : square(10 * floor + spread);
    pair.observations.push_back({minimum.time, up ? m : -m, variance, minimum.window});
  }
  return pair;
}

Pair observe_pair(const BothWays& corridor, double floor, const Seen& seen) {
  constexpr double often = 0.1;
  constexpr double hardly = 0.02;
  if (corridor.windows.empty()) {
    // Each window has one direction only: the one that was waited for more often says more.
    const bool up = corridor.down == nullptr || (corridor.up != nullptr && corridor.up_waited >= corridor.down_waited);
    return one_way(up ? *corridor.up : *corridor.down, floor, 0, seen);
  }
  if (const double slack = corridor.least - floor; slack > floor) {
    if (corridor.up_waited > often && corridor.down_waited < hardly) return one_way(*corridor.up, floor, slack, seen);
    if (corridor.down_waited > often && corridor.up_waited < hardly) return one_way(*corridor.down, floor, slack, seen);
  }
  return both_ways(corridor, floor, seen);
}

}  // namespace

double good_error(const std::vector<Pair>& pairs) {
  std::vector<double> variances;
  for (const Pair& pair : pairs)
    for (const Observation& one : pair.observations) variances.push_back(one.variance);
  return variances.empty() ? 0 : std::sqrt(quantile(std::move(variances), 0.25));
}

bool same_node(ClockIndex a, ClockIndex b, const std::vector<std::uint32_t>& node) {
  return a < node.size() && b < node.size() && node[a] == node[b];
}

std::vector<Direction> minima_of(const std::vector<Series>& series, const std::vector<Curve>& curves,
                                 const Windows& windows, const Windows& grid) {
  std::vector<Direction> result;
  result.reserve(series.size());
  std::vector<Minimum> least(windows.count);
  for (const Series& one : series) {
    for (Minimum& minimum : least) minimum.delay = infinity;
    const Curve& from = curves[one.from];
    const Curve& to = curves[one.to];
    for (const Point& point : one.points) {
      const double sent = from.at(point.sent(), grid);
      const double received = to.at(point.received(), grid);
      const double time = (point.sent() - sent + (point.received() - received)) / 2;
      const double delay = point.delay() - (received - sent);
      const std::size_t window = windows.at(time);
      if (delay < least[window].delay)
        least[window] = {time, delay, static_cast<std::uint32_t>(window), point.waited()};
    }
    Direction& direction = result.emplace_back(Direction{one.from, one.to, {}});
    const auto found = std::count_if(least.begin(), least.end(), [](const Minimum& of) { return of.delay < infinity; });
    direction.minima.reserve(static_cast<std::size_t>(found));
    for (const Minimum& minimum : least)
      if (minimum.delay < infinity) direction.minima.push_back(minimum);
  }
  return result;
}

std::vector<Pair> observe(const std::vector<Direction>& directions, const std::vector<MeasuredPair>& measured,
                          const Seen& seen) {
  const std::vector<BothWays> corridors = corridors_of(directions);
  const std::vector<BothWays> bursts = corridors_of(measured);
  const Floors floors = floors_of(corridors, bursts, directions, seen);
  std::vector<Pair> pairs;
  pairs.reserve(corridors.size() + bursts.size());
  for (const BothWays& corridor : corridors)
    pairs.push_back(observe_pair(corridor, floors.of[class_of(corridor, seen)], seen));
  for (const BothWays& corridor : bursts)
    pairs.push_back(from_bursts(corridor, floors.of[class_of(corridor, seen)], seen));
  // An observation without any error would outweigh all others by infinity.
  const double floor = std::max(floors.of[0], seen.tick);
  for (Pair& pair : pairs) {
    pair.rounding = square(seen.tick) / 6;
    pair.assumed = floors.assumed && pair.kind != Kind::both_ways;
  }
  for (Pair& pair : pairs)
    for (Observation& one : pair.observations) one.variance = std::max(one.variance, square(1e-4 * floor) + 1e-24);
  return pairs;
}

}  // namespace clc::sync
