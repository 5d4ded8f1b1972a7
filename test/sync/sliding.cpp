// Clocks estimated with look-ahead, against two passes and the truth.
#include "sync/sliding.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "for_seeds.hpp"
#include "sync/matcher.hpp"
#include "world.hpp"

namespace {

using namespace clc::test;  // NOLINT
using clc::OffsetLine;
using clc::OffsetPoint;
using clc::Ticks;
using clc::Time;
using clc::sync::Sliding;

constexpr double second = 1e9;

/// A clock whose rate changes: C(t) = t + offset at knots, linear between them.
struct Clock {
  double spacing;
  std::vector<double> offsets;
  [[nodiscard]] double at(double t) const {
    const auto knot = std::min(static_cast<std::size_t>(t / spacing), offsets.size() - 2);
    const double part = t / spacing - static_cast<double>(knot);
    return t + (1 - part) * offsets[knot] + part * offsets[knot + 1];
  }
};

double last_time(const World& world) {
  std::uint64_t last = 0;
  for (const clc::Event& event : world.events) last = std::max(last, event.bytes);
  return static_cast<double>(last);
}

/// The rate walks: standard deviation after one second, in ppm.
Clock wander(double offset, double rate, double ppm, double end, std::mt19937_64& random) {
  Clock clock{0.02 * second, {offset}};
  std::normal_distribution<double> change(0, ppm * 1e-6 * std::sqrt(0.02));
  while (clock.spacing * static_cast<double>(clock.offsets.size()) < end + 2 * clock.spacing) {
    rate += change(random);
    clock.offsets.push_back(clock.offsets.back() + rate * clock.spacing);
  }
  return clock;
}

/// Slewed every two seconds, so that two seconds later it is within us of the truth, but for its drift.
Clock ntp(double offset, double us, double end, std::mt19937_64& random) {
  Clock clock{2 * second, {offset}};
  std::uniform_real_distribution<double> within(-us * 1e3, us * 1e3);
  while (clock.spacing * static_cast<double>(clock.offsets.size()) < end + 2 * clock.spacing)
    clock.offsets.push_back(offset + within(random));
  return clock;
}

struct Changing {
  World world;
  std::vector<Clock> clocks;
  double end = 0;
};

Changing make_changing(std::uint64_t seed, bool slewed) {
  WorldOptions options;
  options.seed = seed;
  options.rounds = 600;
  options.rest = 10e6;
  options.jitter = 2000;
  Changing result{make_world(options), {}, 0};
  World& world = result.world;
  result.end = last_time(world);
  std::mt19937_64 random(seed + 77);
  for (std::size_t p = 0; p < world.offsets.size(); ++p)
    result.clocks.push_back(slewed ? ntp(world.offsets[p], 20, result.end, random)
                                   : wander(world.offsets[p], world.rates[p], 0.2, result.end, random));
  for (clc::Event& event : world.events)
    event.time = Time(10'000'000 + std::llround(result.clocks[event.process].at(static_cast<double>(event.bytes))));
  std::stable_sort(world.events.begin(), world.events.end(),
                   [](const clc::Event& a, const clc::Event& b) { return a.time < b.time; });
  return result;
}

std::vector<OffsetLine> lines_of(std::map<clc::sync::ClockIndex, std::vector<OffsetPoint>> points, std::size_t clocks) {
  std::vector<OffsetLine> lines;
  for (clc::sync::ClockIndex clock = 0; clock < clocks; ++clock) lines.emplace_back(points[clock]);
  return lines;
}

std::vector<OffsetLine> with_look_ahead(const World& world, double seconds) {
  Sliding sliding(world.definitions, std::llround(seconds * second), {});
  std::map<clc::sync::ClockIndex, std::vector<OffsetPoint>> points;
  const auto take = [&] {
    for (const Sliding::Fixed& fixed : sliding.take()) points[fixed.clock].push_back(fixed.point);
  };
  for (const clc::Event& event : world.events) {
    sliding.add(event);
    take();
  }
  sliding.finish();
  take();
  return lines_of(std::move(points), world.offsets.size());
}

std::vector<OffsetLine> in_two_passes(const World& world) {
  std::vector<OffsetLine> lines;
  for (const auto& clock : estimate(world, clc::sync::Method::smooth).clocks) lines.push_back(clock.map);
  return lines;
}

/// Mean square of the differences of mapped clocks from their mean at one true time, ns^2.
double square_error(const Changing& changing, const std::vector<OffsetLine>& lines) {
  double sum = 0;
  std::size_t count = 0;
  constexpr int times = 200;
  for (int i = 0; i <= times; ++i) {
    const double t = changing.end * i / times;
    std::vector<double> mapped;
    double mean = 0;
    for (std::size_t p = 0; p < lines.size(); ++p) {
      const Time clock(10'000'000 + std::llround(changing.clocks[p].at(t)));
      mapped.push_back(static_cast<double>(lines[p].at(clock) - Time(std::llround(t))));
      mean += mapped.back() / static_cast<double>(lines.size());
    }
    for (const double one : mapped) sum += (one - mean) * (one - mean);
    count += mapped.size();
  }
  return sum / static_cast<double>(count);
}

/// Two clocks, each of them found to the jitter of messages.
constexpr double twice_the_jitter = 1000;

World straight(std::uint64_t seed, double offset = 3e6, double drift = 2e-5, int rounds = 600) {
  WorldOptions options;
  options.seed = seed;
  options.rounds = rounds;
  options.rest = 10e6;
  options.jitter = 500;
  options.offset = offset;
  options.drift = drift;
  return make_world(options);
}

/// Largest difference of two processes' mapped clocks at one true time between two parts of the run, ns.
double worst_error(const World& world, const std::vector<OffsetLine>& lines, double from, double to) {
  const double end = last_time(world);
  double worst = 0;
  for (double t = from * end; t <= to * end; t += end / 200) {
    std::vector<double> mapped;
    for (std::size_t p = 0; p < lines.size(); ++p) {
      const Time clock(10'000'000 + std::llround(t + world.rates[p] * t + world.offsets[p]));
      mapped.push_back(static_cast<double>(lines[p].at(clock).ticks()));
    }
    const auto [low, high] = std::minmax_element(mapped.begin(), mapped.end());
    worst = std::max(worst, *high - *low);
  }
  return worst;
}

/// Five messages of a pair and direction in a window, as two passes take them.
constexpr double window_s = 5 * 10.05e-3;

void check_against_two_passes(bool slewed) {
  const std::uint64_t seeds = clc::test::number("CLC_TRACES", 1000) < 100 ? 4 : 20;
  double sliding = 0;
  double two_passes = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Changing changing = make_changing(seed, slewed);
    sliding += square_error(changing, with_look_ahead(changing.world, 8 * window_s)) / static_cast<double>(seeds);
    two_passes += square_error(changing, in_two_passes(changing.world)) / static_cast<double>(seeds);
  }
  INFO("all seeds: " << std::sqrt(sliding) << " ns, two passes " << std::sqrt(two_passes) << " ns");
  CHECK(std::sqrt(sliding) < 3 * std::sqrt(two_passes));
}

