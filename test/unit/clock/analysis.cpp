// The analysis against plain counting.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "clock/recorder.hpp"
#include "trace/round_trips.hpp"

namespace clc {
namespace {

struct World {
  Definitions definitions;
  Parameters parameters;
  std::vector<CollectiveMember> members;
};

std::int64_t draw(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

World random_world(std::mt19937_64& random) {
  World world;
  const auto members = draw(random, 1, 24);
  const bool nodes = draw(random, 0, 1) == 0;
  const bool shared_clocks = draw(random, 0, 1) == 0;
  for (std::int64_t i = 0; i < members; ++i) {
    const std::string node =
        nodes && draw(random, 0, 4) != 0 ? std::string(1, static_cast<char>('a' + draw(random, 0, 3))) : "";
    std::optional<ProcessIndex> clock;
    if (shared_clocks && i > 0 && draw(random, 0, 2) != 0) clock = static_cast<ProcessIndex>(draw(random, 0, i - 1));
    world.definitions.add_process(static_cast<std::uint64_t>(100 + 7 * i), "p", node, clock);
  }
  world.definitions.resolution = Resolution(1'000'000);  // a tick is a microsecond
  world.parameters.min_delay_us = static_cast<double>(draw(random, 1, 20));
  if (draw(random, 0, 1) == 0) world.parameters.node_delay_us = static_cast<double>(draw(random, 1, 30));
  if (draw(random, 0, 1) == 0) {
    for (auto n = draw(random, 1, 40); n > 0; --n)
      world.parameters.pair_delays.push_back({static_cast<std::uint64_t>(100 + 7 * draw(random, 0, members)),
                                              static_cast<std::uint64_t>(100 + 7 * draw(random, 0, members)),
                                              static_cast<double>(draw(random, 1, 50))});
  }
  const auto spread = draw(random, 0, 60);
  const auto gap = draw(random, 0, 40);
  const auto base = draw(random, 0, 1) == 0 ? std::int64_t{1} << 60 : -1000;
  std::vector<ProcessIndex> order(static_cast<std::size_t>(members));
  for (ProcessIndex i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (const ProcessIndex process : order) {
    CollectiveMember member;
    member.process = process;
    member.clock = world.definitions.processes()[process].clock;
    member.begin = Time(base + draw(random, 0, spread));
    member.end = Time(base + gap + draw(random, 0, spread));
    member.tail = draw(random, 0, 5) != 0;
    member.head = draw(random, 0, 5) != 0;
    world.members.push_back(member);
  }
  return world;
}

Violations plainly(CollectiveClass kind, Rank root, const World& world, const DelayModel& delays) {
  Violations result;
  for (Rank s = 0; s < world.members.size(); ++s) {
    for (Rank r = 0; r < world.members.size(); ++r) {
      const CollectiveMember& from = world.members[s];
      const CollectiveMember& to = world.members[r];
      if (from.clock == to.clock || !from.tail || !to.head) continue;
      if (kind == CollectiveClass::one_to_n && s != root) continue;
      if (kind == CollectiveClass::n_to_one && r != root) continue;
      if (kind == CollectiveClass::prefix && s >= r) continue;
      add(result, from.process, to.process, to.end, to.end - from.begin, delays.between(from.process, to.process));
    }
  }
  return result;
}

/// The shortest round trip that an operation of all members proves: the durations of two on different clocks.
std::optional<Ticks> plain_trip(const World& world) {
  std::optional<Ticks> shortest;
  const auto counts = [](const CollectiveMember& member) { return member.tail && member.head; };
  for (const CollectiveMember& a : world.members)
    for (const CollectiveMember& b : world.members)
      if (a.clock != b.clock && counts(a) && counts(b))
        shortest = std::min(shortest.value_or(ticks_max), (a.end - a.begin) + (b.end - b.begin));
  return shortest;
}

void message(Recorder& analysis, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay, Ticks mu) {
  analysis.message(analysis.pair(sender, receiver), sender, receiver, received, delay, mu);
}

}  // namespace

TEST_CASE("edges of collective operations are counted as one by one", "[analysis]") {
  const auto seed = GENERATE(range(1u, 2001u));
  std::mt19937_64 random(seed);
  World world = random_world(random);
  const DelayModel delays(world.parameters, world.definitions);
  for (CollectiveMember& member : world.members) member.node = delays.node_of(member.process);
  for (const CollectiveClass kind :
       {CollectiveClass::one_to_n, CollectiveClass::n_to_one, CollectiveClass::n_to_n, CollectiveClass::prefix}) {
    const Rank root = static_cast<Rank>(draw(random, 0, static_cast<std::int64_t>(world.members.size()) - 1));
    Recorder analysis;
    analysis.collective(kind, root, world.members, delays, world.definitions.shares_clocks());
    const Violations expected = plainly(kind, root, world, delays);
    const Violations& found = analysis.collectives();
    INFO("seed " << seed << ", class " << static_cast<int>(kind) << ", members " << world.members.size());
    REQUIRE(found.edges == expected.edges);
    REQUIRE(found.backwards == expected.backwards);
    REQUIRE(found.violated == expected.violated);
    REQUIRE(found.worst == expected.worst);
    if (expected.edges == 0) continue;
    // Several pairs can be the worst: the one named must be one of them.
    REQUIRE(found.worst_delay - delays.between(found.worst_sender, found.worst_receiver) == found.worst);
    REQUIRE(found.worst_sender != found.worst_receiver);
  }
}

TEST_CASE("a collective operation proves the shortest round trip between two different clocks", "[analysis]") {
  std::uint64_t trips = 0;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    std::mt19937_64 random(seed);
    const World world = random_world(random);
    const DelayModel delays(world.parameters, world.definitions);
    Recorder analysis;
    analysis.collective(CollectiveClass::n_to_n, no_rank, world.members, delays, world.definitions.shares_clocks());
    const std::optional<Ticks> expected = plain_trip(world);
    const bool is_possible = expected && *expected > 0;
    INFO("seed " << seed);
    REQUIRE(analysis.short_trips().trips() == (is_possible ? 1U : 0U));
    if (is_possible) REQUIRE(analysis.short_trips().smallest() == static_cast<double>(*expected) / 2);
    trips += is_possible && world.definitions.shares_clocks() ? 1U : 0U;
  }
  CHECK(trips > 100);
}

TEST_CASE("collective operations add up, a root outside orders nothing", "[analysis]") {
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(1, "b");
  Parameters parameters;
  parameters.min_delay_us = 1;
  const DelayModel delays(parameters, definitions);
  const std::vector<CollectiveMember> members{{0, 0, Time(0), Time(900), true, true},
                                              {1, 1, Time(500), Time(2000), true, true}};
  Recorder analysis;
  analysis.collective(CollectiveClass::n_to_n, no_rank, members, delays);
  analysis.collective(CollectiveClass::one_to_n, 0, members, delays);
  analysis.collective(CollectiveClass::one_to_n, 7, members, delays);
  REQUIRE(analysis.collective_operations() == 3);
  REQUIRE(analysis.collectives().edges == 3);
  REQUIRE(analysis.collectives().violated == 1);
  REQUIRE(analysis.collectives().backwards == 0);
  REQUIRE(analysis.collectives().worst == -600);
  REQUIRE(analysis.collectives().worst_sender == 1);
  REQUIRE(analysis.collectives().worst_receiver == 0);
  REQUIRE(analysis.collectives().worst_time == Time(900));
}

TEST_CASE("messages are counted in all and by pair", "[analysis]") {
  Recorder analysis;
  message(analysis, 0, 1, Time(100), 30, 10);
  message(analysis, 0, 1, Time(200), 5, 10);
  message(analysis, 1, 0, Time(300), -8, 10);
  message(analysis, 2, 0, Time(400), 50, 10);
  REQUIRE(analysis.messages().edges == 4);
  REQUIRE(analysis.messages().violated == 2);
  REQUIRE(analysis.messages().backwards == 1);
  REQUIRE(analysis.messages().worst == -18);
  REQUIRE(analysis.messages().worst_time == Time(300));
  REQUIRE(analysis.pairs().size() == 3);
  REQUIRE(analysis.pairs()[0].messages == 2);
  REQUIRE(analysis.pairs()[0].violated == 1);
  REQUIRE(analysis.pairs()[0].smallest_delay == 5);
  REQUIRE(analysis.pairs()[0].worst == -5);
  const Analysis::RoundTrips trips = analysis.round_trips();
  REQUIRE(trips.pairs == 1);
  REQUIRE(trips.smallest == -1.5);
  REQUIRE(trips.average == -1.5);
  REQUIRE(trips.largest == -1.5);
}

TEST_CASE("round trips of clocks that are far apart keep their ticks", "[analysis]") {
  const Ticks apart = 1'700'000'000'000'000'000;
  Recorder analysis;
  message(analysis, 0, 1, Time(0), apart + 150, 10);
  message(analysis, 1, 0, Time(0), -apart + 51, 10);
  CHECK(analysis.round_trips().smallest == 100.5);
  CHECK(half_of_sum(ticks_max, ticks_min) == -0.5);
  CHECK(half_of_sum(ticks_max, ticks_max) == 0x1p63);
  CHECK(half_of_sum(ticks_min, ticks_min) == -0x1p63);
  CHECK(half_of_sum(-3, 0) == -1.5);
  CHECK(half_of_sum(-3, -1) == -2);
}

TEST_CASE("pairs beyond the limit are summed up", "[analysis]") {
  Recorder analysis;
  const auto limit = static_cast<ProcessIndex>(Analysis::pair_limit);
  for (ProcessIndex i = 0; i < limit + 3; ++i) message(analysis, 0, i + 1, Time(0), 5, 10);
  REQUIRE(analysis.pairs().size() == Analysis::pair_limit);
  REQUIRE(analysis.other_pairs().messages == 3);
  REQUIRE(analysis.other_pairs().violated == 3);
  REQUIRE(analysis.messages().edges == Analysis::pair_limit + 3);
}

TEST_CASE("a margin that does not fit into 64 bits is the worst there is", "[analysis]") {
  Recorder analysis;
  message(analysis, 0, 1, Time::earliest(), Time::earliest() - Time(5), 10);
  REQUIRE(analysis.messages().worst == ticks_min);
  REQUIRE(analysis.messages().backwards == 1);
}

TEST_CASE("events on their way out are measured", "[analysis]") {
  Recorder analysis;
  const auto released = [&](std::vector<Corrected> events) { analysis.released(events); };
  released({{Time(1000), Time(1000), 1, {}},
            {Time(2000), Time(2000), 1, {}},    // exact
            {Time(3001), Time(3000), 1, {}},    // 0.1 %: still small
            {Time(4011), Time(4000), 1, {}}});  // 1 %
  released({});
  released({{Time(4011), Time(4000), 1, {}},    // a tie that stays one
            {Time(4012), Time(4000), 1, {}}});  // a tie that gets a length
  released({{Time(0), Time(0), 0, {}}});
  REQUIRE(analysis.events() == 7);
  REQUIRE(analysis.moved() == 4);
  REQUIRE(analysis.shifts()[0] == 1);
  REQUIRE(analysis.shifts()[3] == 3);
  REQUIRE(analysis.exact_intervals() == 2);
  REQUIRE(analysis.stretched_ties() == 1);
  REQUIRE(analysis.small_errors().count == 1);
  REQUIRE(analysis.small_errors().largest == Approx(0.001));
  REQUIRE(analysis.large_errors().count == 1);
  REQUIRE(analysis.large_errors().largest == Approx(0.01));
  REQUIRE(analysis.smallest_distance() == 0);
  REQUIRE(analysis.processes().size() == 2);
  REQUIRE(analysis.processes()[1].events == 6);
  REQUIRE(analysis.processes()[1].largest_shift == 12);
  REQUIRE(analysis.processes()[1].largest_shift_at == Time(4000));
  REQUIRE(analysis.processes()[1].last_corrected - analysis.processes()[1].last_recorded == 12);
  REQUIRE(analysis.processes()[0].largest_shift == 0);
}

TEST_CASE("unresolved counts what may break the clock condition, remarks aside", "[analysis]") {
  Recorder analysis;
  analysis.count(Case::self_message, 5);
  analysis.count(Case::late_send);
  analysis.count(Case::send_without_receive, 2);
  REQUIRE(analysis.counted(Case::self_message) == 5);
  REQUIRE(analysis.unresolved() == 3);
  for (std::size_t i = 0; i < cases.size(); ++i) REQUIRE(static_cast<std::size_t>(cases[i].which) == i);
}

TEST_CASE("gamma over time: each event in the span of its time, however long the trace gets", "[analysis]") {
  std::mt19937_64 random(7);
  for (int run = 0; run < 50; ++run) {
    GammaCourse course;
    GammaRecorder::start(course, Time(1000));
    GammaRecorder::start(course, Time(5000));  // the first one counts
    const Ticks step = Ticks{1} << (random() % 40);
    double gamma = 0.5;
    double below = 0;
    double lowest = 1;
    Ticks since = 0;
    for (int i = 0; i < 1000; ++i, since += step) {
      if (random() % 4 == 0) gamma = static_cast<double>(random() % 1000) / 1000;  // it mostly stays as it is
      GammaRecorder::add(course, Time(1000 + since), gamma);
      below += 1 - gamma;
      lowest = std::min(lowest, gamma);
    }
    std::uint64_t events = 0;
    double below_found = 0;
    double lowest_found = 1;
    std::size_t last = 0;
    const auto spans = course.spans();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const GammaCourse::Span& span = spans[i];
      events += span.events;
      below_found += span.sum_below;
      lowest_found = std::min(lowest_found, span.lowest);
      if (span.events != 0) last = i;
    }
    REQUIRE(events == 1000);
    REQUIRE(below_found == Approx(below));
    REQUIRE(lowest_found == lowest);
    REQUIRE(last == static_cast<std::size_t>(static_cast<double>(since - step) / course.length()));
    if (step > 1) REQUIRE(last >= GammaCourse::most_spans / 2 - 1);
  }
}

}  // namespace clc
