// A first pass that several processes share: the same edges, operations and clocks as one finds, for any cut, any
// length of rounds, and windows that double at any moment.
#include <algorithm>
#include <barrier>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "for_seeds.hpp"
#include "random_trace.hpp"
#include "sync/divided_collector.hpp"
#include "sync/divided_matcher.hpp"
#include "sync/matcher.hpp"

namespace clc::test {

namespace {

using namespace clc::sync;  // NOLINT
using clc::Partners;

/// Processes as threads.
class Room {
 public:
  explicit Room(unsigned size) : given_(size), barrier_(size) {}
  [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(given_.size()); }
  std::vector<Partners::Numbers> exchange(unsigned rank, const std::vector<Partners::Numbers>& given) {
    given_[rank] = given;
    barrier_.arrive_and_wait();
    std::vector<Partners::Numbers> got;
    for (const auto& of : given_) got.push_back(of[rank]);
    barrier_.arrive_and_wait();
    return got;
  }

 private:
  std::vector<std::vector<Partners::Numbers>> given_;
  std::barrier<> barrier_;
};

class InRoom final : public Partners {
 public:
  InRoom(Room& room, unsigned rank) : room_(room), rank_(rank) {}
  [[nodiscard]] unsigned rank() const noexcept override { return rank_; }
  [[nodiscard]] unsigned size() const noexcept override { return room_.size(); }
  [[nodiscard]] std::vector<Numbers> all(const Numbers& own) override {
    return room_.exchange(rank_, std::vector<Numbers>(size(), own));
  }
  [[nodiscard]] std::vector<Numbers> exchange(const std::vector<Numbers>& given) override {
    return room_.exchange(rank_, given);
  }

 private:
  Room& room_;
  unsigned rank_;
};

/// All that an estimate takes from a first pass, as text.
std::string describe(const Collector& collector) {
  std::string text = std::to_string(collector.edges()) + " edges\n";
  for (const Track& track : collector.tracks()) {
    text += std::to_string(track.from) + '>' + std::to_string(track.to) + ':';
    for (const Sighting& point : track.points)
      text += ' ' + std::to_string(point.sent().ticks()) + '+' + std::to_string(point.packed());
    text += '\n';
  }
  for (const Gathering& gathering : collector.gatherings()) {
    text += "operation";
    for (const Gathering::Member& member : gathering.members)
      text += ' ' + std::to_string(member.clock) + ',' + std::to_string(member.begin.ticks()) + ',' +
              std::to_string(member.end.ticks()) + (member.tail ? "t" : "") + (member.head ? "h" : "");
    text += '\n';
  }
  return text;
}

std::string describe(const Records& records, std::size_t clocks) {
  std::string text = "tick " + std::to_string(records.coarsest_tick()) + '\n';
  for (ClockIndex clock = 0; clock < clocks; ++clock)
    if (const auto span = records.span(clock))
      text += std::to_string(clock) + ": " + std::to_string(span->first.ticks()) + ' ' +
              std::to_string(span->last.ticks()) + '\n';
  return text;
}

/// Runs a function for each of so many processes. Returns what the first one returns.
template <class Run>
std::string in_room(unsigned size, const Run& run) {
  Room room(size);
  std::string result;
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      InRoom partners(room, rank);
      std::string found = run(partners);
      if (rank == 0) result = std::move(found);
    });
  for (std::thread& thread : threads) thread.join();
  return result;
}

/// As a source of several processes delivers them: by the latest time so far of each, then by process.
std::vector<Event> in_order(const RandomTrace& trace) {
  std::map<ProcessIndex, Time> reached;
  std::vector<std::pair<Time, Event>> events;
  for (const Event& event : trace.events) {
    Time& time = reached.try_emplace(event.process, event.time).first->second;
    time = std::max(time, event.time);
    events.emplace_back(time, event);
  }
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.process) < std::pair(b.first, b.second.process);
  });
  std::vector<Event> sorted;
  for (const auto& [time, event] : events) sorted.push_back(event);
  return sorted;
}