TEST_CASE("sliding: 8 windows of look-ahead are within a factor of 3 of two passes, rates that wander") {
  check_against_two_passes(false);
}

TEST_CASE("sliding: 8 windows of look-ahead are within a factor of 3 of two passes, clocks slewed by NTP") {
  check_against_two_passes(true);
}

TEST_CASE("sliding: straight clocks are found by the end of the first look-ahead and stay so") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const World world = straight(seed);
    CHECK(worst_error(world, with_look_ahead(world, 8 * window_s), 0, 1) < twice_the_jitter);  // of offsets of 3e6
  }
}

TEST_CASE("sliding: what is told to be fixed does not change") {
  const World world = straight(7);
  Sliding sliding(world.definitions, std::llround(8 * window_s * second), {});
  std::vector<Time> last(world.offsets.size(), Time::earliest());
  Time until = Time::earliest();
  bool early = true;
  for (const clc::Event& event : world.events) {
    sliding.add(event);
    // Beyond the last point that was known, the map is still open; before it, no point is added.
    for (const Sliding::Fixed& fixed : sliding.take()) {
      CHECK(fixed.point.time > last[fixed.clock]);
      CHECK(fixed.point.time >= until);
      last[fixed.clock] = fixed.point.time;
    }
    CHECK(sliding.fixed_until() >= until);
    until = sliding.fixed_until();
    if (until == Time::earliest()) continue;
    early = false;
    for (const Time end : last) CHECK(until <= end);
    // A look-ahead and a window behind, and what the clocks differ.
    if (sliding.estimates() > 1) CHECK(event.time - until < std::llround(10.5 * window_s * second));
  }
  CHECK(!early);
  sliding.finish();
  CHECK(sliding.fixed_until() == Time::latest());
}

