// What must hold for all estimates.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "world.hpp"

namespace {

using namespace clc::test;  // NOLINT
using clc::sync::Estimate;
using clc::sync::Method;

constexpr Method methods[] = {Method::line, Method::smooth};

/// Largest difference of two estimates of the clocks' offsets at their ends, us.
double differ(const clc::sync::ClockEstimate& a, const clc::sync::ClockEstimate& b) {
  return std::max(std::abs(a.first_us - b.first_us), std::abs(a.last_us - b.last_us));
}

TEST_CASE("law: straight clocks with constant delays are found to some ticks") {
  for (const Method method : methods)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      WorldOptions options;
      options.seed = seed;
      options.allreduce = seed % 2 == 0;
      const World world = make_world(options);
      const Estimate found = estimate(world, method);
      REQUIRE(found.applied);
      CHECK(found.rates);
      CHECK(worst_error(world, found) <= 120);  // of offsets of some 10^6
    }
}

TEST_CASE("law: with a bandwidth, messages that are longer one way do not move clocks") {
  const clc::Transfer transfer(1000, clc::Resolution(1'000'000'000));  // a byte in a tick
  for (const Method method : methods)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      World world = make_world({.seed = seed});
      for (clc::Event& event : world.events) {
        event.bytes = event.process < event.peer ? 4000 : 0;
        if (event.role == clc::Role::send) event.time = event.time - transfer.of(event.bytes);
      }
      std::stable_sort(world.events.begin(), world.events.end(),
                       [](const clc::Event& a, const clc::Event& b) { return a.time < b.time; });
      CHECK(worst_error(world, estimate(world, method, 0, transfer)) <= 120);
      CHECK(worst_error(world, estimate(world, method)) > 1000);
    }
}

TEST_CASE("law: the estimate is better than the jitter of the messages") {
  for (const Method method : methods)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      WorldOptions options;
      options.seed = seed;
      options.jitter = 2000;
      const World world = make_world(options);
      CHECK(worst_error(world, estimate(world, method)) < 2000);
    }
}

TEST_CASE("law: a ring of messages one way is found by the time that a round takes") {
  WorldOptions options;
  options.one_way = true;
  const World world = make_world(options);
  const Estimate found = estimate(world, Method::line);
  CHECK(worst_error(world, found) < 700);  // a message takes 5,000
  for (const auto& clock : found.clocks) CHECK(clock.flag == clc::sync::Flag::one_way);
}