CollectorLimits random_limits(Random& random) {
  constexpr std::int64_t windows[] = {2, 16, 1024};
  constexpr std::size_t points[] = {8, 100, std::size_t{1} << 20};
  return {windows[random.index(3)], random.index(4), points[random.index(3)]};
}

/// What lengths add, for one trace in two.
Transfer transfer_in(const RandomTrace& trace) {
  return trace.events.size() % 2 == 0 ? Transfer() : Transfer(100, trace.definitions.resolution);
}

std::string by_one(const RandomTrace& trace, const std::vector<Event>& events, const CollectorLimits& limits) {
  Collector collector(limits);
  Matcher matcher(trace.definitions, collector, transfer_in(trace));
  for (const Event& event : events) matcher.add(event);
  return (matcher.lacks_ends() || matcher.lacks_calls() ? "lacks records\n" : "") +
         describe(matcher.records(), trace.definitions.processes().size()) + describe(collector);
}

std::string by_several(const RandomTrace& trace, const std::vector<Event>& events, const CollectorLimits& limits,
                       const std::vector<unsigned>& owners, unsigned size, std::size_t round) {
  const std::size_t count = trace.definitions.processes().size();
  std::vector<std::vector<Event>> of_clock(count);
  for (const Event& event : events) of_clock[trace.definitions.processes()[event.process].clock].push_back(event);
  return in_room(size, [&](Partners& partners) {
    std::vector<std::size_t> at(count);
    const auto next = [&](ClockIndex clock, Event& event) {
      if (at[clock] == of_clock[clock].size()) return false;
      event = of_clock[clock][at[clock]++];
      return true;
    };
    DividedMatcher matcher(trace.definitions, owners, partners, next, transfer_in(trace), round, limits);
    matcher.read();
    const std::string records = (matcher.lacks_records() ? "lacks records\n" : "") + describe(matcher.records(), count);
    return records + describe(matcher.joined());
  });
}

