// Measured round trips beside the messages of the program.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sync/matcher.hpp"
#include "sync/measured.hpp"
#include "world.hpp"

namespace {

using namespace clc::test;  // NOLINT
using clc::ProcessIndex;
using clc::sync::Estimate;
using clc::sync::Method;
using clc::sync::Sample;

constexpr double short_pause = 3e7;  // between bursts and program, ns

/// A burst of ten between process 0 and each other one; each way takes the minimum delay plus up to `slack`.
void measure(World& world, double t, double slack, std::mt19937_64& random) {
  const auto delay = [&] {
    return World::delay + (slack > 0 ? std::exponential_distribution<double>(1 / slack)(random) : 0);
  };
  for (ProcessIndex p = 1; p < world.offsets.size(); ++p)
    for (int i = 0; i < 10; ++i) {
      const double there = t + delay();
      const double back = there + 500 + delay();
      world.samples.push_back(
          {p, 0, world.reading(0, t), world.reading(p, there), world.reading(p, there + 500), world.reading(0, back)});
      t = back + 1000;
    }
}

/// Before and after the program.
void measure_ends(World& world, double slack, std::uint64_t seed, double pause = short_pause) {
  std::mt19937_64 random(seed);
  measure(world, -pause, slack, random);
  measure(world, world.last + pause, slack, random);
}

WorldOptions slow_program(std::uint64_t seed) {
  WorldOptions options;
  options.seed = seed;
  options.rest = 200'000;
  return options;
}

/// Process p exchanges no messages.
void leave_out(World& world, ProcessIndex p) {
  for (clc::Event& event : world.events)
    if (event.process == p || event.peer == p) event.role = clc::Role::internal;
}

Estimate measured_alone(const World& world) {
  clc::sync::Collector collector;
  clc::sync::Matcher matcher(world.definitions, collector);
  for (const clc::Event& event : world.events) matcher.add(event);
  return map_measured({world.samples, {}}, collector, matcher.records(), world.offsets.size(),
                      world.definitions.resolution, {});
}

Estimate messages_alone(World world, Method method) {
  world.samples.clear();
  return estimate(world, method);
}

TEST_CASE("law: with exact bursts at both ends the truth lies within the bounds") {
  for (const Method method : {Method::line, Method::smooth})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO("seed " << seed);
      WorldOptions options = slow_program(seed);
      options.jitter = 500;
      options.one_way = seed % 2 == 0;
      World world = make_world(options);
      if (seed % 3 == 0) leave_out(world, 5);
      measure_ends(world, 0, seed);
      const Estimate found = estimate(world, method);
      REQUIRE(found.applied);
      CHECK(found.groups == 1);
      CHECK(found.measured.round_trips == 100);
      CHECK(beyond_bounds(world, found) <= 3);  // ticks
      for (const auto& clock : found.clocks) {
        CHECK(std::isfinite(clock.bound_us));
        CHECK(clock.measured);
        CHECK(clock.flag == clc::sync::Flag::ok);
      }
    }
}

TEST_CASE("law: messages and bursts together are no worse than the better of them", "[long]") {
  struct Case {
    bool one_way;
    bool alone;  ///< a process without messages
    double wave;
    double slack;
    double pause = short_pause;
  };
  // Where messages go one way and clocks swing in a long pause, messages alone may be better: see LIMITS of
  // clc-sync(1).
  for (const Case& one : {Case{false, false, 0, 3000},
                          {true, false, 0, 3000},
                          {true, false, 20'000, 300},
                          {false, true, 0, 1000},
                          {false, false, 20'000, 300},
                          {true, true, 0, 1000},
                          {false, false, 20'000, 300, 1.2e8},
                          {false, false, 20'000, 3000, 1.2e8},
                          {false, false, 20'000, 300, 5e8},
                          {true, false, 0, 3000, 1.2e8}}) {
    double both = 0;
    double bursts = 0;
    double messages = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      WorldOptions options = slow_program(seed);
      options.jitter = 1000;
      options.rounds = 1000;
      options.one_way = one.one_way;
      options.wave = one.wave;
      options.uneven = 3000;
      if (one.wave > 0) options.rest = 2e6;
      World world = make_world(options);
      if (one.alone) leave_out(world, 5);
      measure_ends(world, one.slack, seed, one.pause);
      both += std::pow(rms_error(world, estimate(world, Method::smooth)), 2);
      bursts += std::pow(rms_error(world, measured_alone(world)), 2);
      messages += std::pow(rms_error(world, messages_alone(world, Method::smooth)), 2);
    }
    INFO("one way " << one.one_way << ", alone " << one.alone << ", wave " << one.wave << ", pause " << one.pause
                    << ": both " << std::sqrt(both) << ", bursts " << std::sqrt(bursts) << ", messages "
                    << std::sqrt(messages));
    CHECK(std::sqrt(both) <= 1.05 * std::sqrt(std::min(bursts, messages)));
  }
}

TEST_CASE("law: offsets and rates added to clocks with bursts are added to the estimate") {
  WorldOptions options = slow_program(1);
  options.jitter = 500;
  options.one_way = true;
  const World world = make_world(options);
  Change change;
  change.offset = {100'000, -200'000, 300'000, 0, -400'000, 200'000};  // sum 0
  change.rate = {1e-5, -2e-5, 3e-5, 0, -4e-5, 2e-5};
  World other = changed(world, change);
  World with = world;
  measure_ends(with, 300, 1);
  measure_ends(other, 300, 1);
  for (const Method method : {Method::line, Method::smooth}) {
    const Estimate before = estimate(with, method);
    const Estimate after = estimate(other, method);
    check_added(before, after, change);
  }
}

TEST_CASE("law: a trace without messages is mapped by its bursts") {
  WorldOptions options;
  options.rest = 2e7;  // long, so that no rate that is expected before counts beside the measured one
  World world = make_world(options);
  for (ProcessIndex p = 0; p < 6; ++p) leave_out(world, p);
  measure_ends(world, 0, 1);
  const Estimate found = estimate(world, Method::smooth);
  REQUIRE(found.applied);
  CHECK(worst_error(world, found) <= 3);  // ticks
  // A burst alone proves no rate.
  world.samples.resize(world.samples.size() / 2);
  CHECK(!estimate(world, Method::smooth).rates);
}

TEST_CASE("law: impossible round trips are left out") {
  World world = make_world({});
  const Estimate before = estimate(world, Method::smooth);
  const clc::Time t = world.reading(0, 0);
  world.samples = {{1, 0, t + 10, t, t, t}, {2, 0, t, t + 9, t, t + 20}, {3, 3, t, t, t, t}};
  const Estimate after = estimate(world, Method::smooth);
  CHECK(after.measured.round_trips == 0);
  for (std::size_t p = 0; p < 6; ++p) CHECK(after.clocks[p].map.points() == before.clocks[p].map.points());
}

}  // namespace