TEST_CASE("law: offsets added to clocks are added to the estimate") {
  for (const Method method : methods) {
    WorldOptions options;
    options.jitter = 500;
    const World world = make_world(options);
    Change change;
    change.offset = {100'000, -200'000, 300'000, 0, -400'000, 200'000};  // sum 0
    const Estimate before = estimate(world, method);
    const Estimate after = estimate(changed(world, change), method);
    for (std::size_t i = 0; i < before.clocks.size(); ++i)
      CHECK(after.clocks[i].first_us - before.clocks[i].first_us == Approx(change.offset[i] / 1000).margin(0.15));
  }
}

TEST_CASE("law: clocks are ahead of the mean of all by what they differ, be it hours or a year") {
  for (const Method method : methods)
    for (const double ns : {7.2e12, 3.1536e16}) {
      const World world = make_world({.jitter = 500});
      Change change;
      change.offset = {ns, 0, 0, 0, 0, 0};
      const Estimate before = estimate(world, method);
      const Estimate after = estimate(changed(world, change), method);
      double sum = 0;
      for (std::size_t i = 0; i < before.clocks.size(); ++i) {
        const double added = (change.offset[i] - ns / 6) / 1000;
        CHECK(after.clocks[i].first_us - before.clocks[i].first_us == Approx(added).margin(0.5).epsilon(1e-15));
        sum += after.clocks[i].first_us;
      }
      CHECK(std::abs(sum) < 1);
    }
}

TEST_CASE("law: rates added to clocks are added to the estimate") {
  WorldOptions options;
  options.jitter = 500;
  const World world = make_world(options);
  Change change;
  change.rate = {1e-5, -2e-5, 3e-5, 0, -4e-5, 2e-5};
  const Estimate before = estimate(world, Method::line);
  const Estimate after = estimate(changed(world, change), Method::line);
  for (std::size_t i = 0; i < before.clocks.size(); ++i)
    CHECK(after.clocks[i].rate_ppm - before.clocks[i].rate_ppm == Approx(change.rate[i] * 1e6).margin(5));
}

TEST_CASE("law: numbers of processes mean nothing") {
  for (const Method method : methods) {
    WorldOptions options;
    options.jitter = 500;
    options.allreduce = true;
    const World world = make_world(options);
    Change change;
    change.place = {3, 5, 0, 2, 1, 4};
    const Estimate before = estimate(world, method);
    const Estimate after = estimate(changed(world, change), method);
    for (std::size_t i = 0; i < before.clocks.size(); ++i)
      CHECK(differ(before.clocks[i], after.clocks[change.place[i]]) < 0.01);
  }
}

TEST_CASE("law: the same edges give the same estimate, bit for bit") {
  WorldOptions options;
  options.jitter = 500;
  const World world = make_world(options);
  const Estimate one = estimate(world, Method::smooth);
  const Estimate other = estimate(world, Method::smooth);
  for (std::size_t i = 0; i < one.clocks.size(); ++i) CHECK(one.clocks[i].map.points() == other.clocks[i].map.points());
}

TEST_CASE("law: a trace whose clocks are right is left alone") {
  for (const Method method : methods) {
    WorldOptions options;
    options.offset = options.drift = 0;
    options.jitter = 500;
    const Estimate found = estimate(make_world(options), method);
    CHECK(!found.applied);
    for (const auto& clock : found.clocks) CHECK(clock.map.points().empty());
  }
}

TEST_CASE("law: offsets that no message contradicts are applied if they are known") {
  for (const Method method : methods)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      WorldOptions options;
      options.offset = 2000;  // delays are 5000
      options.drift = 0;
      options.jitter = 300;
      options.seed = seed;
      const World world = make_world(options);
      const Estimate found = estimate(world, method);
      CHECK(found.recorded.violated == 0);
      REQUIRE(found.applied);
      CHECK(worst_error(world, found) < 300);
      options.one_way = true;  // rests on an assumed delay
      CHECK(!estimate(make_world(options), method).applied);
    }
}

/// How far the clocks are ahead of true time, from the earliest to the latest moment: the largest change of one clock.
double largest_change(const World& world) {
  std::vector<std::pair<double, double>> range(world.offsets.size(), {HUGE_VAL, -HUGE_VAL});
  for (const clc::Event& event : world.events) {
    const double ahead = static_cast<double>(event.time.ticks()) - static_cast<double>(event.bytes);
    auto& [low, high] = range[event.process];
    low = std::min(low, ahead);
    high = std::max(high, ahead);
  }
  double largest = 0;
  for (const auto& [low, high] : range) largest = std::max(largest, high - low);
  return largest;
}

/// The same of the mean of the mapped clocks, from the moment on at which all have a record. In order of true time.
double change_of_mean(World world, const Estimate& found) {
  std::stable_sort(world.events.begin(), world.events.end(),
                   [](const clc::Event& a, const clc::Event& b) { return a.bytes < b.bytes; });
  std::vector<double> ahead(world.offsets.size(), HUGE_VAL);
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const clc::Event& event : world.events) {
    const auto mapped = static_cast<double>(found.clocks[event.process].map.at(event.time).ticks());
    ahead[event.process] = mapped - static_cast<double>(event.bytes);
    const double mean = std::accumulate(ahead.begin(), ahead.end(), 0.0) / static_cast<double>(ahead.size());
    if (!std::isfinite(mean)) continue;
    low = std::min(low, mean);
    high = std::max(high, mean);
  }
  return high - low;
}

/// Each clock is set twice in the run, to within +-`size` ns of true time.
void set_clocks(World& world, double size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> within(-size, size);
  std::vector<std::array<double, 2>> to(world.offsets.size());
  for (auto& of : to) of = {within(random), within(random)};
  for (clc::Event& event : world.events) {
    const double part = static_cast<double>(event.bytes) / world.last * 3;
    if (part < 1) continue;
    const double ahead = to[event.process][part < 2 ? 0 : 1];
    event.time = clc::Time(10'000'000 + std::llround(static_cast<double>(event.bytes) + ahead));
  }
  std::stable_sort(world.events.begin(), world.events.end(),
                   [](const clc::Event& a, const clc::Event& b) { return a.time < b.time; });
}

