// The clock offsets of an archive: synchronisation points of a location's clock with a global one, with
// linear interpolation between them [R 7.2: explicit synchronisation before the clock].
//
// Rounding  Exact integer arithmetic; the interpolated offset is rounded to the nearest tick, halves up.
//           Before the first and after the last point, the line through the nearest two continues, as in
//           libotf2 (which computes in double precision and may therefore differ by a tick).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace clc::otf2 {

class ClockOffsets {
 public:
  struct Point {
    std::int64_t time;
    std::int64_t offset;
    double deviation = 0;  ///< standard deviation, ticks; times do not depend on it
  };

  /// Points in any order. Of two points at the same time, the last one counts.
  void add(std::int64_t time, std::int64_t offset, double deviation = 0) {
    const auto after = std::ranges::upper_bound(points_, time, {}, &Point::time);
    if (after != points_.begin() && std::prev(after)->time == time)
      *std::prev(after) = {time, offset, deviation};
    else
      points_.insert(after, {time, offset, deviation});
  }
  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }
  [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }

 private:
  std::vector<Point> points_;  ///< by time
};

/// Turns the recorded times of one location, in their order, into times of the global clock. Results are never
/// negative: an archive cannot hold such times. They decrease where the clock was set back.
class LocationClock {
 public:
  LocationClock() = default;
  explicit LocationClock(const ClockOffsets& offsets) : points_(offsets.empty() ? nullptr : &offsets.points()) {}

  /// Of an event.
  [[nodiscard]] std::int64_t next(std::int64_t time) noexcept { return points_ == nullptr ? time : counted(time); }
  /// Of any time.
  [[nodiscard, gnu::always_inline]] std::int64_t at(std::int64_t time) noexcept {
    return points_ == nullptr ? time : std::max<std::int64_t>(0, interpolated(time));
  }
  /// The same, also where it is negative.
  [[nodiscard]] std::int64_t global(std::int64_t time) noexcept {
    return points_ == nullptr ? time : interpolated(time);
  }
  /// Events with negative times because of their offset.
  [[nodiscard]] std::uint64_t below_zero() const noexcept { return below_zero_; }

 private:
  __extension__ using Wide = __int128;

  [[nodiscard, gnu::noinline]] std::int64_t counted(std::int64_t time) noexcept {
    const std::int64_t global = interpolated(time);
    if (global >= 0) return global;
    ++below_zero_;
    return 0;
  }
  [[nodiscard, gnu::noinline]] std::int64_t interpolated(std::int64_t time) noexcept {
    const std::vector<ClockOffsets::Point>& points = *points_;
    if (points.size() == 1) return sum(time, points.front().offset);
    while (segment_ + 2 < points.size() && time >= points[segment_ + 1].time) ++segment_;
    while (segment_ > 0 && time < points[segment_].time) --segment_;
    const ClockOffsets::Point& from = points[segment_];
    const ClockOffsets::Point& to = points[segment_ + 1];
    if (from.offset == to.offset) return sum(time, from.offset);
    const Wide length = Wide{to.time} - from.time;
    const Wide rise = Wide{to.offset} - from.offset;
    const Wide apart = Wide{time} - from.time;
    // The whole ticks of each tick apart, then the rest: the products of any 64-bit numbers fit.
    const Wide rest = saturating(2 * (rise % length), apart, length);
    return sum(time, saturating(rise / length, apart, from.offset + floor_divide(rest, 2 * length)));
  }
  [[nodiscard]] static Wide floor_divide(Wide a, Wide b) noexcept {
    const Wide quotient = a / b;
    return quotient - (a % b != 0 && a < 0 ? 1 : 0);
  }
  /// a * b + c; far outside of 64 bits where that is not of 127 bits.
  [[nodiscard]] static Wide saturating(Wide a, Wide b, Wide c) noexcept {
    constexpr Wide far = Wide{1} << 100U;
    Wide product = 0;
    Wide result = 0;
    if (!__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(product, c, &result)) return result;
    return (a < 0) == (b < 0) ? far : -far;
  }
  [[nodiscard]] static std::int64_t sum(Wide time, Wide offset) noexcept {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const Wide global = time + offset;
    return global < -largest ? -largest : global > largest ? largest : static_cast<std::int64_t>(global);
  }

  const std::vector<ClockOffsets::Point>* points_ = nullptr;  ///< at least one; null: there are none
  std::size_t segment_ = 0;
  std::uint64_t below_zero_ = 0;
};

/// What a time before the first or after the last point is uncertain by because points are whole ticks.
[[nodiscard]] inline std::uint64_t uncertainty(const ClockOffsets& offsets, std::int64_t time) {
  const std::vector<ClockOffsets::Point>& points = offsets.points();
  if (points.size() < 2) return 0;
  const auto apart = [](std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  if (time < points.front().time) return 1 + apart(time, points[0].time) / apart(points[0].time, points[1].time);
  const ClockOffsets::Point& before = points[points.size() - 2];
  return time > points.back().time ? 1 + apart(points.back().time, time) / apart(before.time, points.back().time) : 0;
}

/// Whether both turn any time into the same one, but for rounding.
[[nodiscard]] inline bool agree(const ClockOffsets& a, const ClockOffsets& b) {
  LocationClock of_a(a);
  LocationClock of_b(b);
  const auto same = [&](const ClockOffsets::Point& point) {
    const auto [low, high] = std::minmax({of_a.global(point.time), of_b.global(point.time)});
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) <=
           1 + uncertainty(a, point.time) + uncertainty(b, point.time);
  };
  return std::ranges::all_of(a.points(), same) && std::ranges::all_of(b.points(), same);
}

}  // namespace clc::otf2
