#include "otf2/mapped_offsets.hpp"

#include <algorithm>
#include <vector>

namespace clc::otf2 {

ClockOffsets mapped_offsets(const ClockOffsets& own, const OffsetLine& line, std::int64_t first, std::int64_t last) {
  last = std::max(last, add_saturating(first, 1));
  std::vector<std::int64_t> ends{first};
  for (const ClockOffsets::Point& point : own.points())
    if (point.time > first && point.time < last) ends.push_back(point.time);
  ends.push_back(last);

  LocationClock clock(own);
  ClockOffsets mapped;
  const auto add = [&](std::int64_t time) {
    mapped.add(time, subtract_saturating(line.at(Time(clock.at(time))).ticks(), time));
  };
  add(first);
  auto bend = line.points().begin();
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const std::int64_t to = clock.at(ends[i + 1]);
    while (bend != line.points().end() && bend->time.ticks() <= clock.at(ends[i])) ++bend;
    for (; bend != line.points().end() && bend->time.ticks() < to; ++bend) {
      // The first time in the file that is not before the bend of the map.
      std::int64_t before = ends[i];
      std::int64_t behind = ends[i + 1];
      while (behind - before > 1) {
        const std::int64_t middle = before + (behind - before) / 2;
        (clock.at(middle) < bend->time.ticks() ? before : behind) = middle;
      }
      add(behind);
    }
    add(ends[i + 1]);
  }
  return mapped;
}

}  // namespace clc::otf2
