#include "sync/bursts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace clc::sync {

namespace {

constexpr double longest_s = 0.01;  // rates may be 100 ppm wrong before they are fitted: 1 us

struct Trip {
  Point up;  ///< to the clock with the higher index
  Point down;
};

Minimum least_of(const std::vector<Point>& points, const Curve& from, const Curve& to, const Windows& windows,
                 const Windows& grid) {
  std::optional<Minimum> least;
  for (const Point& point : points) {
    const double delay = mapped_delay(point, from, to, grid);
    if (least && !(delay < least->delay)) continue;
    const double sent = from.mapped(point.sent(), grid);
    const double received = to.mapped(point.received(), grid);
    const double time = (sent + received) / 2;
    least = {time, delay, static_cast<std::uint32_t>(windows.at(time)), true};
  }
  return *least;
}

}  // namespace

std::vector<Burst> bursts_of(const std::vector<Sample>& samples, const Zeros& zeros) {
  std::map<std::pair<ClockIndex, ClockIndex>, std::vector<Trip>> pairs;
  for (const Sample& sample : samples) {
    if (!sample.usable() || sample.clock == sample.reference) continue;
    const Point there = zeros.point(sample.reference, sample.clock, {sample.t1, sample.t2, true});
    const Point back = zeros.point(sample.clock, sample.reference, {sample.t3, sample.t4, true});
    const bool up = sample.reference < sample.clock;
    pairs[std::minmax(sample.reference, sample.clock)].push_back(up ? Trip{there, back} : Trip{back, there});
  }
  std::vector<Burst> bursts;
  for (auto& [ends, trips] : pairs) {
    std::ranges::stable_sort(trips, [](const Trip& a, const Trip& b) { return a.up.sent() < b.up.sent(); });
    double begin = 0;
    for (const Trip& trip : trips) {
      if (&trip == &trips.front() || trip.up.sent() - begin > longest_s) {
        bursts.push_back({ends.first, ends.second, {}, {}});
        begin = trip.up.sent();
      }
      bursts.back().up.push_back(trip.up);
      bursts.back().down.push_back(trip.down);
    }
  }
  return bursts;
}

std::vector<MeasuredPair> minima_of(const std::vector<Burst>& bursts, const std::vector<Curve>& curves,
                                    const Windows& windows, const Windows& grid) {
  std::vector<MeasuredPair> pairs;
  for (const Burst& burst : bursts) {
    const auto [low, high] = std::pair(burst.low, burst.high);
    if (pairs.empty() || pairs.back().up.from != low || pairs.back().up.to != high)
      pairs.push_back({{low, high, {}}, {high, low, {}}});
    pairs.back().up.minima.push_back(least_of(burst.up, curves[low], curves[high], windows, grid));
    pairs.back().down.minima.push_back(least_of(burst.down, curves[high], curves[low], windows, grid));
  }
  return pairs;
}

}  // namespace clc::sync
