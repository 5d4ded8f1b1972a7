// Messages of which one end is missing: what is matched then, and what is said of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "clc/stage/messages.hpp"
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
    Event event;
    event.time = Time(time);
    event.process = process;
    event.role = role;
    event.peer = peer;
    event.communicator = 0;
    events.push_back(event);
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
    while (lost.size() < 10) {
      const std::size_t e = 50 + random.index(ring.events.size() - 100);
      if (ring.events[e].role == Role::send) lost.insert(e);
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

TEST_CASE("how small delays usually get", "[losses]") {
  Lowest lowest;
  for (const Ticks delay : {30, 10, 20, 40}) lowest.add(delay, 4);
  CHECK(lowest.delay == 10);
  lowest.add(10 + 640, 4);
  CHECK(lowest.delay == 20);
  lowest.add(16, 4);  // a little less
  CHECK(lowest.delay == 16);
  for (int i = 0; i < 7; ++i) lowest.add(-1000 - i, 4);
  CHECK(lowest.delay == 16);
  lowest.add(16, 4);  // not eight in a row
  for (int i = 0; i < 7; ++i) lowest.add(-1000 - i, 4);
  CHECK(lowest.delay == 16);
  lowest.add(-2000, 4);
  CHECK(lowest.delay == -1000);
}

TEST_CASE("of two receives that wait for each other, the one that waits longer has lost its send", "[losses]") {
  // Process 0 sends twice, and between that receives the answer; the first send is missing, and the answer is read
  // late.
  Definitions definitions;
  definitions.resolution = Resolution(1'000'000);
  definitions.add_communicator(0, {definitions.add_process(0, ""), definitions.add_process(1, "")});
  const auto event = [](Ticks time, ProcessIndex process, Role role, std::int64_t tag) {
    Event made;
    made.time = Time(time);
    made.process = process;
    made.role = role;
    made.peer = 1 - process;
    made.communicator = 0;
    made.tag = tag;
    return made;
  };
  const std::vector<Event> events{event(10, 1, Role::receive, 1), event(30, 0, Role::receive, 2),
                                  event(40, 0, Role::send, 1), event(50, 1, Role::send, 2),
                                  event(60, 1, Role::receive, 1)};
  Parameters parameters;
  parameters.match = Match::resynchronise;
  const Run run = run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  CHECK(run.analysis.counted(Case::receive_without_send) == 1);
  CHECK(run.analysis.unresolved() == 1);
  REQUIRE(run.analysis.losses().size() == 1);
  CHECK(run.analysis.losses().front().recorded == Time(10));
  CHECK(run.written[0] == Time(10));
  CHECK(run.written[1] > run.written[3]);
  CHECK(run.written[4] > run.written[2]);
  parameters.match = Match::fifo;
  const Run plain = run_filter(parameters, definitions, events);
  CHECK(plain.analysis.counted(Case::wait_in_circle) == 1);
}

}  // namespace
}  // namespace clc::test