/// A clock has the wrong date.
void move_a_clock(RandomTrace& trace, Random& random) {
  const ClockIndex moved = trace.definitions.processes()[random.index(trace.definitions.processes().size())].clock;
  const Ticks day = trace.definitions.resolution.ticks_of_seconds(86'400);
  for (Event& event : trace.events)
    if (trace.definitions.processes()[event.process].clock == moved) event.time = event.time + day;
}

bool is_named(const RandomTrace& trace) {
  return std::none_of(trace.events.begin(), trace.events.end(), [](const Event& event) {
    return (event.role == Role::send || event.role == Role::receive) && event.peer == no_process;
  });
}

TEST_CASE("divided: any number of processes, cut and length of rounds find what one finds") {
  std::size_t compared = 0;
  for_seeds(4, [&](std::uint64_t seed) -> std::string {
    for (const TraceOptions& kind : {TraceOptions{}, TraceOptions{.coarse = true}, TraceOptions{.non_blocking = true},
                                     TraceOptions{.shared_clocks = true}, TraceOptions{.set_back = true},
                                     TraceOptions{.defects = true}, TraceOptions{.chaos = true}}) {
      RandomTrace trace = random_trace(seed, kind);
      if (!is_named(trace)) continue;
      ++compared;
      Random random(seed);
      if (random.index(3) == 0) move_a_clock(trace, random);
      const std::vector<Event> events = in_order(trace);
      const CollectorLimits limits = random_limits(random);
      const std::string expected = by_one(trace, events, limits);
      const auto size = static_cast<unsigned>(random.integer(1, 8));
      std::vector<unsigned> owners;
      for (ProcessIndex p = 0; p < trace.definitions.processes().size(); ++p) {
        const ClockIndex clock = trace.definitions.processes()[p].clock;
        owners.push_back(clock == p ? static_cast<unsigned>(random.index(size)) : owners[clock]);
      }
      const std::size_t round = std::size_t{1} << random.index(10);
      const std::string found = by_several(trace, events, limits, owners, size, round);
      if (found != expected)
        return trace.describe() + ", " + std::to_string(size) + " processes, rounds of " + std::to_string(round) +
               ":\n" + found + "expected\n" + expected;
    }
    return {};
  });
  CHECK(compared > 0);
}

/// Edges and operations of random clocks, whose places are their order, and to whom they belong.
struct Added {
  EventPlace place;
  sync::Edge edge;
  std::uint64_t group = 0;
  Gathering gathering;  ///< instead of the edge
  unsigned owner = 0;
};

std::vector<Added> random_edges(Random& random, unsigned size) {
  const std::size_t clocks = 2 + random.index(random.chance(0.5) ? 2 : 12);
  const std::size_t count = 1 + random.index(3000);
  const Ticks scale = Ticks{1} << random.index(40);  // some traces are long
  const bool curved = random.chance(0.5);
  std::vector<Added> all;
  const Ticks start = random.integer(-5, 5) * scale;
  Ticks now = start;
  const auto clock = [&] { return static_cast<ClockIndex>(random.index(clocks)); };
  for (std::size_t i = 0; i < count; ++i) {
    if (random.chance(0.8)) now += random.integer(0, 100) * scale / 100;
    Added& added = all.emplace_back();
    added.place = {Time(now), clock(), static_cast<std::uint32_t>(i), 0};
    const auto near = [&] { return Time(now - random.integer(0, 1000) * scale / 50); };
    if (random.chance(0.1)) {
      added.group = random.index(3);
      added.owner = static_cast<unsigned>(added.group % size);
      for (std::size_t k = 2 + random.index(4); k > 0; --k)
        added.gathering.members.push_back({clock(), near(), Time(now), random.chance(0.9), random.chance(0.9)});
    } else {
      // On a curve of which each point is a corner, or anywhere.
      const Ticks place = (now - start) * 16 / scale;
      const Ticks half = place * place / 2;
      added.edge = {clock(),
                    clock(),
                    {curved ? Time(now - half) : near(), curved ? Time(now + half) : near(), random.chance(0.5)}};
      added.owner = added.edge.to % size;
    }
  }
  // The same time: by process, then as they came.
  std::sort(all.begin(), all.end(), [](const Added& a, const Added& b) { return a.place < b.place; });
  return all;
}

template <class Into>
void add(Into& collector, const Added& added) {
  if constexpr (std::is_same_v<Into, Collector>) {
    added.gathering.members.empty() ? collector.add(added.edge) : collector.add(added.group, added.gathering);
  } else {
    added.gathering.members.empty() ? collector.add(added.place, added.edge)
                                    : collector.add(added.place, added.group, added.gathering);
  }
}

TEST_CASE("divided: a collector of several processes keeps the points that one keeps, whenever windows double") {
  for_seeds(2, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const CollectorLimits limits = random_limits(random);
    const auto size = static_cast<unsigned>(random.integer(1, 5));
    const std::vector<Added> all = random_edges(random, size);
    const std::size_t tried = std::size_t{1} << random.index(12);
    Collector one(limits);
    for (const Added& added : all) add(one, added);
    std::vector<std::size_t> ends;  // of rounds
    while (ends.empty() || ends.back() < all.size())
      ends.push_back(std::min(all.size(), (ends.empty() ? 0 : ends.back()) + random.index(1500)));
    const std::string found = in_room(size, [&](Partners& partners) {
      DividedCollector collector(partners, limits, tried);
      std::size_t next = 0;
      for (const std::size_t end : ends) {
        std::vector<const Added*> own;
        for (; next < end; ++next)
          if (all[next].owner == partners.rank()) own.push_back(&all[next]);
        std::shuffle(own.begin(), own.end(), std::mt19937_64(seed));
        for (const Added* added : own) add(collector, *added);
        collector.end_round();
      }
      return describe(collector.joined());
    });
    const std::string expected = describe(one);
    return found == expected ? std::string() : found + "expected\n" + expected;
  });
}

}  // namespace

}  // namespace clc::test
