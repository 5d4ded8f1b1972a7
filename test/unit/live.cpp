// What the clock of the monitor proves while live input pauses.
#include "filter/live.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace clc;

namespace {

struct Taker final : EventSink {
  void events(std::span<const Corrected> run) override { count += run.size(); }
  void note(Body /*line*/) override {}
  std::size_t count = 0;
};

std::vector<Event> at(std::vector<std::int64_t> times, ProcessIndex process = 0) {
  std::vector<Event> events;
  for (const std::int64_t time : times) events.push_back({.time = Time(time), .process = process});
  return events;
}

struct Fixture {
  std::int64_t now = 0;
  Taker sink;
  filter::Live live{sink, 50, [this] { return Time(now); }};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "live: nothing is proved before a record has arrived behind a pause", "[live]") {
  now = 10'000;
  live.arrived(at({1'000}));  // waited for who knows how long
  CHECK(live.pause() == std::nullopt);
  CHECK(live.lag() == std::nullopt);
  now = 10'100;
  live.arrived(at({5'000, 5'020, 5'060}));
  CHECK(live.lag() == 60);
  CHECK(live.pause() == Time(10'100 - 5'100 - 50));
  now = 11'000;
  CHECK(live.pause() == Time(11'000 - 5'100 - 50));
}

TEST_CASE_METHOD(Fixture, "live: the largest lag so far counts, and a proof stands", "[live]") {
  static_cast<void>(live.pause());
  now = 100;
  live.arrived(at({1'100}));
  now = 200;
  live.arrived(at({1'190}));  // 10 later than the one before
  CHECK(live.lag() == 10);
  now = 400;
  CHECK(live.pause() == Time(400 + 990 - 50));
  now = 500;
  live.arrived(at({1'300}));  // 40 behind the proof
  CHECK(live.late_by() == 40);
  CHECK(live.lag() == 200);
  CHECK(live.pause() == Time(1'340));
  now = 700;
  CHECK(live.pause() == Time(700 + 800 - 50));
}

TEST_CASE_METHOD(Fixture, "live: times at both ends of 64 bits", "[live]") {
  static_cast<void>(live.pause());
  now = 5;
  live.arrived(at({ticks_min, ticks_max}));
  CHECK(live.pause() <= Time(0));
  CHECK(live.late_by() == 0);
}

TEST_CASE_METHOD(Fixture, "live: how long events stay", "[live]") {
  now = 10;
  live.arrived(at({1, 2, 3}, 4));
  now = 30;
  live.arrived(at({4, 5}, 4));
  const auto leave = [&](std::size_t count) {
    const std::vector<Corrected> run(count, {.time = Time(9), .recorded = Time(9), .process = 4, .body = {}});
    live.events(run);
  };
  CHECK(live.take_left());
  CHECK_FALSE(live.take_left());
  leave(1);
  CHECK(live.take_left());
  CHECK(live.largest_stay() == 20);
  now = 45;
  leave(2);
  CHECK(live.largest_stay() == 35);
  now = 60;
  leave(2);
  CHECK(live.largest_stay() == 35);
  CHECK(sink.count == 5);
}
