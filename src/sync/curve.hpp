// The map of a clock during estimation, and delays mapped by it.
//
// Units    Seconds. Times are relative to a zero of each clock (`Zeros`), so that doubles are exact enough for any
//          start value of the clocks; the differences of the zeros are exact in ticks.
// Model    C_i(t) = t + x_i;  x_i(c) = a + b c + y(c - a - b c);  mapped time M = c - x_i(c)
//          y is linear between knots at the centres of windows of equal length, and extrapolated linearly beyond.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sync/collector.hpp"

namespace clc::sync {

/// Windows of equal length, in mapped time.
struct Windows {
  double begin = 0;
  double length = 1;
  std::size_t count = 1;

  [[nodiscard]] std::size_t at(double time) const noexcept {
    return whole((time - begin) / length, static_cast<double>(count - 1));
  }
  /// The whole part of an index, between 0 and `most`, which is whole.
  [[nodiscard]] static std::size_t whole(double index, double most) noexcept {
    return index > 0 ? static_cast<std::size_t>(static_cast<std::int64_t>(std::min(index, most))) : 0;
  }
  [[nodiscard]] double centre(std::size_t window) const noexcept {
    return begin + (static_cast<double>(window) + 0.5) * length;
  }
  /// From the begin of the first one to the end of the last one.
  [[nodiscard]] double span() const noexcept { return length * static_cast<double>(count); }
};

/// The position of a time between two knots: y = (1 - part) y[knot] + part y[knot + 1].
struct Place {
  std::size_t knot = 0;
  double part = 0;
};
[[nodiscard]] inline Place place_of(const Windows& windows, double time) noexcept {
  if (windows.count < 2) return {};
  const double index = (time - windows.begin) / windows.length - 0.5;
  const std::size_t knot = Windows::whole(index, static_cast<double>(windows.count - 2));
  return {knot, index - static_cast<double>(static_cast<std::int64_t>(knot))};
}

struct Curve {
  double offset = 0;          ///< a
  double rate = 0;            ///< b
  std::vector<double> knots;  ///< y; empty: 0
  double left_out = 0;        ///< a rate that is not applied, as it is not significant

  [[nodiscard]] double line(double time) const noexcept { return offset + rate * time; }
  [[nodiscard]] double at(double time, const Windows& windows) const noexcept {
    const double straight = line(time);
    if (knots.empty()) return straight;
    if (knots.size() == 1) return straight + knots.front();
    const Place place = place_of(windows, time - straight);
    return straight + (1 - place.part) * knots[place.knot] + place.part * knots[place.knot + 1];
  }
  /// M of a time of the clock.
  [[nodiscard]] double mapped(double time, const Windows& windows) const noexcept { return time - at(time, windows); }
  /// The time of the clock that its line maps to this.
  [[nodiscard]] double unmapped(double time) const noexcept { return (time + offset) / (1 - rate); }
  /// Adds a constant to x.
  void shift(double by) noexcept {
    if (knots.empty()) offset += by;
    for (double& knot : knots) knot += by;
  }
};

/// A sighting in seconds.
class Point {
 public:
  Point() noexcept = default;
  /// delay: as recorded, exact even if the times are large.
  Point(double sent, double delay, bool waited) noexcept
      : sent_(sent),
        delay_and_waited_((std::bit_cast<std::uint64_t>(delay) & ~std::uint64_t{1}) | (waited ? 1U : 0U)) {}

  [[nodiscard]] double sent() const noexcept { return sent_; }
  [[nodiscard]] double received() const noexcept { return sent_ + delay(); }
  [[nodiscard]] double delay() const noexcept { return std::bit_cast<double>(delay_and_waited_ & ~std::uint64_t{1}); }
  [[nodiscard]] bool waited() const noexcept { return (delay_and_waited_ & 1U) != 0; }