TEST_CASE("law: the time that clocks are mapped to runs no worse than the recorded clocks") {
  struct Kind {
    const char* name;
    WorldOptions options;
    clc::Ticks tick = 1;
    double set = 0;
  };
  std::vector<Kind> kinds{{"slews", {.jitter = 500, .slew = 1e-4, .rest = 2e5}},
                          {"wander", {.jitter = 500, .wave = 5000}},
                          {"one way", {.jitter = 500, .one_way = true}}};
  for (const double drift : {0.0, 1e-6, 1e-5, 1e-4}) kinds.push_back({"straight", {.jitter = 500, .drift = drift}});
  for (const clc::Ticks tick : {1'000, 50'000}) kinds.push_back({"ticks", {.jitter = 500}, tick});
  for (const int rounds : {20, 100})
    for (const double size : {500.0, 2000.0, 10'000.0})
      kinds.push_back({"set", {.rounds = rounds, .jitter = 500, .offset = size, .rest = 0}, 1, size});
  for (const Kind& kind : kinds)
    for (std::uint64_t seed = 1; seed <= (kind.set > 0 ? 10U : 3U); ++seed)
      for (const double min_delay_us : {0.0, 5.0, 6.0}) {  // messages take 5 us
        WorldOptions options = kind.options;
        options.seed = seed;
        World world = make_world(options);
        if (kind.set > 0) set_clocks(world, kind.set, seed);
        for (clc::Event& event : world.events) event.time = clc::Time(event.time.ticks() / kind.tick * kind.tick);
        const Estimate found = estimate(world, Method::smooth, min_delay_us);
        INFO(kind.name << ", " << options.rounds << " rounds, drift " << options.drift << ", set to " << kind.set
                       << ", seed " << seed << ", minimum delay " << min_delay_us);
        // Times are rounded.
        CHECK(change_of_mean(world, found) <= largest_change(world) + 2);
      }
}

TEST_CASE("law: a short trace invents no rates") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    WorldOptions options;
    options.rounds = 40;
    options.drift = 0;
    options.jitter = 500;
    options.seed = seed;
    CHECK(!estimate(make_world(options), Method::smooth).rates);
  }
}

TEST_CASE("law: where clocks are found to be straight, no message is mapped below a known minimum delay") {
  int straight = 0;
  for (const double jitter : {300.0, 1000.0, 3000.0})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      WorldOptions options;
      options.rounds = 100;
      options.rest = 2e5;
      options.jitter = jitter;
      options.seed = seed;
      const Estimate found = estimate(make_world(options), Method::smooth, World::delay / 1000);
      INFO("jitter " << jitter << ", seed " << seed);
      REQUIRE(found.rates);
      constexpr std::size_t least = 3;  // windows: fewer do not tell
      if (found.rate_variance > 0 || found.windows < least) continue;
      ++straight;
      CHECK(found.mapped.worst_us <= 0.002);  // readings are known to a tick
    }
  CHECK(straight > 0);
}

TEST_CASE("law: a known minimum delay makes estimates no less certain") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    WorldOptions options;
    options.rest = 2e5;
    options.seed = seed;
    const Estimate with = estimate(make_world(options), Method::smooth, World::delay / 1000);
    const Estimate without = estimate(make_world(options), Method::smooth);
    for (std::size_t i = 0; i < with.clocks.size(); ++i)
      CHECK(with.clocks[i].error_us <= without.clocks[i].error_us + 0.001);
  }
}

TEST_CASE("law: a trace without messages has no map") {
  World world = make_world({});
  std::erase_if(world.events, [](const clc::Event& event) { return event.role != clc::Role::send; });
  const Estimate found = estimate(world, Method::smooth);
  CHECK(!found.applied);
  CHECK(found.groups == 0);
  for (const auto& clock : found.clocks) CHECK(clock.flag == clc::sync::Flag::no_messages);
}

/// From two thirds of the run on, process 2 is ahead by so much more. Returns the true time.
std::uint64_t set_process_2(World& world, clc::Ticks step) {
  const auto from = static_cast<std::uint64_t>(world.last * 2 / 3);
  for (clc::Event& event : world.events)
    if (event.process == 2 && event.bytes >= from) event.time = event.time + step;
  std::stable_sort(world.events.begin(), world.events.end(),
                   [](const clc::Event& a, const clc::Event& b) { return a.time < b.time; });
  return from;
}

