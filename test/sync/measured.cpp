// Measured offsets: bursts of round trips, and the map made from them.
#include "sync/measured.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "clc/event.hpp"
#include "sync/matcher.hpp"

namespace {

using namespace clc::sync;  // NOLINT
using clc::Ticks;
using clc::Time;

constexpr clc::Resolution nanoseconds;

/// Clocks C = zero + (1 + rate) t, and round trips between them.
class Bench {
 public:
  explicit Bench(std::uint64_t seed, std::size_t clocks, double drift = 0, Ticks zeros = 0) : random_(seed) {
    for (std::size_t i = 0; i < clocks; ++i) {
      definitions_.add_process(i, "");
      rates_.push_back(real(-drift, drift));
      zeros_.push_back(Time(zeros == 0 ? 0 : static_cast<Ticks>(random_() >> 1) % zeros - zeros / 2));
    }
  }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  [[nodiscard]] Time read(ClockIndex clock, double t) const {
    return zeros_[clock] + static_cast<Ticks>(std::llround(t + rates_[clock] * t));
  }
  /// A burst at a time, with delays of at least 5,000 ticks plus up to `slack`; asymmetric unless slack is 0.
  void burst(ClockIndex clock, ClockIndex reference, double t, int count, double slack) {
    for (int i = 0; i < count; ++i) {
      const double received = t + 5000 + (slack > 0 ? real(0, slack) : 0);
      const double back = received + 1000 + 5000 + (slack > 0 ? real(0, slack) : 0);
      samples.samples.push_back({clock, reference, read(reference, t), read(clock, received),
                                 read(clock, received + 1000), read(reference, back)});
      t = back + 1000;
    }
  }
  [[nodiscard]] Estimate estimate(double last, Options options = {}) const {
    Collector collector;
    Matcher matcher(definitions_, collector);
    for (ClockIndex clock = 0; clock < rates_.size(); ++clock)
      for (const double t : {0.0, last}) {
        clc::Event event;
        event.process = clock;
        event.time = read(clock, t);
        matcher.add(event);
      }
    return map_measured(samples, collector, matcher.records(), rates_.size(), nanoseconds, options);
  }
  /// Largest difference of two mapped clocks at one true time.
  [[nodiscard]] Ticks worst(const Estimate& estimate, double last) const {
    Ticks worst = 0;
    for (int i = 0; i <= 20; ++i) {
      const double t = last * i / 20;
      Time low = Time::latest();
      Time high = Time::earliest();
      for (ClockIndex clock = 0; clock < rates_.size(); ++clock) {
        const Time mapped = estimate.clocks[clock].map.at(read(clock, t));
        low = std::min(low, mapped);
        high = std::max(high, mapped);
      }
      worst = std::max(worst, high - low);
    }
    return worst;
  }

  Measurements samples;

 private:
  std::mt19937_64 random_;
  clc::Definitions definitions_;
  std::vector<double> rates_;
  std::vector<Time> zeros_;
};

double offset_of(const BurstPoint& point) { return static_cast<double>(point.offset.offset) + point.offset.fraction; }

TEST_CASE("measured: the error of a burst is at most what it says, by any rule") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Bench bench(seed, 2);
    const auto count = static_cast<int>(1 + seed % 30);
    bench.burst(1, 0, 1e6, count, 4000);
    const double min_delay = seed % 2 == 0 ? 0 : 5000;
    // The clocks are equal: what is found is the error.
    double shortest = 0;
    for (const BurstRule rule : {BurstRule::shortest, BurstRule::near, BurstRule::mean}) {
      const BurstPoint point = evaluate(bench.samples.samples, rule, min_delay, nanoseconds);
      CHECK(std::abs(offset_of(point)) <= point.error + 0.5);
      if (rule == BurstRule::shortest) shortest = point.error;
      CHECK(point.error >= shortest - 1e-9);
    }
  }
}

