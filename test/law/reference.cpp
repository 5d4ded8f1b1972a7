// The plain reference against hand-made cases and against what really happened.
#include "reference.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "clc/event.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

Definitions microseconds(std::size_t processes) {
  Definitions definitions;
  definitions.resolution = Resolution(1'000'000);
  std::vector<ProcessIndex> all;
  for (std::size_t p = 0; p < processes; ++p) all.push_back(definitions.add_process(p, ""));
  definitions.add_communicator(0, all);
  return definitions;
}

Event at(std::int64_t time, ProcessIndex process) {
  Event event;
  event.time = Time(time);
  event.process = process;
  return event;
}
Event send(std::int64_t time, ProcessIndex process, ProcessIndex to) {
  Event event = at(time, process);
  event.role = Role::send;
  event.peer = to;
  event.communicator = 0;
  return event;
}
Event receive(std::int64_t time, ProcessIndex process, ProcessIndex from) {
  Event event = send(time, process, from);
  event.role = Role::receive;
  return event;
}
Event begin(std::int64_t time, ProcessIndex process) {
  Event event = at(time, process);
  event.role = Role::collective_begin;
  return event;
}
Event end(std::int64_t time, ProcessIndex process, Operation operation, Rank root = no_rank, std::uint64_t sent = 1,
          std::uint64_t received = 1) {
  Event event = at(time, process);
  event.role = Role::collective_end;
  event.operation = operation;
  event.communicator = 0;
  event.root = root;
  event.bytes = sent;
  event.received = received;
  return event;
}

std::vector<std::int64_t> written(const Reference& result) {
  std::vector<std::int64_t> times;
  for (const Time time : result.written) times.push_back(time.ticks());
  return times;
}

std::vector<std::tuple<std::size_t, std::size_t, Ticks>> sorted(const std::vector<Edge>& edges) {
  std::vector<std::tuple<std::size_t, std::size_t, Ticks>> list;
  for (const Edge& edge : edges) list.emplace_back(edge.tail, edge.head, edge.mu);
  std::sort(list.begin(), list.end());
  return list;
}

Parameters plain() {
  Parameters parameters;
  parameters.min_delay_us = 5;
  parameters.gamma_max = 0.9;
  parameters.regulator_b = parameters.regulator_c = false;
  parameters.gamma_min = 0;
  return parameters;
}

TEST_CASE("reference: forward step by hand") {
  Parameters parameters = plain();
  parameters.amortization = false;
  // The receive waits for its send; afterwards the clock falls back by a tenth.
  const std::vector<Event> events{at(10, 1), receive(90, 1, 0), at(95, 1), send(100, 0, 1), at(115, 1), at(400, 1)};
  const Reference result = reference(parameters, microseconds(2), events);
  CHECK(result.forward[0] == 0);
  CHECK(result.jump[1] == 15);
  CHECK(result.forward[1] == 15);
  CHECK(result.forward[2] == Approx(14.5));
  CHECK(result.forward[4] == Approx(12.5));
  CHECK(result.forward[5] == 0);
  CHECK(result.simple[2] == 11);  // LC stands still but for one tick
  CHECK(result.simple[4] == 0);
  CHECK(written(result) == std::vector<std::int64_t>{10, 105, 109, 100, 127, 400});
  CHECK(result.order == std::vector<std::size_t>{0, 3, 1, 2, 4, 5});
  CHECK(result.edges == std::vector<Edge>{{3, 1, 5}});
}

TEST_CASE("reference: a clock that is set back, by hand") {
  Parameters parameters = plain();
  parameters.amortization = false;
  // 100 back to 40: one tick later. Then LC' goes on at 0.9 of the clock's speed, while C^ stays at 100.
  const std::vector<Event> events{at(0, 0), at(100, 0), at(40, 0), at(60, 0), at(110, 0), at(400, 0)};
  const Reference result = reference(parameters, microseconds(1), events);
  CHECK(result.forward[2] == 1);
  CHECK(result.forward[3] == Approx(19));
  CHECK(result.forward[4] == Approx(54));
  CHECK(result.forward[5] == Approx(25));
  CHECK(written(result) == std::vector<std::int64_t>{0, 100, 101, 119, 164, 425});
  CHECK(result.counted(Case::clock_set_back) == 1);
}

TEST_CASE("reference: amortization by hand") {
  Parameters parameters = plain();
  parameters.max_error_percent = 10;
  parameters.clock_difference_us = 4;  // L_A = 40
  SECTION("a line from 0 at the start of the interval") {
    const std::vector<Event> events{at(0, 1), at(50, 1), at(60, 1), at(80, 1), receive(90, 1, 0), send(93, 0, 1)};
    const Reference result = reference(parameters, microseconds(2), events);
    CHECK(written(result) == std::vector<std::int64_t>{0, 50, 62, 86, 98, 93});
    CHECK(result.amortized[2] == Approx(2));
    CHECK(result.clock_difference == 8);
  }
  SECTION("the first event takes the whole jump") {
    const std::vector<Event> events{at(50, 1), at(60, 1), receive(90, 1, 0), send(93, 0, 1)};
    CHECK(written(reference(parameters, microseconds(2), events)) == std::vector<std::int64_t>{58, 68, 98, 93});
  }
  SECTION("the first event takes what the lowest cross allows") {
    const std::vector<Event> events{at(50, 1), send(60, 1, 2),    receive(68, 2, 1),
                                    at(75, 1), receive(90, 1, 0), send(93, 0, 1)};
    const Reference result = reference(parameters, microseconds(3), events);
    CHECK(result.amortized[0] == Approx(3).margin(1e-3));
    CHECK(result.amortized[1] == Approx(3).margin(1e-3));
    CHECK(result.amortized[3] == Approx(5.5).margin(1e-3));
  }
  SECTION("a cross bends the line") {
    const std::vector<Event> events{at(10, 1),         at(60, 1),         send(80, 1, 2),
                                    receive(86, 2, 1), receive(90, 1, 0), send(93, 0, 1)};
    const Reference result = reference(parameters, microseconds(3), events);
    CHECK(result.amortized[0] == 0);
    CHECK(result.amortized[1] == Approx(1.0 / 3).margin(1e-3));
    CHECK(result.amortized[2] == Approx(1).margin(1e-3));
    CHECK(result.jump[4] == 8);
  }
}

