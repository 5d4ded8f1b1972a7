// Intervals that contain the errors of estimated clocks: against the truth, and against all shortest paths.
#include "sync/bounds.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "world.hpp"

namespace {

using namespace clc::sync;  // NOLINT

/// Clocks whose errors wander by at most a step from window to window, and the delays of messages between them.
struct Wander {
  static constexpr double step = 1e-6;  // windows of 1 s, 1 ppm
  std::size_t clocks;
  std::size_t windows;
  std::vector<std::vector<double>> errors;  // [window][clock]
  std::vector<Direction> directions;
  Groups groups;

  explicit Wander(std::uint64_t seed, double min_delay) {
    std::mt19937_64 random(seed);
    const auto real = [&](double low, double high) {
      return low + (high - low) * static_cast<double>(random() >> 11) / 9007199254740992.0;
    };
    clocks = 2 + random() % 5;
    windows = 1 + random() % 5;
    errors.assign(windows, std::vector<double>(clocks));
    for (std::size_t clock = 0; clock < clocks; ++clock) errors[0][clock] = real(-1e-5, 1e-5);
    for (std::size_t window = 1; window < windows; ++window)
      for (std::size_t clock = 0; clock < clocks; ++clock)
        // Relative to the reference, whichever that is, by at most a step.
        errors[window][clock] = errors[window - 1][clock] + real(-step / 2, step / 2);
    for (ClockIndex from = 0; from < clocks; ++from)
      for (ClockIndex to = 0; to < clocks; ++to) {
        if (from == to || random() % 3 == 0) continue;
        Direction direction{from, to, {}};
        for (std::size_t window = 0; window < windows; ++window)
          if (random() % 4 != 0)
            direction.minima.push_back({static_cast<double>(window) + 0.5,
                                        min_delay + real(0, 2e-5) + errors[window][to] - errors[window][from],
                                        static_cast<std::uint32_t>(window), true});
        if (!direction.minima.empty()) directions.push_back(direction);
      }
    groups = {std::vector<std::uint32_t>(clocks, 0), {0}, {static_cast<std::uint32_t>(clocks)}};
  }
  [[nodiscard]] ErrorBounds bounds(double min_delay) const {
    return error_bounds(directions, groups, {0, 1, windows}, min_delay, step);
  }
};

TEST_CASE("bounds: contain the truth in each window, for each clock") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const double min_delay = seed % 2 == 0 ? 0 : 5e-6;
    const Wander world(seed, min_delay);
    const ErrorBounds found = world.bounds(min_delay);
    CHECK(!found.contradiction);
    const ClockIndex reference = found.reference[0];
    for (std::size_t window = 0; window < world.windows; ++window)
      for (std::size_t clock = 0; clock < world.clocks; ++clock) {
        const double error = world.errors[window][clock] - world.errors[window][reference];
        CHECK(found.windows[window][clock].low <= error + 1e-15);
        CHECK(found.windows[window][clock].high >= error - 1e-15);
      }
  }
}

TEST_CASE("bounds: are all shortest paths") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    const Wander world(seed, 0);
    const ErrorBounds found = world.bounds(0);
    // Floyd and Warshall over clocks and windows; the reference is one place in all windows.
    const std::size_t n = world.clocks * world.windows;
    std::vector<std::vector<double>> length(n, std::vector<double>(n, HUGE_VAL));
    const auto place = [&](std::size_t window, std::size_t clock) { return window * world.clocks + clock; };
    const auto connect = [&](std::size_t from, std::size_t to, double by) {
      length[from][to] = std::min(length[from][to], by);
    };
    for (std::size_t i = 0; i < n; ++i) length[i][i] = 0;
    for (std::size_t window = 1; window < world.windows; ++window)
      for (std::size_t clock = 0; clock < world.clocks; ++clock) {
        const double by = clock == found.reference[0] ? 0 : Wander::step;
        connect(place(window - 1, clock), place(window, clock), by);
        connect(place(window, clock), place(window - 1, clock), by);
      }
    for (const Direction& direction : world.directions)
      for (const Minimum& minimum : direction.minima)
        connect(place(minimum.window, direction.from), place(minimum.window, direction.to),
                minimum.delay + Wander::step);
    for (std::size_t middle = 0; middle < n; ++middle)
      for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to) connect(from, to, length[from][middle] + length[middle][to]);
    const std::size_t zero = found.reference[0];
    for (std::size_t window = 0; window < world.windows; ++window)
      for (std::size_t clock = 0; clock < world.clocks; ++clock) {
        const double high = length[place(0, zero)][place(window, clock)];
        const double low = -length[place(window, clock)][place(0, zero)];
        if (std::isinf(high)) CHECK(std::isinf(found.windows[window][clock].high));
        if (std::isinf(low)) CHECK(std::isinf(found.windows[window][clock].low));
        if (!std::isinf(high)) CHECK(found.windows[window][clock].high == Approx(high).margin(1e-15));
        if (!std::isinf(low)) CHECK(found.windows[window][clock].low == Approx(low).margin(1e-15));
      }
  }
}

TEST_CASE("bounds: a minimum delay that is too large contradicts the messages") {
  const Wander world(8, 5e-6);
  CHECK(world.bounds(1e-3).contradiction);
}

TEST_CASE("bounds: hold for estimated clocks") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    clc::test::WorldOptions options;
    options.seed = seed;
    options.jitter = 1000;
    options.allreduce = seed % 2 == 0;
    const clc::test::World world = clc::test::make_world(options);
    const Estimate found = clc::test::estimate(world, Method::smooth);
    REQUIRE(found.applied);
    CHECK(!found.contradiction);
    const ClockIndex reference = found.references[0];
    double widest = 0;
    const auto mapped = [&](std::size_t clock, double time) {
      const double read = (1 + world.rates[clock]) * time + world.offsets[clock];
      return static_cast<double>(found.clocks[clock].map.at(clc::Time(std::llround(read))).ticks());
    };
    const double last = static_cast<double>(world.events.back().time.ticks());
    for (std::size_t clock = 0; clock < found.clocks.size(); ++clock) {
      widest = std::max(widest, found.clocks[clock].bound_us);
      for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9})
        CHECK(std::abs(mapped(clock, share * last) - mapped(reference, share * last)) <=
              found.clocks[clock].bound_us * 1000 + 2);
    }
    CHECK(found.clocks[reference].bound_us == 0);
    CHECK(widest < 30);  // round trips are 10 us, and the farthest clock is three messages away
  }
}

TEST_CASE("bounds: a clock without messages leaves those of the others as they are") {
  clc::test::WorldOptions options;
  options.jitter = 1000;
  clc::test::World world = clc::test::make_world(options);
  const Estimate before = clc::test::estimate(world, Method::smooth);
  world.definitions.add_process(6, "silent");
  world.offsets.push_back(0);
  world.rates.push_back(0);
  const Estimate after = clc::test::estimate(world, Method::smooth);
  for (std::size_t clock = 0; clock < 6; ++clock) {
    CHECK(std::isfinite(before.clocks[clock].bound_us));
    CHECK(after.clocks[clock].bound_us == before.clocks[clock].bound_us);
  }
}

}  // namespace
