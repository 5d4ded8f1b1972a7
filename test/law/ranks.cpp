// The parallel replay: the same times for any number of ranks, any cut of the clocks and any order of delivery, and
// those of the filter where regulators B and C do nothing.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "clc/error.hpp"
#include "compare.hpp"
#include "epochs.hpp"
#include "for_seeds.hpp"
#include "random_trace.hpp"
#include "ranks/packed.hpp"
#include "ranks/replay.hpp"
#include "reference.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

/// Delivers items late, packed on their way, in any order between ranks.
class Network {
 public:
  Network(unsigned ranks, std::uint64_t seed)
      : random_(seed), lines_(ranks), idle_(ranks), quiet_(ranks), told_(ranks) {
    for (auto& line : lines_) line.resize(ranks);
  }

  class Port final : public ranks::Exchange {
   public:
    Port(Network& network, unsigned rank) : network_(network), rank_(rank) {}
    [[nodiscard]] unsigned rank() const noexcept override { return rank_; }
    [[nodiscard]] unsigned size() const noexcept override { return static_cast<unsigned>(network_.lines_.size()); }
    void post(unsigned to, const ranks::Item& item) override {
      std::vector<char> packed;
      ranks::pack(item, packed);
      const char* from = packed.data();
      network_.lines_[rank_][to].push_back({ranks::unpack(from), network_.told_[rank_]});
      REQUIRE(from == packed.data() + packed.size());
      ++network_.posted_[item.kind];
    }
    void poll(std::vector<ranks::Item>& items) override { network_.deliver(rank_, items); }
    bool quiet(ranks::Standstill& standstill) override { return network_.is_quiet(rank_, standstill); }

   private:
    Network& network_;
    unsigned rank_;
  };

  [[nodiscard]] std::size_t standstills() const { return standstills_; }
  [[nodiscard]] std::size_t under_way() const {
    std::size_t items = 0;
    for (const auto& line : lines_)
      for (const auto& queue : line) items += queue.size();
    return items;
  }
  [[nodiscard]] std::size_t posted(ranks::Item::Kind kind) const {
    const auto found = posted_.find(kind);
    return found == posted_.end() ? 0 : found->second;
  }

 private:
  void deliver(unsigned rank, std::vector<ranks::Item>& items) {
    for (auto& line : lines_) {
      auto& queue = line[rank];
      if (queue.empty() || random_.chance(0.5)) continue;
      for (std::size_t count = 1 + random_.index(queue.size()); count > 0; --count) {
        if (queue.front().told > told_[rank]) break;
        items.push_back(queue.front().item);
        queue.pop_front();
      }
    }
    if (!items.empty()) idle_[rank].reset();
  }
  std::vector<std::size_t> random_order(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random_.index(i)]);
    return order;
  }
  bool is_quiet(unsigned rank, ranks::Standstill& standstill) {
    if (quiet_[rank]) {
      standstill = *quiet_[rank];
      quiet_[rank].reset();
      idle_[rank].reset();
      ++told_[rank];
      return true;
    }
    idle_[rank] = standstill;
    const auto under_way = [](const auto& line) {
      return std::any_of(line.begin(), line.end(), [](const auto& queue) { return !queue.empty(); });
    };
    if (std::any_of(lines_.begin(), lines_.end(), under_way)) return false;
    if (std::any_of(quiet_.begin(), quiet_.end(), [](const auto& told) { return told.has_value(); })) return false;
    ranks::Standstill all;
    for (const std::size_t i : random_order(idle_.size())) {
      if (!idle_[i]) return false;
      all.join(*idle_[i]);
    }
    quiet_.assign(quiet_.size(), all);
    ++standstills_;
    return false;
  }

  Random random_;
  std::map<ranks::Item::Kind, std::size_t> posted_;
  struct Posted {
    ranks::Item item;
    std::size_t told = 0;  // how often its sender was told that all are quiet
  };
  std::vector<std::vector<std::deque<Posted>>> lines_;  // from, to
  std::vector<std::optional<ranks::Standstill>> idle_;
  std::vector<std::optional<ranks::Standstill>> quiet_;  // not told yet
  std::vector<std::size_t> told_;                        // how often
  std::size_t standstills_ = 0;
};

/// The events of a trace in memory, by clock.
class Events final : public ranks::Input, public ranks::Output {
 public:
  Events(const Definitions& definitions, std::span<const Event> events, std::vector<Time>& written)
      : events_(events), clocks_(definitions.processes().size()), processes_(clocks_.size()), written_(written) {
    for (std::size_t e = 0; e < events.size(); ++e) {
      clocks_[definitions.processes()[events[e].process].clock].list.push_back(e);
      processes_[events[e].process].list.push_back(e);
    }
  }
  bool next(ClockIndex clock, Event& event) override {
    Places& places = clocks_[clock];
    if (places.at == places.list.size()) return false;
    event = events_[places.list[places.at++]];
    return true;
  }
  /// Of some clocks.
  bool messages(ClockIndex clock, std::vector<CountedEvent>& all) override {
    if (clock % 3 == 0) return false;
    for (const std::size_t e : clocks_[clock].list) {
      Event event = events_[e];
      event.time = {};
      if (event.role >= Role::collective_begin || event.overtakes > 0) return false;
      if (event.role == Role::internal) continue;
      if (!all.empty() && all.back().event == event)
        ++all.back().count;
      else
        all.push_back({event, 1});
    }
    ++told;
    return true;
  }
  void rewind() override {
    for (Places& places : clocks_) places.at = 0;
  }
  void written(ProcessIndex process, std::span<const CorrectedTime> events) override {
    Places& places = processes_[process];
    for (const CorrectedTime& event : events) {
      REQUIRE(places.at < places.list.size());
      const std::size_t e = places.list[places.at++];
      REQUIRE(events_[e].time == event.recorded);
      written_[e] = event.corrected;
      ++count;
    }
  }
  /// Events that were read and are not written.
  [[nodiscard]] std::size_t behind() const { return read() - count; }
  [[nodiscard]] std::size_t read() const {
    std::size_t read = 0;
    for (const Places& places : clocks_) read += places.at;
    return read;
  }
  std::size_t count = 0;
  inline static std::size_t told = 0;  ///< clocks of which all messages were told at once, in all tests

