// Laws of simulated clocks.
#include "clock.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace clc::tracegen {
namespace {

constexpr Ticks second = 1'000'000'000;
const Resolution nanoseconds(second);

/// Bad in every way, more or less.
ClockErrors random_errors(std::mt19937_64& random) {
  const auto some = [&](double most) {
    return random() % 2 == 0 ? 0 : most * static_cast<double>(random() % 1000) / 1000;
  };
  ClockErrors errors;
  errors.offset_us = some(1e6);
  errors.drift_ppm = some(1000);
  errors.wander_ppm = some(100);
  errors.temperature_ppm = some(100);
  errors.temperature_period_s = 0.1 + some(2);
  errors.steps = random() % 2 == 0 ? 0 : random() % 50;
  errors.step_us = some(1000);
  errors.resync_period_s = some(1);
  errors.resync_us = some(100);
  errors.ntp_period_s = some(1);
  errors.ntp_us = some(100);
  errors.tick_us = some(10'000);
  return errors;
}

}  // namespace

TEST_CASE("a clock without errors shows true time, exactly") {
  Clock clock({}, {}, nanoseconds, 100 * second, 1, 0);
  for (const Ticks t : {Ticks{0}, Ticks{1}, Ticks{999}, 7 * second, (Ticks{1} << 53) + 1, (Ticks{1} << 62) + 3})
    CHECK(clock.read(t) == t);
}

TEST_CASE("no clock runs backwards, and reading changes nothing") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const ClockErrors errors = random_errors(random);
    Clock often(errors, {}, nanoseconds, 10 * second, seed, 3);
    Clock seldom(errors, {}, nanoseconds, 10 * second, seed, 3);
    Ticks t = 0;
    Ticks last = ticks_min;
    bool stood = false;
    for (int i = 0; i < 2000; ++i) {
      t += static_cast<Ticks>(random() % 10'000'000);
      const Ticks now = often.read(t);
      INFO("seed " << seed << ", true time " << t);
      REQUIRE(now >= last);
      stood = stood || now == last;
      last = now;
      // Only a step backwards makes what was read before count.
      const bool stepped = errors.steps > 0 || errors.resync_period_s > 0;
      if (i % 17 == 0 && !stepped) REQUIRE(seldom.read(t) == now);
    }
    REQUIRE(often.read_no_earlier(t - 1000) == last);
  }
}

TEST_CASE("a clock that is set back shows what another one waits for") {
  bool set_back = false;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    ClockErrors errors = random_errors(random);
    Clock waits(errors, {}, nanoseconds, 10 * second, seed, 3);
    errors.set_back = true;
    Clock shows(errors, {}, nanoseconds, 10 * second, seed, 3);
    Ticks t = 0;
    Ticks largest = ticks_min;
    for (int i = 0; i < 2000; ++i) {
      t += static_cast<Ticks>(random() % 10'000'000);
      const Ticks now = shows.read(t);
      set_back = set_back || now < largest;
      largest = std::max(largest, now);
      INFO("seed " << seed << ", true time " << t);
      REQUIRE(waits.read(t) == largest);
      REQUIRE(shows.read_no_earlier(t - 1000) == largest);
    }
  }
  REQUIRE(set_back);
}

TEST_CASE("drift and offset are a straight line") {
  ClockPlan plan;
  plan.offset_ticks = -12345.5;
  plan.rate = 25e-6;
  Clock clock({}, plan, nanoseconds, second, 1, 0);
  for (Ticks t = 0; t < 100 * second; t += 123'456'789) {
    const long double exact = static_cast<long double>(t) * (1 + 25e-6L) - 12345.5L;
    REQUIRE(clock.read(t) == static_cast<Ticks>(std::floor(exact)));
  }
}