TEST_CASE("reference: edges of collective operations by hand") {
  const auto edges = [](Operation operation, Rank root, std::vector<std::uint64_t> sent,
                        std::vector<std::uint64_t> received) {
    std::vector<Event> events;
    for (ProcessIndex p = 0; p < 3; ++p) events.push_back(begin(0, p));
    for (ProcessIndex p = 0; p < 3; ++p) events.push_back(end(10, p, operation, root, sent[p], received[p]));
    return sorted(reference(plain(), microseconds(3), events).edges);
  };
  using List = std::vector<std::tuple<std::size_t, std::size_t, Ticks>>;
  CHECK(edges(Operation::barrier, no_rank, {0, 0, 0}, {0, 0, 0}) ==
        List{{0, 4, 5}, {0, 5, 5}, {1, 3, 5}, {1, 5, 5}, {2, 3, 5}, {2, 4, 5}});
  CHECK(edges(Operation::bcast, 1, {0, 9, 0}, {9, 9, 0}) == List{{1, 3, 5}});
  CHECK(edges(Operation::gather, 1, {9, 9, 0}, {0, 9, 0}) == List{{0, 4, 5}});
  CHECK(edges(Operation::allgatherv, no_rank, {9, 0, 9}, {9, 9, 0}) == List{{0, 4, 5}, {2, 3, 5}, {2, 4, 5}});
  CHECK(edges(Operation::scan, no_rank, {9, 9, 9}, {9, 9, 9}) == List{{0, 4, 5}, {0, 5, 5}, {1, 5, 5}});
  CHECK(edges(Operation::exscan, no_rank, {9, 9, 9}, {0, 9, 9}) == List{{0, 4, 5}, {0, 5, 5}, {1, 5, 5}});
}

TEST_CASE("reference: the wait limit by hand") {
  Parameters parameters = plain();
  parameters.wait_limit_s = 20e-6;
  const std::vector<Event> events{receive(0, 1, 0), at(5, 1),          at(20, 2),     at(21, 2),
                                  send(22, 0, 1),   receive(30, 1, 0), send(40, 0, 1)};
  const Reference result = reference(parameters, microseconds(3), events);
  CHECK(result.order == std::vector<std::size_t>{2, 0, 1, 3, 4, 6, 5});
  CHECK(result.edges == std::vector<Edge>{{6, 5, 5}});
  CHECK(result.counted(Case::receive_without_send) == 1);
  CHECK(result.counted(Case::late_send) == 1);
}

TEST_CASE("reference: hull by gift wrapping is the hull by all pairs") {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<Point> points(2 + random.index(8));
    for (Point& point : points)
      point = {static_cast<long double>(random.integer(0, 20)), static_cast<long double>(random.integer(0, 20))};
    points.front().x = 0;
    points.back().x = 20;
    for (int x = 0; x <= 20; ++x) {
      long double lowest = 1e9L;
      for (const Point& a : points)
        for (const Point& b : points) {
          if (a.x == x) lowest = std::min(lowest, a.y);
          if (a.x < x && x < b.x) lowest = std::min(lowest, a.y + (b.y - a.y) / (b.x - a.x) * (x - a.x));
          if (b.x == x) lowest = std::min(lowest, b.y);
        }
      REQUIRE(static_cast<double>(hull_at(points, x)) == Approx(static_cast<double>(lowest)).margin(1e-9));
    }
  }
}

// The reference takes no care of rounding.
bool holds(const RandomTrace& trace, const Reference& result, const Edge& edge) {
  const auto apart = static_cast<double>(trace.events[edge.head].time - trace.events[edge.tail].time);
  return apart + result.amortized[edge.head] - result.amortized[edge.tail] > static_cast<double>(edge.mu) - 1e-3;
}

TEST_CASE("reference: edges are what really happened, and hold") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomTrace trace = random_trace(seed);
    INFO(trace.describe());
    const Reference result = reference(trace.parameters, trace.definitions, trace.events);
    REQUIRE(result.order.size() == trace.events.size());
    REQUIRE(sorted(result.edges) == sorted(trace.edges));
    for (const Edge& edge : trace.edges) REQUIRE(holds(trace, result, edge));
    for (std::size_t e = 0; e < trace.events.size(); ++e) {
      REQUIRE(result.amortized[e] >= result.forward[e]);
      REQUIRE(result.forward[e] >= 0);
    }
  }
}

TEST_CASE("reference: damaged and senseless traces come to an end") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    for (const bool chaos : {false, true}) {
      const RandomTrace trace = random_trace(seed, {.defects = !chaos, .chaos = chaos});
      INFO(trace.describe());
      const Reference result = reference(trace.parameters, trace.definitions, trace.events);
      REQUIRE(result.order.size() == trace.events.size());
      for (const Edge& edge : result.edges) REQUIRE(holds(trace, result, edge));
    }
  }
}

}  // namespace
}  // namespace clc::test
