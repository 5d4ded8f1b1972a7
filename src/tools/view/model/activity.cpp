#include "view/model/activity.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace clc::view {

void Activity::add(Regions::Id region, float ticks) noexcept {
  Share* least = &shares.front();
  for (Share& share : shares) {
    if (share.region == region || share.region == Regions::none) {
      share.region = region;
      share.ticks += ticks;
      return;
    }
    if (share.ticks < least->ticks) least = &share;
  }
  if (least->ticks < ticks) {
    std::swap(least->ticks, ticks);
    least->region = region;
  }
  other += ticks;
}

void Activity::merge(const Activity& cell) noexcept {
  events += cell.events;
  sends += cell.sends;
  backward += cell.backward;
  other += cell.other;
  for (const Share& share : cell.shares)
    if (share.region != Regions::none) add(share.region, share.ticks);
}

void Activities::message(const Arrow& arrow, const Shown& shown) {
  for (const Column side : sides) {
    // Both ends have a row, also a process that did nothing else in the window.
    grids_[side].include(std::max(arrow.from, arrow.to));
    if (!shown.contains(arrow.sent[side])) continue;
    Activity& cell = grids_[side].at(arrow.from, arrow.sent[side]);
    ++cell.sends;
    cell.backward += arrow.delay(side) < 0;
  }
}

void Activities::segment(Segment segment, const Shown& shown) {
  if (segment.region == Regions::none) return;
  if (region_times_.size() <= segment.region) region_times_.resize(segment.region + std::size_t{1});
  bool any = false;
  for (const Column side : sides) {
    if (!shown.touches(segment.from[side], segment.to[side])) {
      segment.from[side] = segment.to[side] = std::clamp(segment.from[side], shown.from(), shown.to());
      continue;
    }
    segment.from[side] = std::max(segment.from[side], shown.from());
    segment.to[side] = std::min(segment.to[side], shown.to());
    any = any || segment.from[side] <= segment.to[side];
  }
  if (any) draw(segment);
}

void Activities::draw(const Segment& segment) {
  for (const Column side : sides) {
    grids_[side].include(segment.process);  // both sides have the same rows
    grids_[side].spread(
        segment.process, segment.from[side], segment.to[side],
        [&segment](Activity& cell, double ticks) { cell.add(segment.region, static_cast<float>(ticks)); });
  }
  region_times_[segment.region] += static_cast<double>(segment.to[corrected] - segment.from[corrected]);
  if (segment.from != segment.to) segments_.add(segment);
}

void Activities::finish() {
  std::vector<Segment>& all = segments_.values();
  std::ranges::sort(all, [](const Segment& a, const Segment& b) {
    return std::tuple(a.process, a.from[recorded], a.to[recorded]) <
           std::tuple(b.process, b.from[recorded], b.to[recorded]);
  });
}

std::vector<Regions::Id> Activities::regions_by_time() const {
  std::vector<Regions::Id> order(region_times_.size());
  std::iota(order.begin(), order.end(), Regions::Id{0});
  std::erase_if(order, [this](Regions::Id id) { return region_times_[id] <= 0; });
  std::ranges::stable_sort(order, [this](Regions::Id a, Regions::Id b) { return region_times_[a] > region_times_[b]; });
  return order;
}

}  // namespace clc::view
