// The laws of the controlled logical clock over seeded random traces, and equality with the plain reference.
//
//     CLC_TRACES=10000 clc-test-law      more traces
//     CLC_SEED=4711 clc-test-law         this trace only
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "compare.hpp"
#include "figures.hpp"
#include "for_seeds.hpp"
#include "kinds.hpp"
#include "random_trace.hpp"
#include "reference.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

struct Variant {
  const char* name;
  std::function<void(Parameters&)> change;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> list{
      {"as by default", [](Parameters&) {}},
      {"as in the thesis", [](Parameters& p) { p.rule = Parameters::Rule::thesis; }},
      {"regulator A alone", [](Parameters& p) { p.regulator_b = p.regulator_c = p.regulator_d = false; }},
      {"strong regulators, 16-norm",
       [](Parameters& p) {
         p.norm = Norm::sixteenth;
         p.gamma_min = 0;
       }},
      {"no regulators", [](Parameters& p) { p.regulator_a = p.regulator_b = p.regulator_c = p.regulator_d = false; }},
      {"slow regulator A",
       [](Parameters& p) {
         p.gamma_max = 0.7;
         p.gamma_min = 0.1;
       }},
      {"no amortization", [](Parameters& p) { p.amortization = false; }},
      {"delta given", [](Parameters& p) { p.delta_us = 2; }},
      {"delta 0", [](Parameters& p) { p.delta_us = 0; }},
      {"delta by process",
       [](Parameters& p) {
         p.process_deltas = {{0, 9}, {1, 2}, {2, 0}, {3, 40}, {7, 3}, {0, 1}};
       }},
      {"growing interval",
       [](Parameters& p) {
         p.clock_difference_us = 1;
         p.max_error_percent = 10;
       }},
      {"lost sends are looked for", [](Parameters& p) { p.match = Match::resynchronise; }},
      {"no interval at first", [](Parameters& p) { p.clock_difference_us = 0; }},
      {"wide interval",
       [](Parameters& p) {
         p.clock_difference_us = 1e6;
         p.max_error_percent = 0.5;
       }},
  };
  return list;
}

/// The least distance that the parameters ask for between events of each clock with different times, in ticks.
std::vector<Ticks> least_distances(const Parameters& parameters, const Definitions& definitions) {
  std::vector<Ticks> least;
  for (ClockIndex clock = 0; clock < definitions.processes().size(); ++clock)
    least.push_back(static_cast<Ticks>(reference_delta(parameters, definitions, clock).value_or(1)));
  return least;
}

/// Laws 1 to 3 on written times.
std::string laws(const Parameters& parameters, const Definitions& definitions, std::span<const Event> events,
                 const std::vector<Edge>& edges, const std::vector<Time>& forward, const std::vector<Time>& written) {
  for (const Edge& edge : edges) {
    for (const auto* times : {&forward, &written}) {
      if ((*times)[edge.head] - (*times)[edge.tail] < edge.mu)
        return std::string("law 1") + (times == &forward ? " (forward)" : "") + at_event(edge.tail) + " ->" +
               at_event(edge.head);
    }
  }
  const std::vector<Ticks> distances = least_distances(parameters, definitions);
  std::vector<std::ptrdiff_t> last(definitions.processes().size(), -1);
  std::vector<Time> maximum(definitions.processes().size(), Time::earliest());
  for (std::size_t e = 0; e < events.size(); ++e) {
    const ClockIndex clock = definitions.processes()[events[e].process].clock;
    maximum[clock] = std::max(maximum[clock], events[e].time);
    if (forward[e] < maximum[clock] || written[e] < forward[e]) return "law 2" + at_event(e);
    const auto before = std::exchange(last[clock], static_cast<std::ptrdiff_t>(e));
    if (before < 0) continue;
    const auto b = static_cast<std::size_t>(before);
    for (const auto* times : {&forward, &written}) {
      if ((*times)[e] < (*times)[b]) return "law 3: order" + at_event(e);
      if (events[e].time != events[b].time && (*times)[e] - (*times)[b] < distances[clock])
        return "law 3: distance" + at_event(e);
    }
  }
  return {};
}

/// The trace as the filter wrote it.
std::vector<Event> as_written(std::span<const Event> events, const Run& run) {
  std::vector<Event> again;
  for (const std::size_t e : run.output) {
    again.push_back(events[e]);
    again.back().time = run.written[e];
  }
  return again;
}

