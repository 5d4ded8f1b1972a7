// Times, differences, resolutions and delays at the ends of what 64 bits hold: clc-algorithm(7), NUMBERS AT THE ENDS.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "compare.hpp"
#include "random_trace.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

/// A sound random trace whose processes run on clocks that differ by anything, sorted again by recorded time.
struct Moved {
  Definitions definitions;
  Parameters parameters;
  std::vector<Event> events;
  std::vector<Edge> edges;  ///< that really were
  bool knows_mu = true;     ///< mu of each edge is that of the filter

  Moved(std::uint64_t seed, const std::vector<Ticks>& offsets) {
    const RandomTrace trace = random_trace(seed);
    definitions = trace.definitions;
    parameters = trace.parameters;
    parameters.wait_limit_s = 1e15;  // nothing is given up
    const Ticks start = trace.events.empty() ? 0 : trace.events.front().time.ticks();
    std::vector<std::size_t> order(trace.events.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<Event> moved = trace.events;
    for (Event& event : moved) {
      const Ticks offset = offsets[definitions.processes()[event.process].clock % offsets.size()];
      event.time = Time(offset) + (event.time.ticks() - start);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&moved](std::size_t a, std::size_t b) { return moved[a].time < moved[b].time; });
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      events.push_back(moved[order[i]]);
    }
    for (const Edge& edge : trace.edges) edges.push_back({place[edge.tail], place[edge.head], edge.mu});
  }

  /// What does not hold, empty: nothing. Edges may be violated only where times end, and then it is counted.
  /// far_offsets: beyond 2^52 ticks some are rounded against each other; what that leaves is told.
  [[nodiscard]] std::string judge(bool far_offsets = false) const {
    const Run run = run_filter(parameters, definitions, events);
    if (!run.fault.empty()) return run.fault;
    std::vector<Time> last(definitions.processes().size(), Time::earliest());
    for (std::size_t e = 0; e < events.size(); ++e) {
      if (run.written[e] < events[e].time) return "moved back: event " + std::to_string(e);
      if (run.written[e] < last[events[e].process]) return "order of a process: event " + std::to_string(e);
      last[events[e].process] = run.written[e];
    }
    std::size_t violated = 0;
    for (const Edge& edge : edges) violated += run.written[edge.head] - run.written[edge.tail] < edge.mu;
    const bool far = !events.empty() && events.back().time - events.front().time == ticks_max;
    if (run.analysis.counted(Case::receive_without_send) + run.analysis.counted(Case::collective_given_up) != 0)
      return far ? "" : "edges are given up";  // no wait limit is longer than 2^63 - 1 ticks
    if (knows_mu && violated != run.analysis.violations_left())
      return std::to_string(violated) + " edges are violated, " + std::to_string(run.analysis.violations_left()) +
             " told";
    if (run.analysis.counted(Case::time_saturated) != 0) return {};
    if (violated != 0) return std::to_string(violated) + " edges are violated";
    if (run.analysis.violations_left() != 0 && !far_offsets) return "violations are told where none are left";
    return {};
  }
};

constexpr int traces = 60;

TEST_CASE("a clock that is set back from the end of times to their beginning") {
  Definitions definitions;
  const ProcessIndex a = definitions.add_process(0, "");
  const ProcessIndex b = definitions.add_process(1, "");
  definitions.add_communicator(0, std::vector<ProcessIndex>{a, b});
  std::vector<Event> events;
  const auto add = [&](Time time, ProcessIndex process, Role role) {
    Event event;
    event.time = time;
    event.process = process;
    event.role = role;
    event.peer = 1 - process;
    event.communicator = 0;
    events.push_back(event);
  };
  add(Time(0), a, Role::send);
  add(Time(ticks_max - 1000), b, Role::receive);
  add(Time::earliest(), b, Role::send);
  add(Time(1), b, Role::internal);
  add(Time(ticks_max - 1000), a, Role::receive);
  add(Time(-7), a, Role::internal);
  add(Time::earliest(), a, Role::send);
  add(Time(ticks_max - 500), b, Role::receive);
  for (const auto& [match, delta] : {std::pair{Match::fifo, -1.0}, {Match::resynchronise, 0.0}, {Match::fifo, 1e6}}) {
    Parameters parameters;
    parameters.match = match;
    if (delta >= 0) parameters.delta_us = delta;
    const Run run = run_filter(parameters, definitions, events);
    REQUIRE(run.fault == "");
    CHECK(run.analysis.counted(Case::clock_set_back) == 3);
    CHECK(run.analysis.steps_back().front().size() == ticks_max);
    std::vector<Time> last(2, Time::earliest());
    for (std::size_t e = 0; e < events.size(); ++e) {
      CHECK(run.written[e] >= last[events[e].process]);
      last[events[e].process] = run.written[e];
    }
    CHECK(run.written[4] >= Time(ticks_max - 1000));
  }
}