 private:
  double sent_ = 0;
  std::uint64_t delay_and_waited_ = 0;  ///< the last bit of the delay, far below a tick, tells of the wait
};
static_assert(sizeof(Point) == 16, "most of the memory while clocks are estimated");

/// Points of an ordered pair of clocks.
struct Series {
  ClockIndex from = 0;
  ClockIndex to = 0;
  std::vector<Point> points;
};

/// A collective operation in seconds.
struct Meeting {
  struct Member {
    ClockIndex clock = 0;
    double begin = 0;
    double end = 0;
    bool tail = false;
    bool head = false;
  };
  std::vector<Member> members;
};

/// Round trips between two clocks within a short time, in seconds.
struct Burst {
  ClockIndex low = 0;
  ClockIndex high = 0;
  std::vector<Point> up;    ///< low -> high
  std::vector<Point> down;  ///< high -> low
};

/// Offsets of a clock that were measured against a common time, in seconds. That time is a clock of its own.
struct MeasuredOffsets {
  struct At {
    Point to_common;   ///< as a message that takes no time
    double error = 0;  ///< standard deviation
  };
  ClockIndex clock = 0;
  std::vector<At> points;  ///< by time, at least one
};

/// The zero of each clock, in ticks; converts ticks to seconds and back.
class Zeros {
 public:
  Zeros(std::vector<Time> zeros, Resolution resolution) : zeros_(std::move(zeros)), resolution_(resolution) {}
  [[nodiscard]] double seconds(ClockIndex clock, Time time) const noexcept {
    return resolution_.seconds(static_cast<double>(time - zeros_[clock]));
  }
  [[nodiscard]] Point point(ClockIndex from, ClockIndex to, const Sighting& sighting) const noexcept;
  [[nodiscard]] Meeting meeting(const Gathering& gathering) const;
  [[nodiscard]] Time zero(ClockIndex clock) const noexcept { return zeros_[clock]; }
  /// The nearest tick.
  [[nodiscard]] Time time(ClockIndex clock, double seconds) const noexcept {
    return zeros_[clock] + static_cast<Ticks>(std::llround(seconds * static_cast<double>(resolution_.per_second())));
  }
  /// One more clock.
  void add(Time zero) { zeros_.push_back(zero); }

 private:
  std::vector<Time> zeros_;
  Resolution resolution_;
};

/// All data of the first pass, in seconds.
struct Seen {
  std::size_t clocks = 0;    ///< with the common time of measured offsets, which is the last one
  std::size_t in_trace = 0;  ///< without it
  std::vector<Series> series;
  std::vector<Meeting> meetings;
  std::vector<Burst> bursts;  ///< by pair and time
  std::vector<MeasuredOffsets> offsets;
  double bias_scale = 1;            ///< with measurements: of the constant errors of pairs, as messages alone show it
  double tick = 0;                  ///< a tick in seconds
  double min_delay = 0;             ///< mu; 0: not known
  std::uint64_t edges = 0;          ///< in the trace
  std::vector<std::uint32_t> node;  ///< of each clock; pairs within a node form a class of their own

  /// Of a message as recorded, by clocks that are right: times are known to a tick.
  [[nodiscard]] double least_delay() const noexcept { return min_delay - tick; }
  /// Nothing was seen.
  [[nodiscard]] bool empty() const noexcept {
    return series.empty() && meetings.empty() && bursts.empty() && offsets.empty();
  }
};

/// The delay of a point after mapping both ends.
[[nodiscard]] inline double mapped_delay(const Point& point, const Curve& from, const Curve& to,
                                         const Windows& windows) noexcept {
  return point.delay() - (to.at(point.received(), windows) - from.at(point.sent(), windows));
}

/// The points of `seen`, plus those of its collective operations as judged by the curves: from the latest begin to all
/// ends, where earlier members waited, and from all begins to the earliest end. by_stay: the curves are not known yet,
/// and the member with the shortest stay counts as the latest.
[[nodiscard]] std::vector<Series> all_series(const Seen& seen, const std::vector<Curve>& curves, const Windows& windows,
                                             bool by_stay);

/// The given number of windows over all points of messages and bursts, in mapped time; if there are none, over the
/// measured offsets.
[[nodiscard]] Windows windows_over(const std::vector<Series>& series, const Seen& seen,
                                   const std::vector<Curve>& curves, std::size_t count);

/// Number of windows, such that a pair has five edges per window; at most 512.
[[nodiscard]] std::size_t windows_for(const Seen& seen, std::size_t ordered_pairs) noexcept;

}  // namespace clc::sync
