// Measured offsets that state their errors, beside the messages of the program.
#include "sync/points.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "sync/matcher.hpp"
#include "sync/measured.hpp"
#include "world.hpp"

namespace {

using namespace clc::test;  // NOLINT
using clc::OffsetPoint;
using clc::ProcessIndex;
using clc::Role;
using clc::Ticks;
using clc::Time;
using clc::sync::Estimate;
using clc::sync::GivenPoint;
using clc::sync::Method;

/// Of all clocks against process 0, which is the common time, so many times from the begin to the end, and this share
/// of the run before and after it. Errors are normal, of that size; in_common: the part of their variance that is the
/// same for all of a clock.
void measure(World& world, int times, double error, std::uint64_t seed, double beyond = 0, double in_common = 0) {
  std::mt19937_64 random(seed + 5000);
  std::normal_distribution<double> normal(0, error);
  std::vector<double> same;
  for (ProcessIndex p = 0; p < world.offsets.size(); ++p) same.push_back(std::sqrt(in_common) * normal(random));
  for (int i = 0; i < times; ++i)
    for (ProcessIndex p = 0; p < world.offsets.size(); ++p) {
      const double t = world.last * ((1 + 2 * beyond) * i / (times - 1) - beyond);
      const Time here = world.reading(p, t);
      const double wrong = p == 0 ? 0 : same[p] + std::sqrt(1 - in_common) * normal(random);
      const double whole = std::floor(wrong);
      world.points.push_back(
          {p, {here, world.reading(0, t) - here + static_cast<Ticks>(whole), wrong - whole, p == 0 ? 0 : error}});
    }
}

/// Events for which this holds take part in no message.
void silence(World& world, const std::function<bool(const clc::Event&)>& silent) {
  for (clc::Event& event : world.events)
    if (silent(event)) event.role = Role::internal;
}
void only_at_ends(World& world, double share) {
  silence(world, [&](const clc::Event& event) {
    const auto t = static_cast<double>(event.bytes);
    return t > share * world.last && t < (1 - share) * world.last;
  });
}
void silence_process(World& world, ProcessIndex p) {
  silence(world, [&](const clc::Event& event) { return event.process == p || event.peer == p; });
}

Estimate points_alone(const World& world) {
  clc::sync::Collector collector;
  clc::sync::Matcher matcher(world.definitions, collector);
  for (const clc::Event& event : world.events) matcher.add(event);
  return map_measured({{}, world.points}, collector, matcher.records(), world.offsets.size(),
                      world.definitions.resolution, {});
}

Estimate messages_alone(World world) {
  world.points.clear();
  return estimate(world, Method::smooth);
}

struct Case {
  std::string name;
  WorldOptions options;
  std::function<void(World&)> change;
  int times = 2;
  double error = 1000;
  double beyond = 0;
};

WorldOptions of(double rest, double jitter = 1000, double wave = 0) {
  WorldOptions options;
  options.rest = rest;
  options.jitter = jitter;
  options.wave = wave;
  return options;
}

WorldOptions one_way(WorldOptions options) {
  options.one_way = true;
  options.uneven = 3000;
  return options;
}

std::vector<Case> cases() {
  const auto nothing = [](World&) {};
  const auto few = [](World& world) { only_at_ends(world, 0.01); };
  const auto alone = [](World& world) { silence_process(world, 5); };
  const auto silent = [](World& world) { silence(world, [](const clc::Event&) { return true; }); };
  constexpr double hour = 9e9;  // 400 rounds
  return {
      {"few messages at both ends, exact offsets", of(2e6), few, 2, 100},
      {"few messages at both ends, offsets in between", of(2e7, 1000, 20'000), few, 9, 500},
      {"one way only", one_way(of(2e6)), nothing, 2, 300},
      {"one way only, curved", one_way(of(2e7, 1000, 20'000)), nothing, 5, 300},
      {"a process without messages", of(2e6), alone, 2, 1000},
      {"a process without messages, curved", of(2e7, 1000, 20'000), alone, 17, 1000},
      {"no messages", of(2e6), silent, 2, 1000},
      {"no messages, curved", of(2e7, 1000, 20'000), silent, 17, 500},
      {"no messages, an hour, curved", of(hour, 1000, 200'000), silent, 25, 1000},
      {"an hour, curved, offsets at both ends", of(hour, 1000, 200'000), nothing, 2, 1000},
      {"an hour, curved, rough offsets in between", of(hour, 1000, 200'000), nothing, 9, 100'000},
      {"a process without messages, measured long before and after", of(2e6), alone, 4, 1000, 0.8},
      {"many messages, measured long before and after", of(2e6), nothing, 2, 1000, 0.8},
      {"curved, measured long before and after", of(2e7, 1000, 20'000), nothing, 4, 1000, 0.8},
      {"many messages, rough offsets", of(2e5), nothing, 5, 20'000},
  };
}

World world_of(const Case& one, std::uint64_t seed, double in_common = 0) {
  WorldOptions options = one.options;
  options.seed = seed;
  World world = make_world(options);
  one.change(world);
  measure(world, one.times, one.error, seed, one.beyond, in_common);
  return world;
}

WorldOptions slow(std::uint64_t seed) {
  WorldOptions options = of(2e6);
  options.seed = seed;
  return options;
}

TEST_CASE("law: messages and measured offsets together are at most a tenth worse than the better of them", "[long]") {
  for (const Case& one : cases()) {
    double both = 0;
    double points = 0;
    double messages = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const World world = world_of(one, seed);
      const Estimate found = estimate(world, Method::smooth);
      REQUIRE(found.applied);
      both += std::pow(rms_error(world, found), 2);
      points += std::pow(rms_error(world, points_alone(world)), 2);
      messages += std::pow(rms_error(world, messages_alone(world)), 2);
    }
    INFO(one.name << ": both " << std::sqrt(both) << ", offsets " << std::sqrt(points) << ", messages "
                  << std::sqrt(messages));
    CHECK(std::sqrt(both) <= 1.1 * std::sqrt(std::min(points, messages)));
  }
}

TEST_CASE("law: honest offsets are used, but for one in a hundred") {
  std::uint64_t used = 0;
  std::uint64_t left = 0;
  for (const Case& one : cases())
    for (std::uint64_t seed = 21; seed <= 30; ++seed) {
      const Estimate found = estimate(world_of(one, seed), Method::smooth);
      used += found.measured.offsets;
      left += found.measured.offsets_contradicting;
    }
  CHECK(100 * left <= used + left);
}

TEST_CASE("law: the uncertainty with measured offsets is between half and twice the error", "[long]") {
  for (const Case& one : cases()) {
    double error = 0;
    double actual = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const World world = world_of(one, seed, 0.5);
      const Estimate found = estimate(world, Method::smooth);
      actual += std::pow(rms_error(world, found), 2) * static_cast<double>(found.clocks.size());
      for (const auto& clock : found.clocks) error += std::pow(1000 * clock.error_us, 2);
    }
    INFO(one.name << ": error " << std::sqrt(error) << ", actual " << std::sqrt(actual));
    CHECK(error <= 4 * actual);
    CHECK(4 * error >= actual);
  }
}

TEST_CASE("law: offsets that contradict the messages change nothing") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world = make_world(slow(seed));
    const Estimate messages = estimate(world, Method::smooth);
    measure(world, 5, 1000, seed);
    std::mt19937_64 random(seed);
    for (GivenPoint& given : world.points) given.point.offset += static_cast<Ticks>(random() % 10'000'000);
    const Estimate found = estimate(world, Method::smooth);
    CHECK(found.measured.offsets == 0);
    CHECK(found.measured.offsets_contradicting == world.points.size());
    for (std::size_t p = 0; p < 6; ++p) CHECK(found.clocks[p].map.points() == messages.clocks[p].map.points());
  }
}

TEST_CASE("law: of one clock that is measured wrongly nothing is used, of the others everything") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world = make_world(slow(seed));
    measure(world, 5, 1000, seed);
    World right = world;
    std::erase_if(right.points, [](const GivenPoint& given) { return given.clock == 3; });
    for (GivenPoint& given : world.points)
      if (given.clock == 3) given.point.offset += 200'000;
    const Estimate found = estimate(world, Method::smooth);
    CHECK(found.measured.offsets == 25);
    CHECK(found.measured.offsets_contradicting == 5);
    const Estimate without = estimate(right, Method::smooth);
    for (std::size_t p = 0; p < 6; ++p) CHECK(found.clocks[p].map.points() == without.clocks[p].map.points());
  }
}

TEST_CASE("law: offsets without an error, of clocks with round trips, or of a single clock change nothing") {
  World world = make_world(slow(1));
  const Estimate messages = estimate(world, Method::smooth);
  measure(world, 3, 1000, 1);
  const std::vector<GivenPoint> all = world.points;
  for (GivenPoint& given : world.points) given.point.error = OffsetPoint::unknown;
  const Estimate unknown = estimate(world, Method::smooth);
  world.points = all;
  std::erase_if(world.points, [](const GivenPoint& given) { return given.clock != 2; });
  const Estimate single = estimate(world, Method::smooth);
  for (const Estimate& found : {unknown, single}) {
    CHECK(found.measured.offsets == 0);
    CHECK(found.measured.offsets_contradicting == 0);
    for (std::size_t p = 0; p < 6; ++p) CHECK(found.clocks[p].map.points() == messages.clocks[p].map.points());
  }
  world.points = all;
  for (GivenPoint& given : world.points) given.point.time = given.point.time + static_cast<Ticks>(2.1 * world.last);
  CHECK(estimate(world, Method::smooth).measured.offsets == 0);  // further away than the trace is long
  world.points = all;
  const Time here = world.reading(0, 0);
  world.samples = {{2, 0, here, world.reading(2, 5000), world.reading(2, 6000), world.reading(0, 11'000)}};
  CHECK(estimate(world, Method::smooth).measured.offsets == 15);
}

TEST_CASE("law: offsets and rates added to clocks are added to the estimate with measured offsets") {
  Change change;
  change.offset = {100'000, -200'000, 300'000, 0, -400'000, 200'000};  // sum 0
  change.rate = {1e-5, -2e-5, 3e-5, 0, -4e-5, 2e-5};
  for (const Method method : {Method::line, Method::smooth}) {
    WorldOptions options = slow(3);
    options.one_way = method == Method::smooth;
    World world = make_world(options);
    World other = changed(world, change);
    measure(world, 4, 300, 1);
    measure(other, 4, 300, 1);
    const Estimate before = estimate(world, method);
    const Estimate after = estimate(other, method);
    check_added(before, after, change);
  }
}

TEST_CASE("law: the common time of measured offsets may begin anywhere") {
  World world = make_world(slow(4));
  silence_process(world, 5);
  measure(world, 3, 1000, 4);
  const Estimate before = estimate(world, Method::smooth);
  constexpr Ticks since_1970 = 1'700'000'000'000'000'000;
  for (GivenPoint& given : world.points) given.point.offset += since_1970;
  const Estimate after = estimate(world, Method::smooth);
  CHECK(after.measured.offsets == before.measured.offsets);
  for (ProcessIndex p = 0; p < 6; ++p) {
    const Time end = world.reading(p, world.last);
    CHECK(std::abs(after.clocks[p].map.at(end) - before.clocks[p].map.at(end)) <= 20);
  }
}

}  // namespace