TEST_CASE("sliding: a trace shorter than the look-ahead is estimated once, as in two passes") {
  const World world = straight(3, 3e6, 2e-5, 100);
  Sliding sliding(world.definitions, std::llround(1000 * second), {});
  for (const clc::Event& event : world.events) sliding.add(event);
  CHECK(sliding.take().empty());
  sliding.finish();
  CHECK(sliding.estimates() == 1);
  std::map<clc::sync::ClockIndex, std::vector<OffsetPoint>> points;
  for (const Sliding::Fixed& fixed : sliding.take()) points[fixed.clock].push_back(fixed.point);
  CHECK(worst_error(world, lines_of(points, world.offsets.size()), 0, 1) < twice_the_jitter);
}

TEST_CASE("sliding: clocks that are right are left alone") {
  const World world = straight(5, 0, 0);
  for (const OffsetLine& line : with_look_ahead(world, 8 * window_s))
    for (const OffsetPoint& point : line.points()) CHECK(point.offset == 0);
}

TEST_CASE("sliding: no time is mapped to before the first record") {
  const World world = straight(11);
  const std::vector<OffsetLine> lines = with_look_ahead(world, 8 * window_s);
  for (const clc::Event& event : world.events)
    REQUIRE(lines[event.process].at(event.time) >= world.events.front().time - 1);
}

TEST_CASE("sliding: a clock that comes late does not move the others") {
  World world = straight(2);
  const double from = 0.6 * last_time(world);
  std::erase_if(world.events, [&](const clc::Event& event) {
    return static_cast<double>(event.bytes) < from && (event.process == 4 || event.peer == 4);
  });
  const std::vector<OffsetLine> lines = with_look_ahead(world, 8 * window_s);
  CHECK(worst_error(world, lines, 0.62, 1) < twice_the_jitter);
  // The mean of all offsets changes by that of the new one; the common time does not jump.
  for (std::size_t p = 0; p < lines.size(); ++p) {
    const std::vector<OffsetPoint>& points = lines[p].points();
    REQUIRE(points.size() > 20);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const auto apart = static_cast<double>(points[i].time - points[i - 1].time);
      CHECK(std::abs(static_cast<double>(points[i].offset - points[i - 1].offset)) <
            4e-5 * apart + twice_the_jitter);  // +-20 ppm
    }
  }
}

TEST_CASE("sliding: a clock that is set is mapped again when the step has left the stretch") {
  World world = straight(4, 3e6, 2e-5, 2000);
  const double from = 0.4 * last_time(world);
  for (clc::Event& event : world.events)
    if (event.process == 2 && static_cast<double>(event.bytes) >= from) event.time = event.time + 1'000'000;
  std::stable_sort(world.events.begin(), world.events.end(),
                   [](const clc::Event& a, const clc::Event& b) { return a.time < b.time; });
  const std::vector<OffsetLine> lines = with_look_ahead(world, 8 * window_s);
  CHECK(worst_error(world, lines, 0, 0.3) < twice_the_jitter);
  world.offsets[2] += 1e6;
  CHECK(worst_error(world, lines, 0.55, 1) < twice_the_jitter);
}

