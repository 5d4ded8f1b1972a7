// Estimates of traces that lack records.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "sync/consistency.hpp"
#include "sync/matcher.hpp"
#include "world.hpp"

namespace {

using namespace clc::test;  // NOLINT
using clc::ProcessIndex;
using clc::Role;
using clc::Ticks;
using clc::Time;
using clc::sync::Collector;
using clc::sync::Consistency;
using clc::sync::Edge;
using clc::sync::Estimate;
using clc::sync::Matcher;
using clc::sync::Method;

/// All accepted edges, and all shortest paths.
class PlainConsistency {
 public:
  explicit PlainConsistency(Ticks tick) : tick_(tick) {}

  bool accept(const Edge& edge) {
    now_ = std::max(now_, edge.times.middle());
    accepted_.emplace_back(edge, now_);
    constexpr Ticks far = Ticks{1} << 60;
    std::vector<std::vector<Ticks>> paths(clocks, std::vector<Ticks>(clocks, far));
    for (const auto& [one, time] : accepted_) {
      Ticks& path = paths[one.from][one.to];
      path = std::min(path, one.times.delay() + tick_ + (now_ - time) / 1024);
    }
    for (std::size_t via = 0; via < clocks; ++via)
      for (std::size_t from = 0; from < clocks; ++from)
        for (std::size_t to = 0; to < clocks; ++to)
          if (paths[from][via] != far && paths[via][to] != far)
            paths[from][to] = std::min(paths[from][to], paths[from][via] + paths[via][to]);
    bool possible = true;
    for (std::size_t clock = 0; clock < clocks; ++clock) possible &= paths[clock][clock] >= 0;
    if (!possible) accepted_.pop_back();
    return possible;
  }

  static constexpr std::size_t clocks = 5;

 private:
  Ticks tick_;
  Time now_;
  std::vector<std::pair<Edge, Time>> accepted_;  ///< and when
};

TEST_CASE("law: an edge is accepted if some offsets of the clocks fulfil it and all accepted ones") {
  std::mt19937_64 random(7);
  std::size_t rejected = 0;
  std::size_t accepted = 0;
  for (int trace = 0; trace < 40; ++trace) {
    const auto tick = static_cast<Ticks>(random() % 3);
    Consistency consistency(tick);
    PlainConsistency plain(tick);
    std::vector<Ticks> offsets;
    for (std::size_t clock = 0; clock < PlainConsistency::clocks; ++clock)
      offsets.push_back(static_cast<Ticks>(random() % 400) * 2);
    for (Ticks i = 1; i <= 200; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % PlainConsistency::clocks);
      const auto to =
          static_cast<std::uint32_t>((from + 1 + random() % (PlainConsistency::clocks - 1)) % PlainConsistency::clocks);
      // Edges do not come in the order of their times.
      const Time middle((i + static_cast<Ticks>(random() % 20)) * 4 * 1024);
      const Ticks delay = offsets[to] - offsets[from] + 2 * static_cast<Ticks>(random() % 100) - 60;
      const Edge edge{from, to, {middle - delay / 2, middle - delay / 2 + delay, false}};
      const bool expected = plain.accept(edge);
      REQUIRE(consistency.accept(edge) == expected);
      ++(expected ? accepted : rejected);
    }
  }
  CHECK(rejected > 200);
  CHECK(accepted > 2000);
}

/// What visit(collector, matcher) finds when a trace that lacks records has been read again.
template <class Visit>
auto read_again(const World& world, Visit visit) {
  Collector all;
  Matcher first(world.definitions, all);
  for (clc::Event event : world.events) {
    event.other_end = clc::OtherEnd::unknown;
    first.add(event);
  }
  REQUIRE(first.lacks_ends());
  Collector consistent;
  Matcher again(world.definitions, consistent, first);
  for (const clc::Event& event : world.events) again.add(event);
  return visit(consistent, again);
}