 private:
  struct Places {
    std::vector<std::size_t> list;
    std::size_t at = 0;
  };
  std::span<const Event> events_;
  std::vector<Places> clocks_;
  std::vector<Places> processes_;
  std::vector<Time>& written_;
};

struct Replayed {
  std::vector<Time> written;
  std::array<std::uint64_t, cases.size()> counters{};
  ranks::Replay::Regulation regulation;
  ranks::Replay::Evidence evidence;
  ranks::TripSample trips;
  std::map<std::pair<ProcessIndex, ProcessIndex>, Ticks> smallest_delays;  ///< of each sender and receiver
  double clock_difference = 0;                                             ///< ticks, at first

  [[nodiscard]] std::uint64_t counted(Case which) const { return counters[static_cast<std::size_t>(which)]; }
  /// A jump was larger than the largest clock difference.
  [[nodiscard]] bool grew() const { return regulation.largest_jump > clock_difference; }
  [[nodiscard]] bool is_regulated() const { return regulation.b.below > 0 || regulation.c.below > 0; }
  [[nodiscard]] auto figures() const {
    const ranks::Replay::Regulation& r = regulation;
    const EpochSummary& e = r.events;
    return std::tuple(e.smallest, e.largest, e.simple_offset, e.decaying, e.simple_time, e.jump, e.jumped, e.proof,
                      e.all_ahead, r.gamma.events, r.gamma.below, r.gamma.lowest, r.b.below, r.b.lowest, r.c.below,
                      r.c.lowest, r.events_below_gamma_max, r.largest_jump, r.cuts);
  }
  [[nodiscard]] auto for_the_verdict() const {
    const ranks::Movement& m = evidence.movement;
    return std::tuple(m.first_recorded, m.first_corrected, m.last_recorded, m.last_corrected, m.clocks, m.local_time,
                      m.changed, evidence.messages, evidence.ends, evidence.operations, evidence.ahead, trips.numbers(),
                      smallest_delays);
  }
  friend bool operator==(const Replayed& a, const Replayed& b) {
    return a.written == b.written && a.counters == b.counters && a.figures() == b.figures() &&
           a.for_the_verdict() == b.for_the_verdict();
  }
};

/// owners: the rank of each process. Turns as `random` says.
Replayed replay(const RandomTrace& trace, const Parameters& parameters, const std::vector<unsigned>& owners,
                unsigned ranks, Network& network, Random& random) {
  Replayed result;
  result.written.resize(trace.events.size());
  std::deque<Network::Port> ports;
  std::deque<Events> events;
  std::vector<std::unique_ptr<ranks::Replay>> all;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    events.emplace_back(trace.definitions, trace.events, result.written);
    ports.emplace_back(network, rank);
    all.push_back(std::make_unique<ranks::Replay>(parameters, trace.definitions, owners, events.back(), events.back(),
                                                  ports.back()));
  }
  std::vector<bool> over(ranks);
  for (std::size_t open = ranks; open > 0;) {
    const std::size_t rank = random.index(ranks);
    if (over[rank] || all[rank]->advance()) continue;
    over[rank] = true;
    --open;
  }
  std::size_t written = 0;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    written += events[rank].count;
    result.regulation.join(all[rank]->regulation());
    result.evidence.join(all[rank]->evidence());
    result.trips.join(all[rank]->trips());
    for (const auto& [sender, receiver, delay] : all[rank]->directions())
      REQUIRE(result.smallest_delays.emplace(std::pair(sender, receiver), delay).second);
    for (const CaseInfo& info : cases)
      result.counters[static_cast<std::size_t>(info.which)] += all[rank]->counted(info.which);
  }
  REQUIRE(written == trace.events.size());
  result.clock_difference =
      static_cast<double>(trace.definitions.resolution.ticks_of_microseconds(parameters.clock_difference_us));
  return result;
}

/// With that many ranks; cut, turns and delivery as the seed says.
Replayed replay(const RandomTrace& trace, const Parameters& parameters, unsigned ranks, std::uint64_t seed) {
  Random random(seed);
  std::vector<unsigned> owners;
  for (ProcessIndex p = 0; p < trace.definitions.processes().size(); ++p) {
    const ClockIndex clock = trace.definitions.processes()[p].clock;
    owners.push_back(clock == p ? static_cast<unsigned>(random.index(ranks)) : owners[clock]);
  }
  Network network(ranks, seed);
  return replay(trace, parameters, owners, ranks, network, random);
}

/// Regulators that act, and clock differences that grow.
Parameters regulated(Parameters parameters, Random& random) {
  if (random.chance(0.5)) parameters.rule = Parameters::Rule::thesis;
  if (random.chance(0.5)) parameters.gamma_min = random.pick<double>({0, 0.5, 0.9});
  if (random.chance(0.2)) parameters.gamma_max = random.pick<double>({1, 0.999, 0.9});
  if (random.chance(0.3)) parameters.norm = Norm::sixteenth;
  parameters.regulator_b = random.chance(0.8);
  parameters.regulator_c = random.chance(0.8);
  parameters.amortization = random.chance(0.9);
  parameters.clock_difference_us *= random.pick<double>({0, 0.001, 0.1, 1, 10});
  return parameters;
}