TEST_CASE("laws 1 to 3, and equal to the plain reference") {
  for (const Kind& kind : kinds()) {
    for (const Variant& variant : variants()) {
      DYNAMIC_SECTION(kind.name << ", " << variant.name) {
        for_seeds(&kind == &kinds().front() ? 1 : 2, [&](std::uint64_t seed) {
          const RandomTrace trace = random_trace(seed, kind.options);
          Parameters parameters = trace.parameters;
          variant.change(parameters);
          const Reference expected = reference(parameters, trace.definitions, trace.events);
          const Run run = run_filter(parameters, trace.definitions, trace.events);
          if (!run.fault.empty()) return run.fault;
          parameters.amortization = false;
          const Run forward = run_filter(parameters, trace.definitions, trace.events);
          if (!forward.fault.empty()) return forward.fault;
          std::vector<Edge> edges = kind.options.defects || kind.options.chaos ? expected.edges : trace.edges;
          edges.insert(edges.end(), expected.disowned.begin(), expected.disowned.end());
          const std::string fault =
              laws(parameters, trace.definitions, trace.events, edges, forward.written, run.written);
          return fault.empty() ? compare(expected, run, trace.events) : fault;
        });
      }
    }
  }
}

TEST_CASE("the largest steps back are those of the trace") {
  std::uint64_t steps = 0;
  for_seeds(2, [&](std::uint64_t seed) -> std::string {
    const RandomTrace trace = random_trace(seed, {.set_back = true});
    std::vector<Ticks> sizes;
    std::vector<std::optional<Time>> last(trace.definitions.processes().size());
    for (const Event& event : trace.events) {
      const auto before = std::exchange(last[trace.definitions.processes()[event.process].clock], event.time);
      if (before && event.time < *before) sizes.push_back(*before - event.time);
    }
    std::sort(sizes.rbegin(), sizes.rend());
    const Run run = run_filter(trace.parameters, trace.definitions, trace.events, {.disturb = seed});
    if (!run.fault.empty()) return run.fault;
    steps += sizes.size();
    if (run.analysis.counted(Case::clock_set_back) != sizes.size()) return "another number";
    sizes.resize(std::min(sizes.size(), Analysis::most_steps_back));
    std::vector<Ticks> found;
    for (const StepBack& step : run.analysis.steps_back()) found.push_back(step.size());
    return found == sizes ? "" : "other sizes";
  });
  CHECK((steps > 0 || std::getenv("CLC_SEED") != nullptr));
}

/// check of each kind of trace, with the variants in turn; what it returns is the fault.
template <class Check>
void for_kinds(Check check) {
  for (const Kind& kind : kinds()) {
    DYNAMIC_SECTION(kind.name) {
      for_seeds(1, [&](std::uint64_t seed) -> std::string {
        const RandomTrace trace = random_trace(seed, kind.options);
        Parameters parameters = trace.parameters;
        variants()[seed % variants().size()].change(parameters);
        return check(seed, trace, parameters);
      });
    }
  }
}

/// Where two runs wrote other times; empty: nowhere.
std::string other_times(const Run& a, const Run& b) {
  const auto differ = std::mismatch(a.written.begin(), a.written.end(), b.written.begin()).first;
  return differ == a.written.end() ? ""
                                   : "other times" + at_event(static_cast<std::size_t>(differ - a.written.begin()));
}

/// What two runs counted differently; empty: nothing.
std::string other_counts(const Run& a, const Run& b) {
  for (const CaseInfo& info : cases)
    if (a.analysis.counted(info.which) != b.analysis.counted(info.which))
      return std::string(info.name) + " counted differently";
  return a.analysis.events() == b.analysis.events() && a.analysis.moved() == b.analysis.moved()
             ? ""
             : "other counts of events";
}

TEST_CASE("the report's figures of moved events and intervals are those of plain counting") {
  for_kinds([](std::uint64_t seed, const RandomTrace& trace, const Parameters& parameters) -> std::string {
    const Run run = run_filter(parameters, trace.definitions, trace.events, {.disturb = seed});
    if (!run.fault.empty()) return run.fault;
    const Reference expected = reference(parameters, trace.definitions, trace.events);
    return compare_figures(run, expected, parameters, trace.definitions, trace.events);
  });
}

TEST_CASE("runs of events, notes and flushes change nothing") {
  for_kinds([](std::uint64_t seed, const RandomTrace& trace, const Parameters& parameters) -> std::string {
    const Run calm = run_filter(parameters, trace.definitions, trace.events);
    const Run disturbed = run_filter(parameters, trace.definitions, trace.events, {.disturb = seed});
    if (!disturbed.fault.empty()) return disturbed.fault;
    if (const std::string fault = other_times(calm, disturbed); !fault.empty()) return fault;
    return calm.output == disturbed.output ? "" : "other order";
  });
}