TEST_CASE("extremes: clocks that are a year apart") {
  for (int seed = 1; seed <= traces; ++seed) {
    for (const double microseconds : {1000.0, 3.2e13}) {
      const RandomTrace trace = random_trace(static_cast<std::uint64_t>(seed));
      const Ticks year = trace.definitions.resolution.ticks_of_seconds(365.25 * 86400);
      Moved moved(static_cast<std::uint64_t>(seed), {0, year, -year / 3});
      moved.parameters.clock_difference_us = microseconds;
      INFO(trace.describe());
      CHECK(moved.judge() == "");
    }
  }
}

TEST_CASE("extremes: times at both ends of 64 bits") {
  for (int seed = 1; seed <= traces; ++seed) {
    for (const std::vector<Ticks>& offsets : {std::vector<Ticks>{ticks_min, ticks_max},
                                              {ticks_min, 0},
                                              {ticks_max - 100'000, ticks_max - 200'000},
                                              {ticks_min, ticks_min + 5000}}) {
      Moved moved(static_cast<std::uint64_t>(seed), offsets);
      for (const auto order : {Parameters::Order::events, Parameters::Order::epochs}) {
        moved.parameters.order = order;
        INFO("seed " << seed << ", offsets " << offsets[0] << ' ' << offsets[1]);
        CHECK(moved.judge() == "");
      }
    }
  }
}

TEST_CASE("extremes: resolutions from 1 to 10^12 ticks per second") {
  for (int seed = 1; seed <= traces; ++seed) {
    for (const std::int64_t per_second : {std::int64_t{1}, std::int64_t{10}, std::int64_t{1'000'000'000'000}}) {
      Moved moved(static_cast<std::uint64_t>(seed), {0, 777});
      moved.definitions.resolution = Resolution(per_second);
      // mu is now another number of ticks; at least one.
      for (Edge& edge : moved.edges) edge.mu = 1;
      moved.knows_mu = false;
      INFO("seed " << seed << ", " << per_second << " ticks per second");
      CHECK(moved.judge() == "");
    }
  }
}

TEST_CASE("extremes: delta and minimum delay larger than the trace, and than 64 bits") {
  for (int seed = 1; seed <= traces; ++seed) {
    for (const double microseconds : {1e6, 1e12, 1e25}) {
      Moved moved(static_cast<std::uint64_t>(seed), {0, 100});
      for (const int which : {1, 2, 3}) {
        if ((which & 1) != 0) moved.parameters.min_delay_us = microseconds;
        moved.parameters.delta_us = which >= 2 ? std::optional(microseconds) : std::nullopt;
        for (Edge& edge : moved.edges) edge.mu = 1;
        moved.knows_mu = false;
        INFO("seed " << seed << ", " << microseconds << " us, " << which);
        CHECK(moved.judge(microseconds >= 1e12) == "");
      }
    }
  }
}

constexpr ProcessIndex a = 0;
constexpr ProcessIndex b = 1;
constexpr ProcessIndex c = 2;

/// So many of them, in one communicator.
std::pair<Definitions, CommunicatorIndex> processes(ProcessIndex count) {
  Definitions definitions;
  std::vector<ProcessIndex> all;
  for (ProcessIndex i = 0; i < count; ++i) all.push_back(definitions.add_process(i, "rank"));
  const CommunicatorIndex world = definitions.add_communicator(0, std::move(all));
  return {std::move(definitions), world};
}

Event message_end(std::int64_t time, ProcessIndex process, Role role, ProcessIndex peer,
                  CommunicatorIndex communicator) {
  Event event;
  event.time = Time(time);
  event.process = process;
  event.role = role;
  event.peer = peer;
  event.communicator = communicator;
  return event;
}

Event internal_at(std::int64_t time, ProcessIndex process) {
  return message_end(time, process, Role::internal, no_process, no_communicator);
}

/// A few ticks between events, so that what rounds by more than that leaves edges violated; n-to-n operations, too.
struct Dense {
  Definitions definitions;
  Parameters parameters;
  std::vector<Event> events;
  std::vector<Edge> edges;