/// What the parallel replay assumes: a largest clock difference that is not exceeded, no wait limit.
Parameters fixed(Parameters parameters, bool regulates = false) {
  parameters.regulator_b = parameters.regulator_c = regulates;
  parameters.clock_difference_us *= 100 / parameters.max_error_percent;
  parameters.max_error_percent = 100;
  parameters.wait_limit_s = 1e6;
  parameters.match = Match::fifo;
  return parameters;
}

std::string first_difference(const RandomTrace& trace, std::span<const Time> found, std::span<const Time> expected) {
  for (std::size_t e = 0; e < found.size(); ++e)
    if (found[e] != expected[e])
      return "event " + std::to_string(e) + " of process " + std::to_string(trace.events[e].process) + " moved by " +
             std::to_string(found[e] - trace.events[e].time) + ", expected " +
             std::to_string(expected[e] - trace.events[e].time);
  return {};
}

/// The first of these cases of which the numbers differ.
std::string first_difference(const Replayed& found, const Analysis& expected, std::initializer_list<Case> which) {
  for (const Case each : which)
    if (found.counted(each) != expected.counted(each))
      return std::string(cases[static_cast<std::size_t>(each)].name) + " " + std::to_string(found.counted(each)) +
             ", expected " + std::to_string(expected.counted(each));
  return {};
}

/// Messages without the name of the other process are refused.
bool is_named(const RandomTrace& trace) {
  return std::none_of(trace.events.begin(), trace.events.end(), [](const Event& event) {
    return (event.role == Role::send || event.role == Role::receive) && event.peer == no_process;
  });
}

constexpr unsigned numbers_of_ranks[] = {1, 2, 3, 5, 8};

const std::vector<TraceOptions>& kinds() {
  static const std::vector<TraceOptions> list{{},
                                              {.coarse = true},
                                              {.non_blocking = true},
                                              {.shared_clocks = true},
                                              {.set_back = true},
                                              {.defects = true},
                                              {.chaos = true}};
  return list;
}

TEST_CASE("ranks: the sample of round trips is the same for any division, and finds the fastest trips") {
  // Each pair of 40 processes pings and pongs 50 times, in 5 ticks or more each way; the clock of process p is 1000 p
  // ahead.
  Random random(3);
  ranks::TripSample all;
  std::array<ranks::TripSample, 3> parts;
  const auto clock = [](ProcessIndex process, Ticks time) { return Time(time + 1000 * Ticks{process}); };
  Ticks time = 0;
  for (int round = 0; round < 50; ++round)
    for (ProcessIndex a = 0; a < 40; ++a)
      for (ProcessIndex b = 0; b < a; ++b)
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
          const Ticks received = time + 5 + static_cast<Ticks>(random.index(3));
          for (ranks::TripSample* sample : {&all, &parts[to % 3]})
            sample->add(from, to, clock(from, time), clock(to, received), 6);
          time = received + 1;
        }
  ranks::TripSample joined;
  for (const std::size_t rank : {2U, 0U, 1U}) joined.join(ranks::TripSample::of(parts[rank].numbers()));
  CHECK(joined.numbers() == all.numbers());
  CHECK(all.numbers().size() == 5 * 2 * ranks::TripSample::most_pairs * ranks::TripSample::most_messages);
  const RoundTripStatistics trips = joined.trips();
  CHECK(trips.smallest() == 5);
  CHECK(trips.trips() >= ranks::TripSample::most_messages * ranks::TripSample::most_pairs);  // each pong
  CHECK(trips.near() == 0);
}

TEST_CASE("ranks: tables are those of the own clocks") {
  RandomTrace trace;
  constexpr ProcessIndex processes = 1000;
  for (ProcessIndex p = 0; p < processes; ++p) trace.definitions.add_process(p, "");
  Network network(2, 1);
  Network::Port port(network, 0);
  std::vector<Time> written;
  Events none(trace.definitions, trace.events, written);
  const auto tables = [&](ProcessIndex own) {
    std::vector<unsigned> owners(processes, 1);
    std::fill(owners.begin(), owners.begin() + own, 0U);
    return ranks::Replay({}, trace.definitions, owners, none, none, port).memory().tables;
  };
  CHECK(tables(processes) > 400 * processes);
  CHECK(tables(processes / 100) < tables(processes) / 50);
}

TEST_CASE("values by channel are found whichever were used before, and stay where they are") {
  std::mt19937_64 random(1);
  ranks::ChannelTable<std::uint64_t> table;
  std::map<std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>, std::uint64_t> plain;
  std::map<std::uint64_t*, std::uint64_t> places;
  std::array<ranks::ChannelTable<std::uint64_t>::Trail, 5> trails;
  const auto number = [&random](std::uint64_t most) { return static_cast<std::uint32_t>(random() % most); };
  for (std::uint64_t i = 1; i < 50'000; ++i) {
    const std::uint32_t few = i % 3 == 0 ? 2 : 20;
    const Channel channel{number(few), number(few), number(3), std::int64_t{number(4)} - 2};
    std::uint64_t& value =
        i % 7 == 0 ? table[channel] : table.next(trails[i % trails.size()], channel, random() % 2 == 0);
    std::uint64_t& same = plain[{channel.sender, channel.receiver, channel.communicator, channel.tag}];
    REQUIRE(value == same);
    REQUIRE(places[&value] == same);
    value = same = places[&value] = i;
  }
  CHECK(plain.size() > 4000);
  std::uint64_t sum = 0;
  for (const auto& [channel, value, next] : table) sum += value;
  for (const auto& [channel, value] : plain) sum -= value;
  CHECK(sum == 0);
}