Estimate estimate_again(const World& world, Method method) {
  clc::sync::Options options;
  options.method = method;
  return read_again(world, [&](const Collector& collector, const Matcher& matcher) {
    return clc::sync::estimate(collector, matcher.records(), world.offsets.size(), world.definitions.resolution,
                               options);
  });
}

/// Without some sends at random.
World without_sends(const World& world, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> sends;
  for (std::size_t i = 0; i < world.events.size(); ++i)
    if (world.events[i].role == Role::send) sends.push_back(i);
  std::shuffle(sends.begin(), sends.end(), std::mt19937_64(seed));
  const std::set<std::size_t> lost(sends.begin(), sends.begin() + static_cast<std::ptrdiff_t>(count));
  World result = world;
  result.events.clear();
  for (std::size_t i = 0; i < world.events.size(); ++i)
    if (!lost.contains(i)) result.events.push_back(world.events[i]);
  return result;
}

/// Without the first records of a process.
World starting_late(const World& world, ProcessIndex process, std::size_t count) {
  World result = world;
  std::erase_if(result.events,
                [&](const clc::Event& event) { return event.process == process && count > 0 && count--; });
  return result;
}

TEST_CASE("law: lost sends and processes that start late leave the estimate better than the jitter of the messages") {
  for (const Method method : {Method::line, Method::smooth})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      WorldOptions options;
      options.seed = seed;
      options.jitter = 500;
      options.offset = options.rest / 2;  // clocks less apart than rounds
      const World world = make_world(options);
      for (const std::size_t count : {1U, 20U}) {
        const World damaged = without_sends(world, count, seed);
        CAPTURE(seed, count);
        CHECK(worst_error(world, estimate(damaged, method)) > options.jitter);
        CHECK(worst_error(world, estimate_again(damaged, method)) < options.jitter);
      }
      const World late = starting_late(world, static_cast<ProcessIndex>(seed), 60 * seed);
      CHECK(worst_error(world, estimate_again(late, method)) < options.jitter);
    }
}

TEST_CASE("law: where it is told which ends are missing the estimate is that of the trace without these ends") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    WorldOptions options;
    options.seed = seed;
    const World world = make_world(options);
    World damaged = world;
    damaged.events.clear();
    World sound = damaged;
    std::map<std::pair<ProcessIndex, ProcessIndex>, std::pair<std::size_t, std::size_t>> numbers;
    for (clc::Event event : world.events) {
      if (event.role != Role::send && event.role != Role::receive) continue;
      auto& [sends, receives] = numbers[{sender_of(event), receiver_of(event)}];
      const std::size_t number = event.role == Role::send ? sends++ : receives++;
      const bool is_lost = (number + sender_of(event) * 7 + receiver_of(event) * 5 + seed) % 20 == 0;
      if (is_lost && event.role == Role::send) continue;
      event.other_end = is_lost ? clc::OtherEnd::missing : clc::OtherEnd::present;
      damaged.events.push_back(event);
      if (!is_lost) sound.events.push_back(event);
    }
    REQUIRE(damaged.events.size() > sound.events.size());
    CAPTURE(seed);
    CHECK(worst_error(world, estimate_again(damaged, Method::line)) ==
          worst_error(world, estimate(sound, Method::line)));
  }
}

std::size_t contradicting(const World& world) {
  return read_again(world, [](const Collector&, const Matcher& matcher) { return matcher.contradicting(); });
}

TEST_CASE("law: a clock that is set contradicts where no end is missing, lost sends do not") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    WorldOptions options;
    options.seed = seed;
    options.jitter = 500;
    options.offset = options.rest / 2;
    World world = without_sends(make_world(options), 5, seed);
    CAPTURE(seed);
    CHECK(contradicting(world) == 0);
    const Time middle = world.events[world.events.size() / 2].time;
    for (clc::Event& event : world.events)
      if (event.process == 0 && event.time > middle) event.time = event.time + Ticks{1'000'000};
    CHECK(contradicting(world) > 0);
  }
}

}  // namespace
