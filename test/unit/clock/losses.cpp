// Messages of which one end is missing: what is matched then, and what is said of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "clock/messages.hpp"
#include "message.hpp"
#include "random_trace.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

/// A token goes round, with clocks that are apart; round trips take 1000 ticks and more.
struct Ring {
  static constexpr ProcessIndex processes = 4;
  Definitions definitions;
  std::vector<Event> events;

  explicit Ring(std::uint64_t seed, std::size_t rounds, Ticks apart) {
    Random random(seed);
    definitions.resolution = Resolution(1'000'000);
    std::vector<ProcessIndex> all;
    std::vector<Ticks> offsets;
    for (ProcessIndex p = 0; p < processes; ++p) {
      all.push_back(definitions.add_process(p, ""));
      offsets.push_back(random.integer(-apart, apart));
    }
    definitions.add_communicator(0, all);
    Ticks now = 0;
    for (std::size_t hop = 0; hop < rounds * processes; ++hop) {
      const auto from = static_cast<ProcessIndex>(hop % processes);
      const auto to = static_cast<ProcessIndex>((hop + 1) % processes);
      now += 250 + random.integer(0, 20);
      add(Role::send, from, to, now + offsets[from]);
      now += 5 + random.integer(0, 3);
      add(Role::receive, to, from, now + offsets[to]);
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  }

 private:
  void add(Role role, ProcessIndex process, ProcessIndex peer, Ticks time) {
    events.push_back(message(role, Time(time), process, peer));
  }
};

Ticks largest_shift(const Run& run, const std::vector<Event>& events) {
  Ticks largest = 0;
  for (std::size_t e = 0; e < events.size(); ++e) largest = std::max(largest, run.written[e] - events[e].time);
  return largest;
}

TEST_CASE("sends that are missing are found, and the other messages keep their sends", "[losses]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const Ring ring(seed, 200, 200);
    Parameters parameters;
    parameters.match = Match::resynchronise;
    parameters.min_delay_us = 5;
    const Run intact = run_filter(parameters, ring.definitions, ring.events);
    REQUIRE(intact.fault.empty());
    REQUIRE(intact.analysis.losses().empty());

    Random random(seed + 1000);
    std::set<std::size_t> lost;
    // Not so close to each other that most channels are wrong at a time.
    for (std::size_t e = 100; lost.size() < 10; e += 140) {
      std::size_t send = e + random.index(60);
      while (ring.events[send].role != Role::send) ++send;
      lost.insert(send);
    }
    std::vector<Event> events;
    std::vector<std::size_t> place;
    for (std::size_t e = 0; e < ring.events.size(); ++e) {
      if (lost.contains(e)) continue;
      events.push_back(ring.events[e]);
      place.push_back(e);
    }
    const Run run = run_filter(parameters, ring.definitions, events);
    REQUIRE(run.fault.empty());
    CHECK(run.analysis.counted(Case::receive_without_send) == lost.size());
    CHECK(run.analysis.counted(Case::send_without_receive) == 0);
    CHECK(run.analysis.unresolved() == lost.size());
    CHECK(largest_shift(run, events) <= 2 * largest_shift(intact, ring.events));

    // Each is named with the receive that it left alone.
    std::vector<std::pair<ProcessIndex, Time>> expected;
    for (const std::size_t e : lost) {
      const auto receive = std::find_if(ring.events.begin(), ring.events.end(), [&](const Event& event) {
        return event.role == Role::receive && event.process == ring.events[e].peer &&
               std::count_if(ring.events.begin(), ring.events.begin() + static_cast<std::ptrdiff_t>(e),
                             [&](const Event& s) { return s.role == Role::send && s.peer == event.process; }) ==
                   std::count_if(ring.events.data(), &event,
                                 [&](const Event& r) { return r.role == Role::receive && r.process == event.process; });
      });
      expected.emplace_back(ring.events[e].process, receive->time);
    }
    std::vector<std::pair<ProcessIndex, Time>> found;
    for (const Loss& loss : run.analysis.losses()) {
      CHECK(loss.send);
      found.emplace_back(loss.sender, loss.recorded);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    CHECK(found == expected);

    // First in, first out does otherwise: this trace can tell.
    parameters.match = Match::fifo;
    CHECK(run_filter(parameters, ring.definitions, events).written != run.written);
  }
}

TEST_CASE("the floor of a channel", "[losses]") {
  Floor floor;
  Ticks now = 0;
  const auto add = [&](Ticks delay) {
    now += 1000;
    const Doubt doubt = floor.hit(delay, Time(now), 10) ? Doubt::none : floor.doubts(delay, Time(now), 10);
    if (floor.last_hit() != Time(now)) floor.miss(delay, Time(now), 10);
    return doubt;
  };
  CHECK(add(500) == Doubt::first);
  CHECK(add(100) == Doubt::none);  // it was none
  CHECK(floor.delay() == 100);
  for (const Ticks delay : {105, 95, 100}) CHECK(add(delay) == Doubt::none);
  CHECK(floor.is_trusted(10));
  CHECK(floor.gap() == 992);
  CHECK(add(100 - 200) == Doubt::none);  // less than a quarter of the gap
  CHECK(add(100) == Doubt::none);
  for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 9}) CHECK((add(100 - 1000) == Doubt::below) == (k < 4 || k == 5));
  CHECK(add(100) == Doubt::none);
  for (int k = 1; k <= 64; ++k) CHECK((add(1100 + k) == Doubt::above) == (k == 4));
  CHECK(floor.delay() == 1164);  // the last one of the run
  CHECK_FALSE(floor.is_trusted(10));
  CHECK(add(1101) == Doubt::none);
  CHECK(floor.delay() == 1101);  // that is where it is now
  // After a pause drift could explain a delay farther away, but it is no evidence.
  for (const Ticks delay : {1100, 1101, 1100}) CHECK(add(delay) == Doubt::none);
  CHECK(floor.is_trusted(10));
  now += 300'000;
  CHECK(add(1300) == Doubt::none);
  CHECK(floor.delay() == 1300);
  CHECK_FALSE(floor.is_trusted(10));
  for (const Ticks delay : {1301, 1300, 1300}) CHECK(add(delay) == Doubt::none);
  CHECK(floor.is_trusted(10));
  now += 300'000;
  CHECK(add(1305) == Doubt::none);  // where it was
  CHECK(floor.is_trusted(10));
}

}  // namespace
}  // namespace clc::test