TEST_CASE("offset and drift stay within their limits and fill them") {
  double lowest = 0;
  double highest = 0;
  for (std::uint64_t process = 0; process < 1000; ++process) {
    ClockErrors errors;
    errors.offset_us = 100;
    errors.drift_ppm = 10;
    Clock clock(errors, {}, nanoseconds, second, 9, process);
    const auto start = static_cast<double>(clock.read(0));
    const auto end = static_cast<double>(clock.read(second) - second);
    REQUIRE(std::abs(start) <= 100'001);
    REQUIRE(std::abs(end - start) <= 10'001);
    lowest = std::min(lowest, start);
    highest = std::max(highest, end - start);
  }
  CHECK(lowest < -98'000);
  CHECK(highest > 9'800);
}

TEST_CASE("a coarse clock shows multiples of its tick, late by less than a tick") {
  ClockErrors errors;
  errors.tick_us = 10'000;
  constexpr Ticks tick = 10'000'000;
  bool differ = false;
  Ticks first = -1;
  for (std::uint64_t process = 0; process < 20; ++process) {
    Clock clock(errors, {}, nanoseconds, second, 4, process);
    const Ticks phase = ((clock.read(0) % tick) + tick) % tick;
    if (first < 0) first = phase;
    differ = differ || phase != first;
    for (Ticks t = 0; t < second; t += 777'777) {
      const Ticks now = clock.read(t);
      REQUIRE((now - phase) % tick == 0);
      REQUIRE(t - now >= 0);
      REQUIRE(t - now < tick);
    }
  }
  CHECK(differ);
}

TEST_CASE("a step backwards makes the clock stand still until it has caught up") {
  ClockErrors errors;
  errors.steps = 20;
  errors.step_us = 1000;
  bool forward = false;
  bool still = false;
  for (std::uint64_t process = 0; process < 10; ++process) {
    Clock clock(errors, {}, nanoseconds, second, 5, process);
    Ticks before = clock.read(0);
    for (Ticks t = 1000; t < second; t += 1000) {
      const Ticks now = clock.read(t);
      forward = forward || now - before > 1000;
      still = still || now == before;
      REQUIRE(now - before <= 1'000'000 + 1000);
      before = now;
    }
    CHECK(std::abs(before - second) < 20 * 1'000'000);
  }
  CHECK(forward);
  CHECK(still);
}

TEST_CASE("wander grows as the square root of time") {
  ClockErrors errors;
  errors.wander_ppm = 1;
  double after_one = 0;
  double after_nine = 0;
  constexpr int clocks = 1000;
  for (std::uint64_t process = 0; process < clocks; ++process) {
    Clock clock(errors, {}, nanoseconds, 10 * second, 6, process);
    const auto rate_at = [&](Ticks t) {
      const Ticks a = clock.read(t);
      return static_cast<double>(clock.read(t + 5'000'000) - a - 5'000'000) / 5'000'000 * 1e6;
    };
    const double one = rate_at(second);
    const double nine = rate_at(9 * second);
    after_one += one * one;
    after_nine += nine * nine;
  }
  CHECK(std::sqrt(after_one / clocks) == Approx(1).epsilon(0.1));
  CHECK(std::sqrt(after_nine / clocks) == Approx(3).epsilon(0.1));
}

TEST_CASE("temperature comes and goes") {
  ClockErrors errors;
  errors.temperature_ppm = 5;
  errors.temperature_period_s = 4;
  Ticks after_half = 0;
  for (std::uint64_t process = 0; process < 50; ++process) {
    Clock clock(errors, {}, nanoseconds, 10 * second, 7, process);
    Clock halfway(errors, {}, nanoseconds, 10 * second, 7, process);
    after_half = std::max(after_half, std::abs(halfway.read(2 * second) - 2 * second));
    double largest = 0;
    for (Ticks t = 0; t < 4 * second; t += second / 100) {
      const Ticks a = clock.read(t);
      const Ticks b = clock.read(t + second / 200);
      largest = std::max(largest, std::abs(static_cast<double>(b - a - second / 200)) / (second / 200.0) * 1e6);
    }
    CHECK(largest == Approx(5).epsilon(0.01));
    const Ticks after_one_period = clock.read(4 * second) - 4 * second;
    CHECK(std::abs(after_one_period) < 10);
  }
  CHECK(static_cast<double>(after_half) == Approx(5e-6 * 4e9 / std::acos(-1)).epsilon(0.02));  // of the best phase
}

TEST_CASE("synchronisation bounds the offset") {
  ClockErrors errors;
  errors.drift_ppm = 50;
  for (std::uint64_t process = 0; process < 50; ++process) {
    errors.resync_period_s = 1;
    errors.resync_us = 1.1;
    errors.ntp_period_s = 0;
    Clock set(errors, {}, nanoseconds, 20 * second, 8, process);  // [R fig. 7.1]
    errors.resync_period_s = 0;
    errors.ntp_period_s = 1;
    errors.ntp_us = 10;
    Clock slewed(errors, {}, nanoseconds, 20 * second, 8, process);
    Clock slewed_again(errors, {}, nanoseconds, 20 * second, 8, process);
    for (Ticks t = 2 * second; t < 20 * second; t += 10'000'000) {
      REQUIRE(std::abs(set.read(t) - t) <= 51'200);
      REQUIRE(std::abs(slewed.read(t) - t) <= 150'000);
      // The daemon bends the clock by at most 500 ppm beyond its drift.
      const Ticks a = slewed_again.read(t);
      REQUIRE(std::abs(slewed_again.read(t + 1'000'000) - a - 1'000'000) <= 552);
    }
  }
}

}  // namespace clc::tracegen
