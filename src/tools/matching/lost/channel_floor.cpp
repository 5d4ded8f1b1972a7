#include "matching/lost/channel_floor.hpp"

#include <limits>

namespace clc::matching {

namespace {

constexpr std::uint64_t often = 8;  // hits, from which every eighth one tells of the gap

}  // namespace

void ChannelFloor::begin(Ticks at, Time now) {
  known = true;
  delay = at;
  hit = since = now;
  run = 0;
  hits = 0;
}

Ticks FloorRule::tolerance(const ChannelFloor& floor) const { return std::max(margin_, floor.usual_gap() / 32); }

Ticks FloorRule::around(const ChannelFloor& floor, Time now) const {
  return tolerance(floor) + (now - floor.hit) / 1024;
}

bool FloorRule::is_at(const ChannelFloor& floor, Ticks delay, Time now) const {
  return size_of(subtract_saturating(delay, floor.delay)) <= around(floor, now);
}

bool FloorRule::is_trusted(const ChannelFloor& floor) const {
  return floor.is_well_known() && floor.gap > 0 && tolerance(floor) <= floor.usual_gap() / 4;
}

Doubt FloorRule::doubt(const ChannelFloor& floor, Ticks delay, Time now) const {
  if (!floor.known) return Doubt::first;
  if (is_at(floor, delay, now)) return Doubt::none;
  const Ticks apart = subtract_saturating(delay, floor.delay);
  if (!floor.is_well_known()) {
    const bool fine = floor.gap == 0 || tolerance(floor) <= floor.usual_gap() / 4;
    return fine && apart < 0 && (floor.run == -3 || floor.run == -5) ? Doubt::early : Doubt::none;
  }
  if (!is_trusted(floor) || size_of(apart) <= floor.usual_gap() / 4) return Doubt::none;
  if (apart > 0) return floor.run == 3 ? Doubt::above : Doubt::none;
  return floor.run >= -2 || floor.run == -4 ? Doubt::below : Doubt::none;
}

void FloorRule::learn(ChannelFloor& floor, Ticks delay, Time now) const {
  if (!floor.known) return floor.begin(delay, now);
  const int length = floor.run < 0 ? -floor.run : floor.run;
  if (is_at(floor, delay, now)) {
    const Ticks since_hit = now - floor.hit;
    const bool long_ago = floor.gap > 0 && since_hit / 1024 > floor.usual_gap() / 4;
    if (long_ago && size_of(subtract_saturating(delay, floor.delay)) > tolerance(floor)) return floor.begin(delay, now);
    if (!floor.is_soon(since_hit)) floor.since = now;
    const Ticks gap = std::min<Ticks>(since_hit / 16 / (1 + length), std::numeric_limits<std::uint32_t>::max());
    if (floor.hits < often || floor.hits % often == 0)
      floor.gap = floor.gap == 0 ? gap : floor.gap + ((gap - floor.gap) >> 3);
    floor.delay = std::min(delay, floor.delay + since_hit / 1024);
    floor.hit = now;
    floor.run = 0;
    ++floor.hits;
    return;
  }
  const bool below = delay < floor.delay;
  if (below && floor.hits == 0) return floor.begin(delay, now);
  const bool goes_on = below ? floor.run < 0 : floor.run > 0;
  floor.run = (goes_on ? floor.run : 0) + (below ? -1 : 1);
  const bool well = floor.is_well_known();
  if (floor.run == (well ? -32 : -6) || floor.run == (well ? 64 : 8)) floor.begin(delay, now);
}

}  // namespace clc::matching