  Dense(std::uint64_t seed, const std::vector<Ticks>& clocks, Ticks mu) {
    const auto count = static_cast<ProcessIndex>(clocks.size());
    CommunicatorIndex world = 0;
    std::tie(definitions, world) = processes(count);
    parameters.wait_limit_s = 1e15;
    parameters.min_delay_us = static_cast<double>(mu) / 1000;
    std::mt19937_64 random(seed);
    std::vector<Ticks> now(count, 0);
    const auto add = [&](ProcessIndex process, Role role, ProcessIndex peer) {
      now[process] += 1 + static_cast<Ticks>(random() % 4);
      events.push_back(message_end((Time(clocks[process]) + now[process]).ticks(), process, role, peer, world));
      return events.size() - 1;
    };
    for (int k = 0; k < 40; ++k) {
      if (random() % 8 == 0) {
        std::vector<std::size_t> ends[2];
        for (const bool end : {false, true})
          for (ProcessIndex process = 0; process < count; ++process) {
            const std::size_t e = add(process, end ? Role::collective_end : Role::collective_begin, no_process);
            events[e].operation = Operation::barrier;
            ends[end ? 1 : 0].push_back(e);
          }
        for (ProcessIndex s = 0; s < count; ++s)
          for (ProcessIndex r = 0; r < count; ++r)
            if (s != r) edges.push_back({ends[0][s], ends[1][r], mu});
        continue;
      }
      const auto sender = static_cast<ProcessIndex>(random() % count);
      const auto receiver = static_cast<ProcessIndex>((sender + 1 + random() % (count - 1)) % count);
      const std::size_t send = add(sender, Role::send, receiver);
      edges.push_back({send, add(receiver, Role::receive, sender), mu});
    }
    sort();
  }
  /// How many edges are violated in the output, all of which have to be told.
  [[nodiscard]] std::uint64_t violated(std::uint64_t seed) const {
    INFO("seed " << seed);
    const Run run = run_filter(parameters, definitions, events);
    REQUIRE(run.fault == "");
    REQUIRE(run.analysis.unresolved() == run.analysis.counted(Case::time_saturated));
    std::uint64_t found = 0;
    for (const Edge& edge : edges) found += run.written[edge.head] - run.written[edge.tail] < edge.mu;
    CHECK(found == run.analysis.violations_left());
    return found;
  }

 private:
  void sort() {
    std::vector<std::size_t> order(events.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t x, std::size_t y) { return events[x].time < events[y].time; });
    std::vector<std::size_t> place(order.size());
    std::vector<Event> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(events[order[i]]);
    }
    events = std::move(sorted);
    for (Edge& edge : edges) edge = {place[edge.tail], place[edge.head], edge.mu};
  }
};

TEST_CASE("extremes: edges that rounding leaves violated are told, each of them") {
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; seed <= 10 * traces; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Ticks> clocks;
    for (int k = 0; k < 3; ++k) clocks.push_back(static_cast<Ticks>(random() >> (2 + seed % 12)));
    Dense trace(seed, clocks, 1 + static_cast<Ticks>(seed % 5));
    for (const auto order : {Parameters::Order::events, Parameters::Order::epochs}) {
      trace.parameters.order = order;
      all += trace.violated(seed);
    }
  }
  CHECK(all > 0);
}

TEST_CASE("extremes: edges that are violated because times end are told, each of them") {
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; seed <= 10 * traces; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Ticks> clocks;
    for (int k = 0; k < 3; ++k) clocks.push_back(ticks_max - 300 - static_cast<Ticks>(random() % 500));
    all += Dense(seed, clocks, 100).violated(seed);
  }
  CHECK(all > 0);
}

