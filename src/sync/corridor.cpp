#include "sync/corridor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace clc::sync {

namespace {

struct Vertex {
  double time;
  double value;
};

double middle_of(const Point& point) noexcept { return (point.sent() + point.received()) / 2; }

/// The lower convex hull of the delays.
std::vector<Vertex> lower_hull(const std::vector<Point>& points) {
  std::vector<Vertex> sorted;
  sorted.reserve(points.size());
  for (const Point& point : points) sorted.push_back({middle_of(point), point.delay()});
  std::sort(sorted.begin(), sorted.end(),
            [](const Vertex& a, const Vertex& b) { return std::pair(a.time, a.value) < std::pair(b.time, b.value); });
  std::vector<Vertex> hull;
  for (const Vertex& next : sorted) {
    if (!hull.empty() && hull.back().time == next.time) continue;
    while (hull.size() >= 2) {
      const Vertex& a = hull[hull.size() - 2];
      const Vertex& b = hull.back();
      if ((b.value - a.value) * (next.time - a.time) < (next.value - a.value) * (b.time - a.time)) break;
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

/// The line of this slope that touches the upper bounds.
Line touching(const std::vector<Vertex>& upper, double slope) {
  double offset = std::numeric_limits<double>::infinity();
  for (const Vertex& p : upper) offset = std::min(offset, p.value - slope * p.time);
  return {offset, slope};
}

void find_lines(Corridor& corridor, const std::vector<Vertex>& upper, const std::vector<Vertex>& lower) {
  double steepest = std::numeric_limits<double>::infinity();
  double flattest = -steepest;
  bool crossed = false;
  // Below p and above q: slope * (p.time - q.time) <= p.value - q.value.
  for (const Vertex& p : upper)
    for (const Vertex& q : lower) {
      const double run = p.time - q.time;
      const double rise = p.value - q.value;
      if (run > 0)
        steepest = std::min(steepest, rise / run);
      else if (run < 0)
        flattest = std::max(flattest, rise / run);
      else
        crossed |= rise < 0;
    }
  corridor.known = std::isfinite(steepest) && std::isfinite(flattest);
  corridor.possible = corridor.known && !crossed && flattest <= steepest;
  if (!corridor.possible) return;
  corridor.steepest = touching(upper, steepest);
  corridor.flattest = touching(upper, flattest);
}

}  // namespace

Span span_of(const std::vector<Series>& series) noexcept {
  Span span{HUGE_VAL, -HUGE_VAL};
  for (const Series& one : series)
    for (const Point& point : one.points) {
      span.begin = std::min({span.begin, point.sent(), point.received()});
      span.end = std::max({span.end, point.sent(), point.received()});
    }
  return span.end >= span.begin ? span : Span{};
}

std::vector<Corridor> corridors_of(const std::vector<Series>& series) {
  std::map<std::pair<ClockIndex, ClockIndex>, const Series*> directions;
  for (const Series& one : series) directions[{one.from, one.to}] = &one;
  std::vector<Corridor> corridors;
  for (const auto& [pair, up] : directions) {
    if (pair.first > pair.second) continue;
    const auto down = directions.find({pair.second, pair.first});
    if (down == directions.end()) continue;
    Corridor& corridor = corridors.emplace_back();
    corridor.low = pair.first;
    corridor.high = pair.second;
    std::vector<Vertex> lower = lower_hull(down->second->points);
    for (Vertex& vertex : lower) vertex.value = -vertex.value;
    find_lines(corridor, lower_hull(up->points), lower);
  }
  return corridors;
}

}  // namespace clc::sync
