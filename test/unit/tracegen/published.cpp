// The scenarios of the thesis, against its figures.
#include <catch2/catch.hpp>
#include <cmath>

#include "helpers.hpp"

namespace clc::tracegen::test {

TEST_CASE("coarse clocks: apparent delays of -9.750 ms upwards and -250 us downwards [R 6.3.2]") {
  const Run result = run("coarse-clock --events 20000");
  REQUIRE(result.plan.processes == 20);
  const Matched truth = match(result.truth);
  CHECK(truth.messages.size() >= 10'000);
  CHECK(truth.unmatched_receives + truth.unmatched_sends == 0);
  for (const Message& message : truth.messages) REQUIRE(message.received - message.sent == 250'000);
  const Matched recorded = match(result.recorded);
  for (const Message& message : recorded.messages)
    REQUIRE(message.received - message.sent == (message.to > message.from ? -9'750'000 : -250'000));
  // The second message from 0 to 1 leaves at 20.25 ms, and the next record of process 0 follows at once.
  const auto zero = result.recorded.by_process(20)[0];
  CHECK(zero[0].time == 10'250'000);
  CHECK(zero[2].time == 20'250'000);
  CHECK(zero[2].kind == Kind::send);
  CHECK(zero[3].time == 20'250'000);
  CHECK(zero[3].kind == Kind::receive);
  CHECK(sorted(result.recorded));
}

TEST_CASE("coarse clocks: other sizes") {
  const Run result = run("coarse-clock -n 5 --delay 20 --tick 1000 --events 2000 --resolution 10000000");
  const Matched matched = match(result.recorded);
  for (const Message& message : matched.messages)
    REQUIRE(message.received - message.sent == (message.to > message.from ? 200 - 10'000 : -200));
}

TEST_CASE("scenario 2: C0 = t, C1 = t (1 + rho) - D, delay 0 [R 5.3]") {
  const Run result = run("scenario2 --rho 250 --lag 5000 --period 1000 --events 4000");
  const auto all = result.recorded.by_process(2);
  REQUIRE(all[0].size() == 2000);
  REQUIRE(all[1].size() == 2000);
  for (std::size_t i = 0; i < 2000; ++i) {
    const auto j = static_cast<Ticks>(i / 2);
    REQUIRE(all[0][i].kind == (i % 2 == 0 ? Kind::send : Kind::receive));
    REQUIRE(all[0][i].time == j * 1'000'000);
    const auto exact = static_cast<long double>(j) * 1e6L * 1.00025L - 5e6L;
    REQUIRE(std::abs(static_cast<long double>(all[1][i].time) - exact) <= 1);
  }
  const Matched matched = match(result.truth);
  for (const Message& message : matched.messages) REQUIRE(message.received == message.sent);
}

TEST_CASE("finite elements: compute, send, compute, receive [R 6.3.3]") {
  const Run result = run("finite-elements --grid 3x3 --regions --events 5000");
  // The process in the middle has four neighbours.
  std::string order;
  const auto middle = result.recorded.by_process(9)[4];
  for (const Point& point : middle) {
    if (point.kind == Kind::enter && point.region == region_of(Region::compute)) order += 'c';
    if (point.kind == Kind::send) order += 's';
    if (point.kind == Kind::receive) order += 'r';
  }
  REQUIRE(order.size() >= 100);
  const std::string iteration =
      "cssss"
      "crrrr";
  for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(order[i] == iteration[i % iteration.size()]);
}

TEST_CASE("jumps as on a Cray T3E: set every second, differences up to 2300 ns [R fig. 7.1]") {
  const Run result = run("halo -n 8 --offset 1 --drift 0 --resync 1:1.1 --rate 1000 --duration 60");
  const auto recorded = result.recorded.by_process(8);
  const auto truth = result.truth.by_process(8);
  Ticks largest = 0;
  for (std::size_t p = 0; p < 8; ++p)
    for (std::size_t i = 0; i < truth[p].size(); ++i)
      largest = std::max(largest, std::abs(recorded[p][i].time - truth[p][i].time));
  CHECK(largest <= 1101);
  CHECK(largest > 1000);
}

}  // namespace clc::tracegen::test