TEST_CASE("law: where a clock is set, clocks are mapped only if they are far further apart than by that") {
  for (const double step : {100e3, 1e6})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO("step " << step << ", seed " << seed);
      WorldOptions options;
      options.rounds = 600;
      options.seed = seed;
      for (const bool far : {false, true}) {
        options.offset = far ? 1e3 * step : 3 * step;
        World world = make_world(options);
        set_process_2(world, std::llround(step));
        const Estimate found = estimate(world, Method::smooth);
        CHECK(found.clocks[2].step);
        CHECK(found.applied == far);
      }
    }
}

TEST_CASE("law: a clock that is set is found, and mapped no worse before it") {
  WorldOptions options;
  options.rounds = 600;
  options.offset = 1e9;  // far more than the step
  World world = make_world(options);
  const std::uint64_t from = set_process_2(world, 1'000'000);
  const Estimate found = estimate(world, Method::smooth);
  CHECK(found.steps > 0);
  for (std::size_t i = 0; i < found.clocks.size(); ++i)
    CHECK((found.clocks[i].flag == clc::sync::Flag::step) == (i == 2));
  REQUIRE(found.applied);
  std::erase_if(world.events, [&](const clc::Event& event) { return event.bytes >= from; });
  CHECK(worst_error(world, found) <= 200);
  for (const auto& clock : found.clocks) CHECK((std::isinf(clock.error_us) && std::isinf(clock.bound_us)));
}

TEST_CASE("law: nothing is mapped where a clock is set at the beginning") {
  WorldOptions options;
  options.rounds = 2000;
  World world = make_world(options);
  const auto from = world.events[world.events.size() / 20].bytes;
  for (clc::Event& event : world.events)
    if (event.process == 2 && event.bytes >= from) event.time = event.time + 1'000'000;
  std::stable_sort(world.events.begin(), world.events.end(),
                   [](const clc::Event& a, const clc::Event& b) { return a.time < b.time; });
  const Estimate found = estimate(world, Method::smooth);
  CHECK(found.steps > 0);
  CHECK(!found.applied);
  for (const auto& clock : found.clocks) CHECK(clock.flag == clc::sync::Flag::after_step);
}

TEST_CASE("law: coarse clocks are not taken for clocks that are set") {
  WorldOptions options;
  options.rounds = 2000;
  World world = make_world(options);
  for (clc::Event& event : world.events) event.time = clc::Time(event.time.ticks() / 100'000 * 100'000);
  CHECK(estimate(world, Method::smooth).steps == 0);
}

TEST_CASE("law: coarse clocks are estimated to a tenth of their tick, and bounds hold") {
  constexpr clc::Ticks tick = 100'000;  // 20 delays
  for (const Method method : methods)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO("seed " << seed);
      WorldOptions options;
      options.seed = seed;
      options.rounds = 2000;
      options.rest = 150'000;
      World world = make_world(options);
      for (clc::Event& event : world.events) event.time = clc::Time(event.time.ticks() / tick * tick);
      const Estimate found = estimate(world, method);
      REQUIRE(found.applied);
      CHECK(rms_error(world, found) < 1.3 * tick / 10);  //
      CHECK(!found.contradiction);
      CHECK(beyond_bounds(world, found) <= 3);
    }
}

TEST_CASE("law: the uncertainty is at least half of the error if clocks tick") {
  for (const clc::Ticks tick : {1'000, 10'000})  // delays are 5,000
    for (const double jitter : {0.0, 2000.0}) {
      double errors = 0;
      double claimed = 0;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        WorldOptions options;
        options.seed = seed;
        options.rounds = 300;
        options.jitter = jitter;
        World world = make_world(options);
        for (clc::Event& event : world.events) event.time = clc::Time(event.time.ticks() / tick * tick);
        const Estimate found = estimate(world, Method::smooth);
        const double error = rms_error(world, found);
        errors += error * error;
        for (const auto& clock : found.clocks)
          claimed += clock.error_us * clock.error_us * 1e6 / static_cast<double>(found.clocks.size());
      }
      INFO("tick " << tick << ", jitter " << jitter << ": " << errors << ", claimed " << claimed);
      CHECK(errors <= 4 * claimed);  // squares
    }
}

TEST_CASE("law: rates that change suddenly are followed to what they change in half a window") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    WorldOptions options;
    options.seed = seed;
    options.rounds = 1500;
    options.jitter = 300;
    options.slew = 1e-4;
    options.rest = 1e6;
    const World world = make_world(options);
    const Estimate found = estimate(world, Method::smooth);
    REQUIRE(found.applied);
    // Windows of five messages, of which each pair has one or two a round.
    CHECK(rms_error(world, found) < options.slew * world.last / options.rounds * 5 / 2);
  }
}