TEST_CASE("measured: rules take the samples that they name") {
  // Round trips of 10,000, 10,150, 10,151, 20,000 and 20,001 ticks, with offsets of 0, 2, 4, 8 and 16.
  std::vector<Sample> samples;
  const Ticks trips[] = {10'000, 10'150, 10'152, 20'000, 20'002};
  Time start;
  Ticks offset = 0;
  for (const Ticks trip : trips) {
    const Time t2 = start + trip / 2 - offset;
    samples.push_back({1, 0, start, t2, t2 + 100, start + trip + 100});
    start = start + trip + 1000;
    offset = offset == 0 ? 2 : 2 * offset;
  }
  std::reverse(samples.begin(), samples.end());  // their order means nothing
  CHECK(offset_of(evaluate(samples, BurstRule::shortest, 0, nanoseconds)) == 0);
  CHECK(offset_of(evaluate(samples, BurstRule::near, 0, nanoseconds)) == 1);
  CHECK(offset_of(evaluate(samples, BurstRule::mean, 0, nanoseconds)) == 3.5);
  CHECK(evaluate(samples, BurstRule::shortest, 1000, nanoseconds).error == 4000);
}

TEST_CASE("measured: half ticks count") {
  const std::vector<Sample> samples{{1, 0, Time(0), Time(10), Time(10), Time(5)}};
  const BurstPoint point = evaluate(samples, BurstRule::shortest, 0, nanoseconds);
  CHECK(point.offset.offset == -8);
  CHECK(point.offset.fraction == 0.5);
  CHECK(point.error == 2.5);
}

TEST_CASE("measured: two bursts find straight clocks to some ticks, however far apart they are") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    constexpr double last = 1e10;
    Bench bench(seed, 5, 1e-4, seed % 2 == 0 ? Ticks{1} << 60 : 10'000'000);
    for (ClockIndex clock = 1; clock < 5; ++clock) {
      bench.burst(clock, 0, 0, 5, 0);
      bench.burst(clock, 0, last, 5, 0);
    }
    const Estimate found = bench.estimate(last);
    REQUIRE(!found.failure);
    CHECK(found.applied);
    CHECK(found.groups == 1);
    // Readings are rounded, sums of them and mapped times, too; a millisecond of bursts at 100 ppm is exact.
    CHECK(bench.worst(found, last) <= 4);
    for (const ClockEstimate& clock : found.clocks) CHECK(clock.flag == Flag::ok);
  }
}

TEST_CASE("measured: the map is off by at most the bound") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    constexpr double last = 1e9;
    Bench bench(seed, 4, 0, 10'000'000);
    for (ClockIndex clock = 1; clock < 4; ++clock)
      // Each against the one before it: errors add up.
      for (const double t : {0.0, last / 2, last}) bench.burst(clock, clock - 1, t, 5, 3000);
    Options options;
    options.min_delay_us = 5;
    const Estimate found = bench.estimate(last, options);
    REQUIRE(!found.failure);
    // Between equal rates, a line between points that are off by at most the bound is, too.
    double bound = 0;
    for (const ClockEstimate& clock : found.clocks) bound = std::max(bound, clock.bound_us);
    CHECK(static_cast<double>(bench.worst(found, last)) <= bound * 1000 + 4);
    CHECK(found.clocks[3].bound_us >= found.clocks[1].bound_us);
    CHECK(found.clocks[0].bound_us == 0);
  }
}

TEST_CASE("measured: the bound of a point holds where its reference was measured at other times") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    constexpr double last = 1e9;
    Bench bench(seed, 3, 0, 10'000'000);
    for (const double t : {0.0, last / 5}) bench.burst(1, 0, t, 5, 3000);
    const std::vector<double> times{last / 20, last / 2, last};
    for (const double t : times) bench.burst(2, 1, t, 5, 3000);
    Options options;
    options.min_delay_us = 5;
    const Estimate found = bench.estimate(last, options);
    REQUIRE(!found.failure);
    for (const double t : times) {
      const Ticks error = found.clocks[2].map.at(bench.read(2, t)) - found.clocks[0].map.at(bench.read(0, t));
      CHECK(static_cast<double>(std::abs(error)) <= found.clocks[2].bound_us * 1000 + 4);
    }
  }
}

TEST_CASE("measured: of two points of the reference the nearer one counts more in a bound") {
  Bench bench(5, 3);
  constexpr double last = 1e9;
  bench.burst(1, 0, 0, 1, 1e6);
  bench.burst(1, 0, last, 1, 0);
  const double coarse = static_cast<double>(bench.samples.samples.front().round_trip()) / 2000;
  bench.burst(2, 1, 0.6 * last, 1, 0);
  bench.burst(2, 1, 0.9 * last, 1, 0);
  const Estimate found = bench.estimate(last);
  CHECK(found.clocks[1].bound_us == Approx(coarse));
  // Round trips without slack are off by at most 5 us.
  CHECK(found.clocks[2].bound_us == Approx(5 + 0.6 * 5 + 0.4 * coarse).epsilon(1e-3));
}

