#include "sync/collector.hpp"

namespace clc::sync {

void Collector::add(const Edge& edge) {
  if (edge.from == edge.to) return;
  ++edges_;
  clocks_ = std::max<std::size_t>(clocks_, std::max(edge.from, edge.to) + std::size_t{1});
  kept_.add(edge, window_at(origins_.time_of(edge)));
  limit_points();
}

void Collector::add(std::uint64_t group, Gathering gathering) {
  const FirstSight sight(gathering);
  edges_ += sight.edges;
  clocks_ = std::max(clocks_, sight.clocks);
  if (!sight.binds) return;
  kept_.add(group, sight, std::move(gathering), window_at(origins_.time_of(sight)));
  limit_points();
}

void Collector::limit_points() {
  while (kept_.points() > limits_.points(clocks_) && last_ > first_ && shift_ < CollectorLimits::longest_shift)
    double_windows();
}

std::int64_t Collector::window_at(Time time) {
  if (last_ < first_) first_ = last_ = time.ticks() >> shift_;
  for (;; double_windows()) {
    const std::int64_t index = time.ticks() >> shift_;
    const std::int64_t first = std::min(first_, index);
    const std::int64_t last = std::max(last_, index);
    if (Time(last) - Time(first) >= limits_.windows) continue;
    first_ = first;
    last_ = last;
    return index;
  }
}

void Collector::double_windows() {
  ++shift_;
  first_ >>= 1;
  last_ >>= 1;
  kept_.double_windows();
}

void Collector::forget_before(Time time) {
  const std::int64_t least = time.ticks() >> shift_;
  if (last_ < first_ || least <= first_) return;
  kept_.forget_before(least);
  first_ = std::min(least, last_);
}

std::vector<Track> Collector::tracks() const {
  std::vector<Track> tracks;
  for_each_track([&](ClockIndex from, ClockIndex to, const std::vector<Sighting>& points) {
    tracks.push_back({from, to, points});
  });
  return tracks;
}

}  // namespace clc::sync