/// Empty if the times and figures are the same for all numbers of ranks.
std::string differences_of_ranks(const RandomTrace& trace, const Parameters& parameters, const Replayed& expected,
                                 std::uint64_t seed) {
  for (const unsigned ranks : numbers_of_ranks) {
    const Replayed found = replay(trace, parameters, ranks, seed + ranks);
    if (found == expected) continue;
    return trace.describe() + ", " + std::to_string(ranks) + " ranks: other counts, or " +
           first_difference(trace, found.written, expected.written);
  }
  return {};
}

TEST_CASE("ranks: any number, cut and delivery give the same times and counts") {
  for_seeds(8, [&](std::uint64_t seed) -> std::string {
    for (const TraceOptions& kind : kinds()) {
      const RandomTrace trace = random_trace(seed, kind);
      if (!is_named(trace)) continue;
      const Replayed expected = replay(trace, trace.parameters, 1, seed);
      std::string fault = differences_of_ranks(trace, trace.parameters, expected, seed);
      if (!fault.empty()) return fault;
    }
    return {};
  });
  CHECK(Events::told > 0);
}

TEST_CASE("ranks: any number gives the same where regulators act and clock differences grow") {
  std::array<std::size_t, 3> acted{};  // B, C, growth
  for_seeds(8, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    for (const TraceOptions& kind : kinds()) {
      const RandomTrace trace = random_trace(seed, kind);
      if (!is_named(trace)) continue;
      const Parameters parameters = regulated(trace.parameters, random);
      const Replayed expected = replay(trace, parameters, 1, seed);
      acted[0] += expected.regulation.b.below > 0 ? 1U : 0U;
      acted[1] += expected.regulation.c.below > 0 ? 1U : 0U;
      acted[2] += expected.grew() ? 1U : 0U;
      std::string fault = differences_of_ranks(trace, parameters, expected, seed);
      if (!fault.empty()) return fault;
    }
    return {};
  });
  if (number("CLC_SEED", 0) == 0)
    for (const std::size_t times : acted) CHECK(times > 0);
}

