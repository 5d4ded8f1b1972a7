// Backward amortization against the lower convex hull by its definition.
#include "clock/amortizer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "clock/offset.hpp"
#include "clock/recorder.hpp"
#include "for_seeds.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

struct Point {
  double x;
  double y;
};

/// The largest convex function that lies on or below all points, by its definition: the lowest line between two of
/// them.
double hull(const std::vector<Point>& points, double x) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Point& a : points) {
    if (std::abs(a.x - x) <= grain) lowest = std::min(lowest, a.y);
    if (a.x > x) continue;
    for (const Point& b : points)
      if (b.x > x) lowest = std::min(lowest, a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x));
  }
  return lowest;
}

struct Events {
  QueuePool pool{1};
  ProcessQueue queue{pool};
  Recorder analysis;
  std::vector<double> offsets;
  std::vector<double> limits;

  /// An event that is processed; none limits it.
  void add(Time recorded, double offset, double limit = no_limit) {
    queue.append(recorded, queue.end(), Role::send, {});
    queue.head().offset = offset;
    queue.head_processed();
    if (limit < no_limit) queue.lower_limit(queue.end() - 1, limit);
    offsets.push_back(offset);
    limits.push_back(limit);
  }
  [[nodiscard]] Time recorded(EventIndex i) const { return queue.raw(i).recorded; }
};

std::string one_jump(std::uint64_t seed) {
  Random random(seed);
  Events events;
  Time now(random.integer(-1000, 1000));
  const std::size_t size = 2 + random.index(80);
  double offset = random.chance(0.5) ? 0 : random.real(0, 50);
  for (std::size_t i = 0; i + 1 < size; ++i) {
    const Ticks advance = random.integer(1, 40);
    now = now + advance;
    offset = std::max(0.0, offset - 0.01 * static_cast<double>(advance));
    events.add(now, offset, random.chance(0.3) ? offset + random.real(0, 100) : no_limit);
  }
  const Ticks advance = random.integer(1, 40);
  const double local = std::max(0.0, offset - 0.01 * static_cast<double>(advance));
  const double jump = random.real(1, 100);
  now = now + advance;
  events.add(now, local + jump);

  const double cldiff = 100;
  const double error = random.real(0.05, 0.5);
  Amortizer amortizer(cldiff, error, true, events.analysis);
  amortizer.grow(1);
  amortizer.jumped(0, size - 1, local, jump);
  const auto x = [&](EventIndex i) { return static_cast<double>(events.recorded(i) - now) + events.offsets[i]; };
  double start = local - cldiff / error;
  std::vector<Point> points{{local, jump}};
  double lowest = jump;
  for (EventIndex i = 0; i + 1 < size; ++i) {
    if (x(i) < start || events.limits[i] == no_limit) continue;
    const double cross = std::max(0.0, events.limits[i] - events.offsets[i] - lowering);
    lowest = std::min(lowest, cross);
    points.push_back({x(i), cross});
  }
  // Without an event before the interval the line begins at the first event, at the height of the lowest cross.
  const bool from_first = x(0) >= start;
  if (from_first) start = x(0);
  points.push_back({start, from_first ? lowest : 0});

  amortizer.amortize(0, events.queue, std::nullopt, 0, no_event);
  for (EventIndex i = 0; i < size; ++i) {
    const bool inside = i + 1 < size && x(i) >= start;
    const double expected = events.offsets[i] + (inside ? hull(points, x(i)) : 0);
    if (std::abs(events.queue.offset(i) - expected) > 0.01)
      return "event " + std::to_string(i) + " of " + std::to_string(size) + " has offset " +
             std::to_string(events.queue.offset(i)) + ", expected " + std::to_string(expected);
    if (events.queue.offset(i) > events.limits[i]) return "event " + std::to_string(i) + " is beyond its limit";
  }
  return {};
}

}  // namespace

TEST_CASE("amortizer: a jump is spread by the lower convex hull") { for_seeds(1, one_jump); }

TEST_CASE("amortizer: a jump waits for the input, and for heads that are stuck") {
  Events events;
  events.add(Time(0), 0);
  events.add(Time(1000), 0);
  events.add(Time(1100), 10);
  Amortizer amortizer(10, 0.1, true, events.analysis);
  amortizer.grow(1);
  CHECK(amortizer.interval() == 100);
  amortizer.jumped(0, 2, 0, 10);
  CHECK(amortizer.reach(0, events.queue, 100) == Time(1000));
  const auto moved = [&] { return events.queue.offset(1) > 0; };
  // LC'(R) = 1110; heads of its tails may be as late as 5 ticks after that.
  amortizer.amortize(0, events.queue, Time(1115), 5, no_event);
  CHECK_FALSE(moved());
  amortizer.amortize(0, events.queue, Time(1116), 5, 1);
  CHECK_FALSE(moved());
  CHECK(amortizer.reach(0, events.queue, 100) == Time(1000));
  amortizer.amortize(0, events.queue, Time(1116), 5, 2);
  CHECK(events.queue.offset(0) == 0);
  CHECK(events.queue.offset(1) == 0);  // the line begins here
  CHECK(amortizer.reach(0, events.queue, 100) == Time::latest());
}

TEST_CASE("amortizer: a larger jump lengthens the interval of later ones only") {
  Events events;
  for (Ticks time = 0; time <= 2000; time += 100) events.add(Time(time), 0);
  events.add(Time(2050), 20);
  Amortizer amortizer(10, 0.1, true, events.analysis);
  amortizer.grow(1);
  CHECK_FALSE(amortizer.lengthens(10));
  CHECK(amortizer.lengthens(20));
  amortizer.jumped(0, 21, 0, 20);
  amortizer.lengthen(20, Time(2050));
  CHECK(amortizer.interval() == 200);
  CHECK(events.analysis.clock_difference == 20);
  amortizer.amortize(0, events.queue, std::nullopt, 0, no_event);
  // From 1950 to 2050.
  CHECK(events.queue.offset(19) == 0);
  CHECK(events.queue.offset(20) == Approx(10));
}

TEST_CASE("amortizer: moves nothing before what has left") {
  Events events;
  for (Ticks time = 0; time <= 900; time += 100) events.add(Time(time), 0);
  events.add(Time(1000), 10);
  Amortizer amortizer(10, 0.01, true, events.analysis);  // 1000 ticks
  amortizer.grow(1);
  amortizer.keep(0, Time(500));
  amortizer.jumped(0, 10, 0, 10);
  amortizer.amortize(0, events.queue, std::nullopt, 0, no_event);
  CHECK(events.queue.offset(4) == 0);
  CHECK(events.queue.offset(6) == Approx(2));
  CHECK(events.queue.offset(9) == Approx(8));
}

}  // namespace clc::test