TEST_CASE("law: one clock of many whose rate changes is followed as well as if all did") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    WorldOptions options;
    options.seed = seed;
    options.processes = 32;
    options.rounds = 600;
    options.jitter = 300;
    options.rest = 1e7;
    options.slew = 1e-5;
    const World all = make_world(options);
    const double if_all = rms_error(all, estimate(all, Method::smooth));
    options.slewed = 1;
    const World one = make_world(options);
    const Estimate found = estimate(one, Method::smooth);
    CHECK(found.rate_variance > 0);
    CHECK(rms_error_of(one, found, 0) < 2 * if_all);
  }
}

TEST_CASE("law: few messages in a long time have rates, or errors that allow for them") {
  std::size_t all = 0;
  std::size_t beyond = 0;  // three times the stated error
  for (const double min_delay_us : {0.0, 4.5})
    for (const int rounds : {2, 3, 4, 6, 9})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const World world = make_world({.processes = 4, .rounds = rounds, .jitter = 500, .rest = 1e9, .seed = seed});
        const Estimate found = estimate(world, Method::smooth, min_delay_us);
        for (clc::ProcessIndex p = 0; p < 4; ++p, ++all)
          beyond += rms_error_of(world, found, p) > 3000 * found.clocks[p].error_us ? 1U : 0U;
      }
  INFO(beyond << " of " << all);
  CHECK(20 * beyond < all);
}

TEST_CASE("law: how far clocks are apart is not known from messages one way that may take any time") {
  WorldOptions options;
  options.one_way = true;
  World world = make_world(options);
  std::erase_if(world.events, [](const clc::Event& event) {  // in a row, no ring
    return event.peer == (event.role == clc::Role::send ? 0U : 5U) &&
           event.process == (event.role == clc::Role::send ? 5U : 0U);
  });
  for (const auto& clock : estimate(world, Method::line).clocks) CHECK_FALSE(std::isfinite(clock.error_us));
  for (const auto& clock : estimate(world, Method::line, 5).clocks) CHECK(std::isfinite(clock.error_us));
}

TEST_CASE("law: straight clocks are known as well as the smallest of all delays") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    WorldOptions options;
    options.seed = seed;
    options.rounds = 2000;
    options.jitter = 20'000;
    options.rest = 100'000;
    const World world = make_world(options);
    // Five times the mean of the smallest of so many exponential delays.
    const Estimate found = estimate(world, Method::smooth, World::delay / 1000);
    CHECK(rms_error(world, found) < 5 * options.jitter / options.rounds);
  }
}

TEST_CASE("law: the uncertainty is between half and twice the error") {
  struct Kind {
    const char* name;
    std::uint32_t processes;
    double jitter;
    double uneven;
    double wave;
    double slew;
    bool allreduce;
  };
  for (const Kind& kind : {Kind{"straight", 12, 1000, 0, 0, 0, false},
                           {"straight, many", 40, 2000, 0, 0, 0, false},
                           {"much jitter", 12, 20'000, 0, 0, 0, false},
                           {"waves", 12, 1000, 0, 20'000, 0, false},
                           {"with allreduce", 12, 1000, 0, 0, 0, true},
                           {"slews", 12, 1000, 0, 0, 3e-5, false}}) {
    std::vector<double> ratios;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      WorldOptions options;
      options.seed = seed;
      options.processes = kind.processes;
      options.jitter = kind.jitter;
      options.wave = kind.wave;
      options.slew = kind.slew;
      options.allreduce = kind.allreduce;
      options.rounds = 1000;
      options.rest = 500'000;
      const World world = make_world(options);
      const Estimate found = estimate(world, Method::smooth);
      REQUIRE(found.applied);
      for (clc::ProcessIndex p = 0; p < kind.processes; ++p)
        ratios.push_back(found.clocks[p].error_us * 1000 / rms_error_of(world, found, p));
    }
    std::nth_element(ratios.begin(), ratios.begin() + std::ssize(ratios) / 2, ratios.end());
    INFO(kind.name);
    CHECK(ratios[ratios.size() / 2] >= 0.5);
    CHECK(ratios[ratios.size() / 2] <= 2);
  }
}

}  // namespace