TEST_CASE("where no record is lost, matching finds no loss") {
  for_kinds([](std::uint64_t, const RandomTrace& trace, const Parameters& parameters) -> std::string {
    if (trace.edges.empty()) return {};  // damaged
    Parameters plain = parameters;
    plain.match = Match::fifo;
    Parameters other = parameters;
    other.match = Match::resynchronise;
    const Run expected = run_filter(plain, trace.definitions, trace.events);
    const Run run = run_filter(other, trace.definitions, trace.events);
    if (!run.fault.empty()) return run.fault;
    if (const std::string fault = other_times(expected, run); !fault.empty()) return fault;
    return other_counts(expected, run);
  });
}

TEST_CASE("with little memory the laws hold but for edges that are given up, and what is violated is told") {
  for_kinds([](std::uint64_t seed, const RandomTrace& trace, const Parameters& usual) -> std::string {
    if (trace.edges.empty()) return {};  // damaged
    Parameters parameters = usual;
    parameters.max_memory = Parameters::least_memory;
    parameters.match = Match::fifo;
    const Run run = run_filter(parameters, trace.definitions, trace.events, {.body_bytes = 20'000});
    if (!run.fault.empty()) return run.fault;
    std::uint64_t violated = 0;
    for (const Edge& edge : trace.edges) violated += run.written[edge.head] - run.written[edge.tail] < edge.mu;
    if (violated != run.analysis.violations_left())
      return std::to_string(violated) + " edges are violated, " + std::to_string(run.analysis.violations_left()) +
             " told";
    if (violated != 0 && run.analysis.unresolved() == 0) return "violated edges are not counted as given up";
    if (const std::string fault = laws(parameters, trace.definitions, trace.events, {}, run.written, run.written);
        !fault.empty())
      return fault;
    return run_filter(parameters, trace.definitions, trace.events, {.disturb = seed, .body_bytes = 20'000}).fault;
  });
}

TEST_CASE("ends of a prefix operation that come late are as in the plain reference") {
  for_seeds(10, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    Definitions definitions;
    const auto count = static_cast<ProcessIndex>(random.integer(10, 300));
    const std::int64_t nodes = random.pick({0, 3, 100});
    std::vector<ProcessIndex> ranks;
    for (ProcessIndex i = 0; i < count; ++i) {
      const std::string node = nodes == 0 ? "" : "node" + std::to_string(random.integer(0, nodes));
      std::optional<ProcessIndex> clock;
      if (i > 0 && random.chance(0.1)) clock = static_cast<ProcessIndex>(random.index(i));
      definitions.add_process(i, "rank", node, clock);
      ranks.insert(ranks.begin() + static_cast<std::ptrdiff_t>(random.index(ranks.size() + 1)), i);
    }
    definitions.add_communicator(0, ranks);
    constexpr Ticks second = 1'000'000'000;
    std::vector<Event> events;
    const auto scan = [&](ProcessIndex process, Ticks begin, Ticks end) {
      Event event;
      event.process = process;
      event.time = Time(begin);
      event.role = Role::collective_begin;
      events.push_back(event);
      event.time = Time(end);
      event.role = Role::collective_end;
      event.communicator = 0;
      event.operation = Operation::scan;
      event.bytes = random.chance(0.8) ? 8 : 0;
      event.received = random.chance(0.9) ? 8 : 0;
      events.push_back(event);
    };
    // The operation is given up after 10 s. The last process delays its end until then: it waits for a message.
    for (ProcessIndex i = 0; i + 1 < count; ++i) {
      const bool late = random.chance(0.5);
      const Ticks begin = late ? random.integer(10 * second + second / 2, 14 * second) : random.integer(1, 4 * second);
      scan(i, begin, begin + random.integer(0, second / 2));
    }
    Event receive;
    receive.process = count - 1;
    receive.time = Time(5 * second);
    receive.role = Role::receive;
    receive.peer = 0;
    receive.communicator = 0;
    events.push_back(receive);
    scan(count - 1, 5 * second + 1, 5 * second + 1);
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
    Parameters parameters;
    parameters.min_delay_us = 2e7 * random.real();  // so that early begins move late ends
    if (nodes > 0) parameters.node_delay_us = *parameters.min_delay_us / 10;
    const Reference expected = reference(parameters, definitions, events);
    const Run run = run_filter(parameters, definitions, events);
    if (!run.fault.empty()) return run.fault;
    if (run.analysis.counted(Case::late_member) == 0 && count > 100) return "no end is late";
    return compare(expected, run, events);
  });
}

TEST_CASE("processes without events change nothing") {
  // So many that memory is asked for ahead of its use.
  constexpr ProcessIndex more = 1200;
  for_kinds([](std::uint64_t seed, const RandomTrace& trace, const Parameters& parameters) -> std::string {
    if (seed % 10 != 0) return {};
    const Run run = run_filter(parameters, trace.definitions, trace.events, {.disturb = seed});
    Definitions definitions = trace.definitions;
    for (ProcessIndex p = 0; p < more; ++p) definitions.add_process(1'000'000 + p, "", "");
    const Run wide = run_filter(parameters, definitions, trace.events, {.disturb = seed});
    if (!wide.fault.empty()) return wide.fault;
    if (const std::string fault = other_times(run, wide); !fault.empty()) return fault;
    if (const std::string fault = other_counts(run, wide); !fault.empty()) return fault;
    return run.output == wide.output ? "" : "other order";
  });
}

TEST_CASE("a sink that needs only the order of each process gets the same times") {
  for_kinds([](std::uint64_t seed, const RandomTrace& trace, const Parameters& parameters) -> std::string {
    const Run sorted = run_filter(parameters, trace.definitions, trace.events, {.disturb = seed});
    const Run run = run_filter(parameters, trace.definitions, trace.events,
                               {.disturb = seed, .order = EventSink::Order::each_process});
    if (!run.fault.empty()) return run.fault;
    if (const std::string fault = other_times(sorted, run); !fault.empty()) return fault;
    return other_counts(sorted, run);
  });
}

TEST_CASE("a sink that holds what leaves for a while writes the same") {
  for_kinds([](std::uint64_t seed, const RandomTrace& trace, const Parameters& parameters) -> std::string {
    const Run at_once = run_filter(parameters, trace.definitions, trace.events, {.disturb = seed});
    const Run run = run_filter(parameters, trace.definitions, trace.events, {.disturb = seed, .held = 1 + seed % 3});
    if (!run.fault.empty()) return run.fault;
    if (const std::string fault = other_times(at_once, run); !fault.empty()) return fault;
    if (const std::string fault = other_counts(at_once, run); !fault.empty()) return fault;
    return at_once.output == run.output ? "" : "other order";
  });
}

TEST_CASE("laws 4 and 6: a trace without violations leaves as it came") {
  for (const Kind& kind : kinds()) {
    if (kind.options.defects || kind.options.chaos) continue;
    DYNAMIC_SECTION(kind.name) {
      for_seeds(1, [&](std::uint64_t seed) -> std::string {
        const RandomTrace trace = random_trace(seed, kind.options);
        Parameters parameters = trace.parameters;
        const Run first = run_filter(parameters, trace.definitions, trace.events);
        if (!first.fault.empty()) return first.fault;
        const std::vector<Event> corrected = as_written(trace.events, first);
        for (const Variant& variant : variants()) {
          Parameters changed = parameters;
          variant.change(changed);
          // delta is taken literally
          if ((changed.delta_us && *changed.delta_us > 0) || !changed.process_deltas.empty()) continue;
          const Run second = run_filter(changed, trace.definitions, corrected, {.disturb = seed});
          if (!second.fault.empty()) return second.fault;
          for (std::size_t e = 0; e < corrected.size(); ++e) {
            if (second.written[e] != corrected[e].time) return variant.name + (" moves" + at_event(e));
            if (second.output[e] != e) return variant.name + (" reorders" + at_event(e));
          }
        }
        return {};
      });
    }
  }
}

TEST_CASE("law 6: with delta given, too") {
  for_seeds(2, [&](std::uint64_t seed) -> std::string {
    const RandomTrace trace = random_trace(seed);
    Parameters parameters = trace.parameters;
    parameters.delta_us = 3;
    const Run first = run_filter(parameters, trace.definitions, trace.events);
    if (!first.fault.empty()) return first.fault;
    const std::vector<Event> corrected = as_written(trace.events, first);
    const Run second = run_filter(parameters, trace.definitions, corrected);
    for (std::size_t e = 0; e < corrected.size(); ++e)
      if (second.written[e] != corrected[e].time) return "moved" + at_event(e);
    return {};
  });
}

TEST_CASE("law 5: with gamma constant the input order of ties does not matter") {
  for (const bool amortization : {false, true}) {
    DYNAMIC_SECTION((amortization ? "amortized" : "forward")) {
      for_seeds(1, [&](std::uint64_t seed) -> std::string {
        const RandomTrace trace = random_trace(seed, {.coarse = true});
        Parameters parameters = trace.parameters;
        parameters.regulator_b = parameters.regulator_c = false;
        parameters.amortization = amortization;
        parameters.clock_difference_us = 1e9;  // the interval depends on the order only where it grows
        const Run run = run_filter(parameters, trace.definitions, trace.events);
        if (!run.fault.empty()) return run.fault;
        Random random(seed);
        for (int round = 0; round < 3; ++round) {
          const std::vector<std::size_t> order = shuffle_ties(trace.definitions, trace.events, random);
          std::vector<Event> shuffled;
          for (const std::size_t e : order) shuffled.push_back(trace.events[e]);
          const Run other = run_filter(parameters, trace.definitions, shuffled);
          if (!other.fault.empty()) return other.fault;
          for (std::size_t k = 0; k < order.size(); ++k) {
            const Ticks difference = other.written[k] - run.written[order[k]];
            if (difference != 0 && !(amortization && std::abs(difference) == 1))
              return "other time" + at_event(order[k]);
          }
        }
        return {};
      });
    }
  }
}

TEST_CASE("law 5: with gamma constant the numbering of processes does not matter") {
  for_seeds(2, [&](std::uint64_t seed) -> std::string {
    const RandomTrace trace = random_trace(seed);
    Parameters parameters = trace.parameters;
    parameters.regulator_b = parameters.regulator_c = false;
    parameters.clock_difference_us = 1e9;
    const Run run = run_filter(parameters, trace.definitions, trace.events);
    if (!run.fault.empty()) return run.fault;

    // The same world with its processes listed the other way round.
    const auto count = static_cast<ProcessIndex>(trace.definitions.processes().size());
    Definitions definitions;
    definitions.resolution = trace.definitions.resolution;
    definitions.min_delay = trace.definitions.min_delay;
    definitions.node_min_delay = trace.definitions.node_min_delay;
    const auto other = [&](ProcessIndex p) { return count - 1 - p; };
    std::vector<std::optional<ProcessIndex>> clocks(count);
    for (ProcessIndex p = 0; p < count; ++p) {
      const Process& process = trace.definitions.processes()[other(p)];
      std::optional<ProcessIndex>& clock = clocks[process.clock];
      definitions.add_process(process.number, process.name,
                              process.node == no_node ? "" : trace.definitions.nodes()[process.node], clock);
      if (!clock) clock = p;
    }
    for (const Communicator& communicator : trace.definitions.communicators()) {
      std::vector<ProcessIndex> members;
      for (const ProcessIndex p : communicator.members) members.push_back(other(p));
      definitions.add_communicator(communicator.number, members, communicator.min_delay);
    }
    std::vector<Event> events = trace.events;
    for (Event& event : events) {
      event.process = other(event.process);
      if (event.peer != no_process) event.peer = other(event.peer);
    }
    const Run mirrored = run_filter(parameters, definitions, events);
    if (!mirrored.fault.empty()) return mirrored.fault;
    for (std::size_t e = 0; e < events.size(); ++e)
      if (mirrored.written[e] != run.written[e]) return "other time" + at_event(e);
    return mirrored.output == run.output ? "" : "other order";
  });
}

TEST_CASE("times are relative: moving the epoch moves the result") {
  for_seeds(2, [&](std::uint64_t seed) -> std::string {
    const RandomTrace trace = random_trace(seed);
    if (trace.events.empty()) return {};
    const Run run = run_filter(trace.parameters, trace.definitions, trace.events);
    const Time first = trace.events.front().time;
    for (const std::int64_t epoch :
         {std::int64_t{-9'000'000'000'000'000'000}, std::int64_t{0}, std::int64_t{1'700'000'000'123'456'789},
          std::int64_t{9'000'000'000'000'000'000}}) {
      std::vector<Event> events = trace.events;
      for (Event& event : events) event.time = Time(epoch) + (event.time - first);
      const Run moved = run_filter(trace.parameters, trace.definitions, events);
      if (!moved.fault.empty()) return moved.fault;
      for (std::size_t e = 0; e < events.size(); ++e)
        if (moved.written[e] - events[e].time != run.written[e] - trace.events[e].time)
          return "epoch " + std::to_string(epoch) + ": other move" + at_event(e);
    }
    return {};
  });
}

}  // namespace
}  // namespace clc::test