TEST_CASE("sliding: messages that are matched wrongly from a lost record on move no clock") {
  for (const clc::Role role : {clc::Role::send, clc::Role::receive})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      INFO("seed " << seed << ", " << (role == clc::Role::send ? "sends" : "receives"));
      World world = straight(seed, 1e5, 2e-5, 1200);
      // Messages between three pairs; the others still connect all processes.
      const double from = 0.5 * last_time(world);
      std::set<std::pair<clc::ProcessIndex, clc::ProcessIndex>> lost;
      std::erase_if(world.events, [&](const clc::Event& event) {
        const bool found = static_cast<double>(event.bytes) > from && event.role == role && lost.size() < 3 &&
                           lost.insert(std::minmax(event.process, event.peer)).second;
        return found;
      });
      REQUIRE(lost.size() == 3);
      CHECK(worst_error(world, with_look_ahead(world, 8 * window_s), 0, 1) < twice_the_jitter);
    }
}

TEST_CASE("sliding: what it keeps does not grow with the trace") {
  const auto kept = [](int rounds) {
    WorldOptions options;
    options.rounds = rounds;
    World world = make_world(options);
    clc::sync::Collector collector({.windows = 128});
    clc::sync::Matcher matcher(world.definitions, collector);
    constexpr Ticks window = 1'000'000;
    for (const clc::Event& event : world.events) {
      matcher.add(event);
      const Time oldest = event.time - window;
      collector.forget_before(oldest);
      matcher.forget_before(oldest);
    }
    std::size_t points = 0;
    for (const clc::sync::Track& track : collector.tracks()) {
      points += track.points.size();
      for (const clc::sync::Sighting& point : track.points)
        CHECK(point.middle() > world.events.back().time - 2 * window);
    }
    return points;
  };
  const std::size_t some = kept(200);
  CHECK(some > 0);
  CHECK(kept(1000) < 2 * some);
}

TEST_CASE("sliding: forgotten events without partner do not change how others match") {
  WorldOptions options;
  options.rounds = 200;
  options.offset = 1e4;  // all partners come within a round
  options.allreduce = true;
  World world = make_world(options);
  // Some sends are lost: their channel matches one round off from there on, with and without forgetting.
  std::size_t count = 0;
  std::erase_if(world.events,
                [&](const clc::Event& event) { return event.role == clc::Role::send && ++count % 701 == 0; });
  const auto edges = [&](bool forget) {
    clc::sync::Collector collector;
    clc::sync::Matcher matcher(world.definitions, collector);
    for (const clc::Event& event : world.events) {
      matcher.add(event);
      if (forget) matcher.forget_before(event.time - 1'000'000);  // some ten rounds
    }
    return collector.edges();
  };
  CHECK(edges(false) > 0);
  CHECK(edges(true) == edges(false));
}

TEST_CASE("sliding: after a silence a channel that lost a record starts anew") {
  const World world = make_world({});
  const auto delay_after = [&](bool forget) {
    clc::sync::Collector collector;
    clc::sync::Matcher matcher(world.definitions, collector);
    const auto add = [&](clc::Role role, std::int64_t time) {
      clc::Event event;
      event.role = role;
      event.process = role == clc::Role::send ? 0 : 1;
      event.peer = 1 - event.process;
      event.time = Time(time);
      matcher.add(event);
    };
    add(clc::Role::send, 0);  // its receive is lost
    if (forget) matcher.forget_before(Time(900));
    add(clc::Role::send, 1000);
    add(clc::Role::receive, 1007);
    return collector.tracks().at(0).points.at(0).delay();
  };
  CHECK(delay_after(false) == 1007);
  CHECK(delay_after(true) == 7);
}

TEST_CASE("sliding: the same events give the same map, bit for bit") {
  const World world = straight(9);
  const std::vector<OffsetLine> one = with_look_ahead(world, 8 * window_s);
  const std::vector<OffsetLine> other = with_look_ahead(world, 8 * window_s);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].points().size() > 20);
    CHECK(one[i].points() == other[i].points());
  }
}

}  // namespace