TEST_CASE("extremes: lost records are looked for in times at both ends of 64 bits") {
  const auto [definitions, world] = processes(2);
  Parameters parameters;
  parameters.match = Match::resynchronise;
  parameters.wait_limit_s = 1e15;
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= traces; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    std::vector<Event> events;
    std::vector<Time> sent;
    for (int k = 0; k < 200; ++k) sent.emplace_back(static_cast<Ticks>(random()));
    std::sort(sent.begin(), sent.end());
    const Ticks later = seed % 2 == 0 ? 1000 : ticks_max / 2;
    for (std::size_t k = 0; k < sent.size(); ++k) {
      if (k != 3) events.push_back(message_end(sent[k].ticks(), a, Role::send, b, world));
      events.push_back(message_end((sent[k] + later).ticks(), b, Role::receive, a, world));
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& x, const Event& y) { return x.time < y.time; });
    const Run run = run_filter(parameters, definitions, events);
    REQUIRE(run.fault == "");
    found += run.analysis.losses().size();
    Time last = Time::earliest();
    for (std::size_t e = 0; e < events.size(); ++e) {
      if (events[e].process != b) continue;
      CHECK(run.written[e] >= std::max(last, events[e].time));
      last = run.written[e];
    }
    const Run other = run_filter(parameters, definitions, events, {.disturb = seed});
    CHECK(other.analysis.losses().size() == run.analysis.losses().size());
  }
  CHECK(found > 0);
}

TEST_CASE("extremes: no amortization interval is longer than 2^62 ticks, whatever has left before") {
  const auto [definitions, world] = processes(2);
  Parameters parameters;
  parameters.clock_difference_us = 1e24;
  constexpr std::int64_t last = ticks_max / 4;
  std::vector<Event> events;
  for (std::int64_t k = 0; k < 40; ++k) events.push_back(internal_at(ticks_min + k, b));
  events.push_back(internal_at(last - 1'000'000, b));
  events.push_back(message_end(last, b, Role::receive, a, world));
  events.push_back(message_end(last + 1'000'000, a, Role::send, b, world));
  const Run run = run_filter(parameters, definitions, events);
  REQUIRE(run.fault == "");
  CHECK(run.written[0] == events[0].time);
  CHECK(run.written[40] == events[40].time + 1'001'000);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Run other = run_filter(parameters, definitions, events, {.disturb = seed});
    INFO("seed " << seed);
    CHECK(other.written == run.written);
  }
}

TEST_CASE("extremes: a pause of years does not blur the steep line behind it") {
  const auto [definitions, world] = processes(2);
  constexpr Ticks pause = 100'000'000'000'000'000;
  std::vector<Event> events{internal_at(0, b)};
  for (Ticks k = 0; k < 20; ++k) events.push_back(internal_at(pause + 1001 * k, b));
  events.push_back(message_end(pause + 100'000, b, Role::receive, a, world));
  events.push_back(message_end(pause + 1'234'567'890, a, Role::send, b, world));  // many times the clock difference
  const Reference expected = reference({}, definitions, events);
  for (std::uint64_t seed = 0; seed <= 20; ++seed) {
    INFO("seed " << seed);
    CHECK(compare(expected, run_filter({}, definitions, events, {.disturb = seed}), events) == "");
  }
}

TEST_CASE("extremes: the last time of 64 bits is not the end of the input") {
  const auto [definitions, world] = processes(3);
  std::vector<Event> events{message_end(0, a, Role::send, b, world), message_end(10, b, Role::send, a, world),
                            message_end(20, b, Role::receive, a, world)};
  events.push_back(message_end(ticks_max, a, Role::receive, c, world));  // behind it the head of b's send waits
  events.push_back(message_end(ticks_max, a, Role::receive, b, world));
  for (int k = 0; k < 40; ++k) events.push_back(internal_at(ticks_max, b));
  events.push_back(message_end(ticks_max, c, Role::send, a, world));
  const Run run = run_filter({}, definitions, events);
  REQUIRE(run.fault == "");
  CHECK(run.written[1] == Time(990));  // with the receive, which has nothing to wait for
  CHECK(run.written[2] == Time(1000));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Run other = run_filter({}, definitions, events, {.disturb = seed});
    INFO("seed " << seed);
    CHECK(other.written == run.written);
  }
}

TEST_CASE("extremes: a message that cannot arrive within 64 bits is cut off there and counted") {
  const auto [definitions, world] = processes(2);
  Parameters parameters;
  parameters.min_delay_us = 1;  // 1000 ticks
  parameters.wait_limit_s = 1e15;
  const std::vector<Event> events{message_end(ticks_max - 900, b, Role::receive, a, world),
                                  message_end(ticks_max - 10, a, Role::send, b, world)};
  const Run run = run_filter(parameters, definitions, events);
  REQUIRE(run.fault == "");
  CHECK(run.analysis.counted(Case::time_saturated) == 1);
  CHECK(run.written[0] == Time(ticks_max));
  CHECK(run.written[1] == Time(ticks_max - 10));
}

}  // namespace
}  // namespace clc::test