/// A token that is passed on and back along coarse clocks, of which each ticks at another time [R 6.3.2].
RandomTrace token_on_coarse_clocks(ProcessIndex processes, std::size_t rounds) {
  constexpr Ticks delay = 250;
  constexpr Ticks tick = 10'000;
  RandomTrace trace;
  trace.definitions.resolution = Resolution(1'000'000);
  std::vector<ProcessIndex> members;
  for (ProcessIndex p = 0; p < processes; ++p)
    members.push_back(trace.definitions.add_process(p, "rank" + std::to_string(p)));
  trace.definitions.add_communicator(0, Members(members));
  trace.parameters.min_delay_us = delay;
  Ticks now = 0;
  const auto happen = [&](Role role, ProcessIndex process, ProcessIndex peer) {
    const Ticks phase = tick * process / processes;
    Event event{Time((now + tick - phase) / tick * tick + phase), process, role};
    event.peer = peer;
    event.communicator = 0;
    trace.events.push_back(event);
  };
  for (std::size_t hop = 0; hop < rounds * 2 * (processes - 1); ++hop) {
    const auto place = static_cast<ProcessIndex>(hop % (2 * (processes - 1)));
    const bool is_forth = place < processes - 1;
    const ProcessIndex from = is_forth ? place : 2 * (processes - 1) - place;
    const ProcessIndex to = is_forth ? from + 1 : from - 1;
    happen(Role::send, from, to);
    now += delay;
    happen(Role::receive, to, from);
    now += 10;
  }
  std::stable_sort(trace.events.begin(), trace.events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  return trace;
}

TEST_CASE("ranks: clocks that cannot be quartz clocks are found out and held, by any number of ranks") {
  const RandomTrace trace = token_on_coarse_clocks(20, 30);
  Parameters parameters = trace.parameters;
  const Replayed evidence = replay(trace, parameters, 1, 1);
  CHECK(evidence.regulation.events.proof != Time::latest());
  CHECK(evidence.is_regulated());
  CHECK(differences_of_ranks(trace, parameters, evidence, 1).empty());
  // As in the thesis: LC' does not run away from clocks that are 10 ms apart.
  parameters.rule = Parameters::Rule::thesis;
  parameters.gamma_min = 0;
  const Replayed thesis = replay(trace, parameters, 1, 1);
  CHECK(thesis.regulation.b.below > 0);
  CHECK(thesis.regulation.c.below > 0);
  CHECK(thesis.regulation.events.largest < 40'000);
  CHECK(differences_of_ranks(trace, parameters, thesis, 1).empty());
  parameters.regulator_b = parameters.regulator_c = false;
  CHECK(replay(trace, parameters, 1, 1).regulation.events.largest > 100'000);
}

TEST_CASE("ranks: times are those of the plain reference by epochs") {
  std::size_t compared = 0;
  std::size_t acted = 0;
  for_seeds(4, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    for (const TraceOptions& kind : kinds()) {
      const RandomTrace trace = random_trace(seed, kind);
      if (kind.chaos || !is_named(trace)) continue;
      Parameters parameters = regulated(trace.parameters, random);
      parameters.wait_limit_s = 1e6;
      const Reference per_event = reference(parameters, trace.definitions, trace.events);
      if (per_event.counted(Case::wait_in_circle) > 0 || per_event.counted(Case::operation_mismatch) > 0) continue;
      const Reference expected = epochs(parameters, trace.definitions, trace.events, per_event);
      const Replayed found = replay(trace, parameters, 1 + seed % 4, seed);
      ++compared;
      acted += found.is_regulated() ? 1U : 0U;
      const std::vector<double> errors = rounding_errors(trace.events, expected.written);
      for (std::size_t e = 0; e < trace.events.size(); ++e)
        if (std::abs(static_cast<double>(found.written[e] - expected.written[e])) > 1 + errors[e])
          return trace.describe() + " kind " + std::to_string(&kind - kinds().data()) + ": " +
                 first_difference(trace, found.written, expected.written);
      if (std::abs(found.regulation.gamma.lowest - expected.lowest_gamma) > 1e-6)
        return trace.describe() + ": lowest gamma " + std::to_string(found.regulation.gamma.lowest) + ", expected " +
               std::to_string(expected.lowest_gamma);
    }
    return {};
  });
  if (number("CLC_SEED", 0) == 0) {
    CHECK(compared > 0);
    CHECK(acted > 0);
  }
}

/// So many operations of all processes, in which none lacks a record and all send and receive data.
RandomTrace operations_of_all(ProcessIndex processes, std::size_t operations, Operation operation, Random& random) {
  RandomTrace trace;
  std::vector<ProcessIndex> members;
  for (ProcessIndex p = 0; p < processes; ++p)
    members.push_back(trace.definitions.add_process(p, "rank" + std::to_string(p)));
  const CommunicatorIndex world = trace.definitions.add_communicator(0, Members(members));
  std::vector<Ticks> ahead(processes);
  for (Ticks& ticks : ahead) ticks = random.integer(0, 300'000);
  for (std::size_t i = 0; i < operations; ++i) {
    for (const bool begins : {true, false}) {
      for (ProcessIndex p = 0; p < processes; ++p) {
        const Ticks at =
            static_cast<Ticks>(i) * 1'000'000 + ahead[p] + (begins ? 0 : 500'000) + random.integer(0, 99'999);
        Event event{Time(at), p, begins ? Role::collective_begin : Role::collective_end};
        event.operation = operation;
        event.communicator = world;
        if (info(operation).rooted) event.root = static_cast<Rank>(i % processes);
        event.bytes = event.received = 8;
        trace.events.push_back(event);
      }
    }
  }
  std::stable_sort(trace.events.begin(), trace.events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  return trace;
}

TEST_CASE("ranks: an operation of members that agree costs two items for each direction and rank at most") {
  using Kind = ranks::Item::Kind;
  constexpr std::size_t count = 20;
  for_seeds(4, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const auto processes = static_cast<ProcessIndex>(random.integer(2, 40));
    for (const Operation operation : {Operation::allreduce, Operation::bcast, Operation::reduce}) {
      const RandomTrace trace = operations_of_all(processes, count, operation, random);
      std::vector<unsigned> owners(processes);
      for (ProcessIndex p = 0; p < processes; ++p) owners[p] = p;
      Network network(processes, seed);
      const Replayed found = replay(trace, trace.parameters, owners, processes, network, random);
      if (found != replay(trace, trace.parameters, 1, seed)) return "not the times of a single rank";
      const std::size_t ways = info(operation).rooted ? 1 : 2;
      const std::size_t most = count * 2 * ways * (processes - 1);
      if (network.posted(Kind::part) + network.posted(Kind::limit) > 0) return "items for each member";
      for (const Kind kind : {Kind::begins, Kind::ended})
        if (network.posted(kind) > most || network.posted(kind) < count * ways * (processes - 1))
          return std::to_string(network.posted(kind)) + " items of " + std::to_string(processes) + " ranks for " +
                 std::string(info(operation).name);
    }
    return {};
  });
}

/// Hands over items one by one.
class Drip final : public ranks::Exchange {
 public:
  explicit Drip(ranks::Exchange& source) : source_(source) {}
  [[nodiscard]] unsigned rank() const noexcept override { return source_.rank(); }
  [[nodiscard]] unsigned size() const noexcept override { return source_.size(); }
  void post(unsigned to, const ranks::Item& item) override { source_.post(to, item); }
  void poll(std::vector<ranks::Item>& items) override {
    source_.poll(held_);
    if (held_.empty()) return;
    items.push_back(held_.front());
    held_.erase(held_.begin());
  }
  bool quiet(ranks::Standstill& standstill) override { return held_.empty() && source_.quiet(standstill); }

 private:
  ranks::Exchange& source_;
  std::vector<ranks::Item> held_;
};

/// Process 0 sends 10,000 messages to process 1, every 200 us, which arrive 100 us later on the recorded clocks.
RandomTrace one_way_messages() {
  RandomTrace trace;
  for (ProcessIndex p = 0; p < 2; ++p) trace.definitions.add_process(p, "rank" + std::to_string(p));
  trace.definitions.add_communicator(0, Members({0, 1}));
  for (Ticks i = 0; i < 20'000; ++i) {
    Event event{Time(i * 100'000), static_cast<ProcessIndex>(i % 2), i % 2 == 0 ? Role::send : Role::receive};
    event.peer = 1 - event.process;
    event.communicator = 0;
    trace.events.push_back(event);
  }
  return trace;
}

/// Number of epochs, for the default parameters.
std::size_t epochs_of(const RandomTrace& trace) {
  const Ticks all = trace.events.back().time - trace.events.front().time;
  return static_cast<std::size_t>(all / epoch_length(trace.parameters, trace.definitions)) + 1;
}

TEST_CASE("ranks: where clocks are right, each clock asks for a cut once in 16 epochs at most") {
  const RandomTrace trace = one_way_messages();
  REQUIRE(epochs_of(trace) > 125);
  for (const unsigned ranks : {1U, 2U}) {
    const Replayed found = replay(trace, trace.parameters, ranks, ranks);
    CHECK(found.regulation.gamma.events == 0);
    CHECK(found.regulation.cuts <= 2 * (epochs_of(trace) / 16 + 1));
  }
}

TEST_CASE("ranks: a clock that waits for nobody does not run further ahead than 18 epochs") {
  RandomTrace trace = one_way_messages();
  trace.parameters.min_delay_us = 150;  // process 1 is always ahead
  const std::vector<unsigned> owners{0, 1};
  std::vector<Time> written(trace.events.size());
  Network network(2, 1);
  std::deque<Network::Port> ports;
  std::deque<Events> events;
  std::deque<ranks::Replay> replays;
  for (unsigned rank = 0; rank < 2; ++rank) {
    events.emplace_back(trace.definitions, trace.events, written);
    replays.emplace_back(trace.parameters, trace.definitions, owners, events.back(), events.back(),
                         ports.emplace_back(network, rank));
  }
  while (!replays[0].is_counted() || !replays[1].is_counted())
    for (ranks::Replay& replay : replays)
      if (!replay.is_counted()) replay.advance();
  // The sender has the processor for itself nearly always.
  std::size_t most = 0;
  for (std::size_t turn = 0; replays[0].advance() || replays[1].advance(); ++turn) {
    if (turn % 1000 == 0) replays[1].advance();
    const std::size_t received = events[1].read();
    most = std::max(most, events[0].read() - std::min(events[0].read(), received));
  }
  const std::size_t in_epoch = trace.events.size() / 2 / epochs_of(trace) + 1;
  CHECK(events[0].read() == trace.events.size() / 2);
  CHECK(most <= 20 * in_epoch);
}

TEST_CASE("ranks: what nobody waits for is done in time while there is always something else to do") {
  const RandomTrace trace = one_way_messages();
  Parameters parameters = trace.parameters;
  parameters.amortization = false;
  const std::vector<unsigned> owners{1, 0};
  std::vector<Time> written(trace.events.size());
  Network network(2, 1);
  std::deque<Network::Port> ports;
  std::deque<Drip> drips;
  std::deque<Events> events;
  std::deque<ranks::Replay> replays;
  for (unsigned rank = 0; rank < 2; ++rank) {
    events.emplace_back(trace.definitions, trace.events, written);
    drips.emplace_back(ports.emplace_back(network, rank));
    replays.emplace_back(parameters, trace.definitions, owners, events.back(), events.back(), drips.back());
  }
  while (!replays[0].is_counted() || !replays[1].is_counted())
    for (ranks::Replay& replay : replays)
      if (!replay.is_counted()) replay.advance();
  std::size_t most = 0;
  std::array<bool, 2> goes_on{true, true};
  while (goes_on[0] || goes_on[1]) {
    for (const unsigned rank : {0U, 1U}) goes_on[rank] = goes_on[rank] && replays[rank].advance();
    most = std::max(most, events[0].behind());
  }
  CHECK(most < 1000);
  CHECK(events[0].count + events[1].count == trace.events.size());
}

/// A file that cannot be read any more after some events.
class Broken final : public ranks::Input {
 public:
  Broken(ranks::Input& events, std::uint64_t after) : events_(events), left_(after) {}
  bool next(ClockIndex clock, Event& event) override {
    if (left_-- == 0) throw InputError("broken");
    return events_.next(clock, event);
  }
  bool messages(ClockIndex, std::vector<CountedEvent>&) override { return false; }
  void rewind() override { events_.rewind(); }

 private:
  ranks::Input& events_;
  std::uint64_t left_;
};

TEST_CASE("ranks: if one or several fail, the others end, too, and nothing stays under way") {
  enum class State : std::uint8_t { works, leaves, over };
  for_seeds(2, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const RandomTrace trace = random_trace(seed, {});
    for (const unsigned ranks : {1U, 2U, 5U}) {
      std::vector<unsigned> owners;
      for (const Process& process : trace.definitions.processes()) owners.push_back(process.clock % ranks);
      std::vector<Time> written(trace.events.size());
      Network network(ranks, seed);
      std::deque<Network::Port> ports;
      std::deque<Events> events;
      std::deque<Broken> inputs;
      std::deque<ranks::Replay> replays;
      std::vector<State> states(ranks);
      std::size_t failures = 0;
      std::size_t told = 0;
      const std::size_t broken = random.index(ranks);
      for (unsigned rank = 0; rank < ranks; ++rank) {
        const bool breaks = rank == broken || random.chance(0.2);
        events.emplace_back(trace.definitions, trace.events, written);
        inputs.emplace_back(events.back(), breaks ? random.index(2 * trace.events.size() / ranks) : UINT64_MAX);
        replays.emplace_back(trace.parameters, trace.definitions, owners, inputs.back(), events.back(),
                             ports.emplace_back(network, rank));
      }
      const auto turn = [&](std::size_t rank) {
        try {
          if (states[rank] == State::leaves ? ranks::drain(ports[rank]) : !replays[rank].advance())
            states[rank] = State::over;
        } catch (const InputError&) {
          ++failures;
          states[rank] = State::leaves;
          ranks::end_early(ports[rank]);
        } catch (const ranks::OtherRankFailed&) {
          ++told;
          states[rank] = State::leaves;
        }
      };
      for (std::size_t turns = 0; std::count(states.begin(), states.end(), State::over) < ranks; ++turns) {
        if (turns > 10'000'000) return "it does not end";
        const std::size_t rank = random.index(ranks);
        if (states[rank] != State::over) turn(rank);
      }
      if (failures > 0 && failures + told != ranks) return "not all ranks have ended early";
      if (network.under_way() > 0) return "items under way";
      const auto is_done = [](const ranks::Replay& replay) { return replay.is_done(); };
      if (failures == 0 && !std::all_of(replays.begin(), replays.end(), is_done)) return "ended without a failure";
    }
    return {};
  });
}

/// Loses some sends, receives and collective calls, and tells so of the others: only of channels and communicators of
/// which nothing was missing before, and on which no receive overtakes another one. Returns how many were lost.
std::size_t lose_and_tell(RandomTrace& trace, Random& random) {
  constexpr double share = 0.05;
  std::vector<Event>& events = trace.events;
  std::vector<bool> lost(events.size());
  std::map<std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>,
           std::array<std::vector<std::size_t>, 2>>
      channels;
  std::map<CommunicatorIndex, std::map<ProcessIndex, std::vector<std::size_t>>> calls;
  std::map<std::pair<ProcessIndex, std::int64_t>, std::size_t> begins;
  std::vector<std::optional<std::size_t>> begin_of(events.size());
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Event& event = events[e];
    if (ranks::is_message(event))
      channels[{sender_of(event), receiver_of(event), event.communicator, event.tag}][event.role == Role::receive]
          .push_back(e);
    if (event.role == Role::collective_begin) begins[{event.process, event.tag}] = e;
    if (event.role != Role::collective_end) continue;
    calls[event.communicator][event.process].push_back(e);
    if (const auto begin = begins.find({event.process, event.tag}); begin != begins.end()) begin_of[e] = begin->second;
  }
  for (const auto& [channel, ends] : channels) {
    const auto& [sends, receives] = ends;
    const auto overtakes = [&](std::size_t e) { return events[e].overtakes > 0; };
    if (sends.size() != receives.size() || std::any_of(receives.begin(), receives.end(), overtakes)) continue;
    for (std::size_t k = 0; k < sends.size(); ++k) {
      for (const std::size_t e : {sends[k], receives[k]}) {
        lost[e] = random.chance(share);
        events[sends[k] + receives[k] - e].other_end = lost[e] ? OtherEnd::missing : OtherEnd::present;
      }
    }
  }
  for (const auto& [communicator, members] : calls) {
    const std::size_t operations = members.begin()->second.size();
    if (std::any_of(members.begin(), members.end(),
                    [&](const auto& member) { return member.second.size() != operations; }) ||
        members.size() != trace.definitions.communicators()[communicator].members.size())
      continue;
    std::map<ProcessIndex, std::uint16_t> missed;
    for (std::size_t k = 0; k < operations; ++k) {
      std::uint8_t absent = 0;
      for (const auto& [process, ends] : members)
        if (begin_of[ends[k]] && random.chance(share)) {
          lost[ends[k]] = lost[*begin_of[ends[k]]] = true;
          ++absent;
        }
      for (const auto& [process, ends] : members) {
        if (lost[ends[k]]) {
          ++missed[process];
          continue;
        }
        events[ends[k]].absent = absent;
        events[ends[k]].missed = std::exchange(missed[process], std::uint16_t{0});
      }
    }
  }
  std::vector<Event> left;
  for (std::size_t e = 0; e < events.size(); ++e)
    if (!lost[e]) left.push_back(events[e]);
  const std::size_t count = events.size() - left.size();
  events = std::move(left);
  return count;
}

TEST_CASE("ranks: an operation of which all ends are lost is not counted as incomplete at the end of a trace either") {
  Random random(1);
  RandomTrace trace = operations_of_all(2, 3, Operation::allreduce, random);
  // The second operation is lost by both, the third by process 0: its event times begin at 2'000'000.
  std::vector<Event> left;
  for (Event event : trace.events) {
    const Ticks operation = event.time.ticks() / 1'000'000;
    if (operation == 1 || (operation == 2 && event.process == 0)) continue;
    if (operation == 2 && event.role == Role::collective_end) event.missed = event.absent = 1;
    left.push_back(event);
  }
  trace.events = std::move(left);
  const Parameters parameters = fixed(trace.parameters);
  const Run expected = run_filter(parameters, trace.definitions, trace.events);
  REQUIRE(expected.analysis.counted(Case::collective_incomplete) == 1);
  for (const unsigned ranks : {1U, 2U})
    CHECK(replay(trace, parameters, ranks, 1).counted(Case::collective_incomplete) == 1);
}

TEST_CASE("ranks: times and counts are those of the filter where it is known which records are lost") {
  std::size_t compared = 0;
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    for (const TraceOptions& kind : kinds()) {
      if (kind.chaos || kind.defects || kind.set_back) continue;  // the order would depend on what is lost
      RandomTrace trace = random_trace(seed, kind);
      Random random(seed);
      if (!is_named(trace) || lose_and_tell(trace, random) == 0) continue;
      const Parameters parameters = fixed(trace.parameters);
      const Run expected = run_filter(parameters, trace.definitions, trace.events);
      if (!expected.fault.empty()) return expected.fault;
      const Replayed found = replay(trace, parameters, 1 + seed % 4, seed);
      if (expected.analysis.counted(Case::wait_in_circle) > 0 || found.grew()) continue;
      ++compared;
      std::string fault = first_difference(
          found, expected.analysis,
          {Case::send_without_receive, Case::receive_without_send, Case::collective_incomplete, Case::begin_without_end,
           Case::end_without_begin, Case::operation_mismatch, Case::wait_in_circle});
      if (fault.empty()) fault = first_difference(trace, found.written, expected.written);
      if (!fault.empty()) return trace.describe() + ": " + fault;
    }
    return {};
  });
  CHECK(compared > 0);
}

TEST_CASE("ranks: a message whose receive was given up shows how far clocks differ") {
  // Each of two processes receives before it sends.
  RandomTrace trace;
  for (ProcessIndex p = 0; p < 2; ++p) trace.definitions.add_process(p, "rank" + std::to_string(p));
  trace.definitions.add_communicator(0, Members({0, 1}));
  for (const Role role : {Role::receive, Role::send})
    for (ProcessIndex p = 0; p < 2; ++p) {
      Event event{Time((role == Role::send ? 20'000 : 10'000) + 100 * p), p, role};
      event.peer = 1 - p;
      event.communicator = 0;
      trace.events.push_back(event);
    }
  for (const unsigned ranks : {1U, 2U}) {
    Random random(1);
    Network network(ranks, 1);
    const Replayed found = replay(trace, trace.parameters, {0, ranks - 1}, ranks, network, random);
    CHECK(found.counted(Case::wait_in_circle) == 1);
    CHECK(found.smallest_delays.at({0, 1}) == -9'900);
    CHECK(found.smallest_delays.at({1, 0}) == -10'100);
  }
}

/// Regulators B and C have done nothing, and found no proof.
bool is_unregulated(const Analysis& analysis) {
  return analysis.regulation.regulator_b.below == 0 && analysis.regulation.regulator_c.below == 0 &&
         !analysis.regulation.not_quartz;
}
bool is_unregulated(const Replayed& found) {
  return !found.is_regulated() && found.regulation.events.proof == Time::latest();
}

/// Of what a verdict judges, where each process has a clock of its own.
std::string first_difference(const Replayed& found, const Analysis& expected) {
  const ranks::Movement& movement = found.evidence.movement;
  const auto differ = [](const char* what, auto is, auto should) {
    return what + (" " + std::to_string(is)) + ", expected " + std::to_string(should);
  };
  if (found.evidence.messages != expected.messages().edges)
    return differ("messages", found.evidence.messages, expected.messages().edges);
  const double changed =
      movement.local_time > 0 ? static_cast<double>(movement.changed) / static_cast<double>(movement.local_time) : 0;
  if (std::abs(changed - expected.changed_share()) > 1e-9 * changed)
    return differ("change of intervals", changed, expected.changed_share());
  if (movement.first_recorded != expected.first_recorded() || movement.first_corrected != expected.first_corrected())
    return "another first event";
  Time last_recorded = Time::earliest();
  Time last_corrected = Time::earliest();
  for (const ProcessStatistics& process : expected.processes()) {
    if (process.events == 0) continue;
    last_recorded = std::max(last_recorded, process.last_recorded);
    last_corrected = std::max(last_corrected, process.last_corrected);
  }
  if (movement.last_recorded != last_recorded || movement.last_corrected != last_corrected) return "another last event";
  const Ticks ahead = std::max<Ticks>(0, -std::min(expected.smallest_delay(), expected.smallest_own_delay()));
  if (found.evidence.ahead != ahead) return differ("ahead", found.evidence.ahead, ahead);
  std::map<std::pair<ProcessIndex, ProcessIndex>, Ticks> delays;
  for (const PairStatistics& pair : expected.pairs())
    if (pair.messages > 0) delays.emplace(std::pair(pair.sender, pair.receiver), pair.smallest_delay);
  if (found.smallest_delays != delays) return "other smallest delays of pairs of processes";
  return {};
}

/// Empty if times and counts are those of the filter. compared: grows if they should be.
std::string difference_to_filter(const RandomTrace& trace, bool regulates, std::uint64_t seed, std::size_t& compared) {
  const Parameters parameters = fixed(trace.parameters, regulates);
  const Run expected = run_filter(parameters, trace.definitions, trace.events);
  if (!expected.fault.empty()) return expected.fault;
  const Replayed found = replay(trace, parameters, 1 + seed % 4, seed);
  // Which member was the first one may differ.
  if ((found.counted(Case::operation_mismatch) > 0) != (expected.analysis.counted(Case::operation_mismatch) > 0))
    return std::to_string(found.counted(Case::operation_mismatch)) + " members that disagree, expected " +
           std::to_string(expected.analysis.counted(Case::operation_mismatch));
  // The order of processing decides there.
  const bool in_order =
      expected.analysis.counted(Case::operation_mismatch) == 0 && expected.analysis.counted(Case::wait_in_circle) == 0;
  if (!in_order || found.grew() || !is_unregulated(expected.analysis) || !is_unregulated(found)) return {};
  ++compared;
  std::string fault =
      first_difference(found, expected.analysis,
                       {Case::send_without_receive, Case::receive_without_send, Case::collective_incomplete,
                        Case::begin_without_end, Case::end_without_begin, Case::self_message, Case::not_a_member,
                        Case::clock_set_back, Case::wait_in_circle, Case::late_send});
  if (fault.empty()) fault = first_difference(trace, found.written, expected.written);
  bool own_clocks = true;
  for (ProcessIndex p = 0; p < trace.definitions.processes().size(); ++p)
    own_clocks = own_clocks && trace.definitions.processes()[p].clock == p;
  if (fault.empty() && found.regulation.largest_jump != expected.analysis.largest_jump())
    fault = "largest jump " + std::to_string(found.regulation.largest_jump) + ", expected " +
            std::to_string(expected.analysis.largest_jump());
  if (fault.empty() && own_clocks) fault = first_difference(found, expected.analysis);
  return fault;
}

TEST_CASE("ranks: times and counts are those of the filter where regulators B and C are off or do nothing") {
  std::array<std::size_t, 2> compared{};
  for_seeds(1, 8, [&](std::uint64_t seed) -> std::string {
    for (const TraceOptions& kind : kinds()) {
      if (kind.chaos) continue;
      const RandomTrace trace = random_trace(seed, kind);
      if (!is_named(trace)) continue;
      const bool regulates = seed % 3 == 0;
      const std::string fault = difference_to_filter(trace, regulates, seed, compared[regulates ? 1 : 0]);
      if (!fault.empty()) return trace.describe() + " kind " + std::to_string(&kind - kinds().data()) + ": " + fault;
    }
    return {};
  });
  if (number("CLC_SEED", 0) == 0)
    for (const std::size_t times : compared) CHECK(times > 0);
}

}  // namespace
}  // namespace clc::test