TEST_CASE("measured: impossible times do no harm") {
  std::mt19937_64 random(11);
  const Ticks extremes[] = {clc::ticks_min, clc::ticks_min + 1, -1, 0, 1, clc::ticks_max - 1, clc::ticks_max};
  for (int round = 0; round < 500; ++round) {
    Bench bench(static_cast<std::uint64_t>(round), 3);
    const auto any = [&] { return Time(extremes[random() % std::size(extremes)]); };
    for (int i = 0; i < 4; ++i)
      bench.samples.samples.push_back(
          {static_cast<ClockIndex>(random() % 3), static_cast<ClockIndex>(random() % 3), any(), any(), any(), any()});
    Options options;
    options.burst = static_cast<BurstRule>(round % 3);
    const Estimate found = bench.estimate(1e6, options);
    CHECK((found.failure.has_value() || found.applied));
  }
}

TEST_CASE("measured: a single burst is a constant") {
  Bench bench(3, 2, 1e-4);
  bench.burst(1, 0, 0, 50, 1000);
  const Estimate found = bench.estimate(1e10);
  CHECK(found.clocks[1].map.points().size() == 1);
  CHECK(found.clocks[1].rate_ppm == 0);
}

TEST_CASE("measured: a burst lasts as long as its round trips follow each other without a pause") {
  Bench bench(3, 2);
  constexpr double pause = 1e8;
  for (int i = 0; i < 10; ++i) bench.burst(1, 0, i * 0.8 * pause, 1, 0);
  CHECK(bench.estimate(1e10).clocks[1].map.points().size() == 1);
  bench.burst(1, 0, 9 * 0.8 * pause + 1.2 * pause, 1, 0);
  CHECK(bench.estimate(1e10).clocks[1].map.points().size() == 2);
}

TEST_CASE("measured: nothing is proven of clocks that were measured at one time only, or whose reference was") {
  Bench bench(3, 4, 1e-4);
  bench.burst(1, 0, 0, 50, 1000);
  for (const double t : {0.0, 1e10}) {
    bench.burst(2, 1, t, 50, 1000);
    bench.burst(3, 0, t, 50, 1000);
  }
  const Estimate found = bench.estimate(1e10);
  for (const ClockIndex once : {ClockIndex{1}, ClockIndex{2}}) {
    CHECK(found.clocks[once].flag == Flag::measured_once);
    CHECK(std::isinf(found.clocks[once].bound_us));
    CHECK(std::isinf(found.clocks[once].error_us));
  }
  CHECK(found.clocks[3].flag == Flag::ok);
  CHECK(found.clocks[3].bound_us < 10);
}

TEST_CASE("measured: references in a circle, and no measurements, have no map") {
  Bench circle(5, 3);
  circle.burst(1, 2, 0, 3, 0);
  circle.burst(2, 1, 0, 3, 0);
  const Estimate found = circle.estimate(1e6);
  REQUIRE(found.failure);
  CHECK(found.failure->cause == NoSolution::Cause::circle);
  CHECK(std::pair(found.failure->first, found.failure->second) == std::pair(ClockIndex{1}, ClockIndex{2}));

  Bench nothing(5, 3);
  nothing.samples.samples.push_back({1, 0, Time(10), Time(0), Time(0), Time(5)});  // back before it was sent
  REQUIRE(nothing.estimate(1e6).failure);
  CHECK(nothing.estimate(1e6).failure->cause == NoSolution::Cause::not_measured);
}

TEST_CASE("measured: clocks without measurements keep their times") {
  Bench bench(7, 3, 0, 1000);
  bench.burst(1, 0, 0, 3, 0);
  const Estimate found = bench.estimate(1e6);
  CHECK(found.clocks[2].flag == Flag::not_measured);
  CHECK(found.clocks[1].flag == Flag::measured_once);
}

TEST_CASE("measured: given points are the map, where there are no samples") {
  Bench bench(7, 3);
  bench.burst(1, 0, 0, 3, 0);
  bench.samples.points.push_back({1, {Time(0), 5000, 0}});
  bench.samples.points.push_back({2, {Time(0), 5000, 0}});
  bench.samples.points.push_back({2, {Time(1'000'000), 7000, 0}});
  const Estimate found = bench.estimate(1e6);
  CHECK(found.clocks[1].map.at(Time(500'000)) == Time(500'000));
  CHECK(found.clocks[2].map.at(Time(500'000)) == Time(506'000));
  CHECK(std::isnan(found.clocks[2].bound_us));
}

TEST_CASE("measured: nothing is mapped to before the first record") {
  Bench bench(9, 2);
  bench.samples.points.push_back({1, {Time(0), -3000, 0}});
  const Estimate found = bench.estimate(1e6);
  CHECK(found.clocks[1].map.at(Time(0)) == Time(0));
  CHECK(found.clocks[0].map.at(Time(0)) == Time(3000));
}

}  // namespace
