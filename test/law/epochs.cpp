// The order-free rules: their plain reference against hand-made cases, the laws, and the reference of the per-event
// rule.
#include "epochs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "compare.hpp"
#include "for_seeds.hpp"
#include "kinds.hpp"
#include "message.hpp"
#include "random_trace.hpp"
#include "reference.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

Reference epochs_of(const Parameters& parameters, const Definitions& definitions, std::span<const Event> events) {
  return epochs(parameters, definitions, events, reference(parameters, definitions, events));
}

// ---- by hand ------------------------------------------------------------------------------------

/// Microseconds; two processes.
Definitions two_processes() {
  Definitions definitions;
  definitions.resolution = Resolution(1'000'000);
  definitions.add_communicator(0, {definitions.add_process(0, ""), definitions.add_process(1, "")});
  return definitions;
}
Event internal(std::int64_t time, ProcessIndex process) { return message(Role::internal, Time(time), process, 0); }
Event send(std::int64_t time, ProcessIndex process) { return message(Role::send, Time(time), process, 1 - process); }
Event receive(std::int64_t time, ProcessIndex process) {
  return message(Role::receive, Time(time), process, 1 - process);
}

/// Epochs of 100 us.
Parameters of_hundred() {
  Parameters parameters;
  parameters.min_delay_us = 5;
  parameters.clock_difference_us = 160;
  parameters.max_error_percent = 10;
  parameters.amortization = false;
  parameters.rule = Parameters::Rule::thesis;
  parameters.gamma_max = 0.9;
  parameters.gamma_min = 0;
  return parameters;
}

TEST_CASE("epochs: regulator B sees the cut that ended an epoch ago") {
  Parameters parameters = of_hundred();
  parameters.regulator_c = false;
  CHECK(epoch_length(parameters, two_processes()) == 100);
  // Process 1 is set forward by 40 in epoch 0. Process 0 has D = 0 until it gets a message of process 1 in epoch 1, and
  // is 18.5 ahead after it: from then on all are ahead.
  const std::vector<Event> events{internal(0, 0),   receive(10, 1),   send(45, 0),
                                  send(115, 1),     receive(131, 0),  internal(240, 1),
                                  internal(299, 0), internal(310, 1), internal(340, 0)};
  const Reference result = epochs_of(parameters, two_processes(), events);
  CHECK(result.forward[1] == 40);
  CHECK(result.forward[3] == Approx(40 - 10.5));
  CHECK(result.forward[4] == Approx(115 + 29.5 + 5 - 131));
  CHECK(result.gamma[3] == 0.9);
  CHECK(result.gamma[5] == 0.9);  // cut 0: process 0 is not ahead
  CHECK(result.gamma[6] == 0.9);
  // Cut 1: process 1 is 29.5 ahead, process 0 18.5.
  const double x = 18.5 / 29.5;
  CHECK(result.gamma[7] == Approx(0.9 * (1 - x * x)));
  CHECK(result.gamma[8] == result.gamma[7]);
}

TEST_CASE("epochs: regulator C compares a clock with the largest difference of the same cut") {
  Parameters parameters = of_hundred();
  parameters.regulator_b = false;
  // LC of process 1 falls back by 50 in between, LC' by 5: what follows is 2.2 differences ahead.
  const std::vector<Event> events{internal(0, 0),   receive(10, 1),   send(45, 0),      internal(60, 1),
                                  receive(70, 1),   send(140, 0),     receive(145, 1),  internal(150, 1),
                                  internal(320, 1), internal(330, 1), internal(350, 1), internal(400, 1)};
  const Reference result = epochs_of(parameters, two_processes(), events);
  CHECK(result.forward[1] == 40);
  CHECK(result.forward[4] == 75);
  for (const std::size_t e : {3U, 4U, 6U, 7U}) CHECK(result.gamma[e] == 0.9);  // before all events
  // Cut 1 ends with event 7: LC' is 67 ahead there, and LC was ahead by 75 at event 4.
  CHECK(result.forward[7] == Approx(75 - 0.1 * 80));
  CHECK(result.gamma[8] == 0.9);  // 67 < 1.2 * 75
}

TEST_CASE("epochs: the interval grows two epochs after a larger jump") {
  Parameters parameters = of_hundred();
  parameters.regulator_b = parameters.regulator_c = false;
  parameters.amortization = true;
  parameters.clock_difference_us = 6.4;
  parameters.gamma_max = 1;
  CHECK(epoch_length(parameters, two_processes()) == 3);
  // Jumps of 20 and 30; L_A is 64 at first, then 200.
  const std::vector<Event> events{internal(0, 1), internal(10, 1), receive(85, 1),   internal(100, 0), send(100, 0),
                                  send(400, 0),   internal(90, 1), internal(200, 1), receive(355, 1)};
  std::vector<Event> sorted = events;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  const Reference result = epochs_of(parameters, two_processes(), sorted);
  CHECK(result.clock_difference == 30);
  for (std::size_t e = 0; e < sorted.size(); ++e) {
    INFO("event " << e);
    if (sorted[e].time == Time(10) || sorted[e].process == 0) CHECK(result.amortized[e] == 0);
    if (sorted[e].time == Time(355)) CHECK(result.amortized[e] == 50);
    // The line from 175 to 375: 220 - 175 of 200, of 30.
    if (sorted[e].time == Time(200)) CHECK(result.amortized[e] == Approx(20 + 30.0 * 45 / 200));
  }
}

// ---- laws ---------------------------------------------------------------------------------------

/// Parameters under which regulators act often, by seed.
Parameters strong(const RandomTrace& trace) {
  Parameters parameters = trace.parameters;
  if (trace.seed % 2 == 0) parameters.rule = Parameters::Rule::thesis;
  if (trace.seed % 3 == 0) parameters.gamma_min = 0;
  if (trace.seed % 5 == 0) parameters.norm = Norm::sixteenth;
  if (trace.seed % 4 < 2) parameters.clock_difference_us = trace.seed % 4 == 0 ? 1 : 20;  // it grows
  if (trace.seed % 4 < 2) parameters.max_error_percent = 5;
  return parameters;
}

template <class Check>
void for_kinds_of_epochs(Check check) {
  for (const Kind& kind : kinds()) DYNAMIC_SECTION(kind.name) {
      for_seeds(2, [&](std::uint64_t seed) -> std::string {
        const RandomTrace trace = random_trace(seed, kind.options);
        return check(trace, strong(trace));
      });
    }
}

/// Whole ticks; the reference takes no care of rounding.
bool holds(std::span<const Event> events, const std::vector<double>& offset, const Edge& edge) {
  const auto apart = static_cast<double>(events[edge.head].time - events[edge.tail].time);
  return apart + offset[edge.head] - offset[edge.tail] > static_cast<double>(edge.mu) - 1e-3;
}

TEST_CASE("epochs: the laws hold") {
  for_kinds_of_epochs([](const RandomTrace& trace, const Parameters& parameters) -> std::string {
    const Reference result = epochs_of(parameters, trace.definitions, trace.events);
    std::vector<Event> events = trace.events;  // with C^ for C
    std::vector<std::optional<std::size_t>> last(trace.definitions.processes().size());
    for (std::size_t e = 0; e < events.size(); ++e) {
      const auto before = std::exchange(last[trace.definitions.processes()[events[e].process].clock], e);
      if (before) events[e].time = std::max(events[e].time, events[*before].time);
      if (result.forward[e] < 0 || result.amortized[e] < result.forward[e]) return "law 2" + at_event(e);
      if (!before) continue;
      for (const auto* offset : {&result.forward, &result.amortized}) {
        const double apart =
            static_cast<double>(events[e].time - events[*before].time) + (*offset)[e] - (*offset)[*before];
        const bool distinct = trace.events[e].time != trace.events[*before].time;
        const bool ties = offset == &result.amortized;  // the last of a hull may be as steep as rounding allows
        if (apart < (distinct && !ties ? 1 : 0) - 1e-3) return "law 3" + at_event(e);
      }
    }
    for (const Edge& edge : result.edges)
      if (!holds(events, result.forward, edge) || !holds(events, result.amortized, edge))
        return "law 1" + at_event(edge.head);
    return result.order.size() == events.size() ? "" : "events are missing";
  });
}

TEST_CASE("epochs: as the per-event rule where regulators B and C are off and the interval does not grow") {
  for_kinds_of_epochs([](const RandomTrace& trace, Parameters parameters) -> std::string {
    parameters.regulator_b = parameters.regulator_c = false;
    parameters.clock_difference_us = 1e9;
    const Reference expected = reference(parameters, trace.definitions, trace.events);
    const Reference result = epochs(parameters, trace.definitions, trace.events, expected);
    for (std::size_t e = 0; e < trace.events.size(); ++e) {
      if (result.forward[e] != expected.forward[e] || result.simple[e] != expected.simple[e])
        return "LC'" + at_event(e);
      if (result.gamma[e] != expected.gamma[e]) return "gamma" + at_event(e);
      if (result.written[e] != expected.written[e]) return "LC^A" + at_event(e);
    }
    return {};
  });
}

/// Where two results differ; order[k] of `a` is k of `b`.
std::string difference(const Reference& a, const Reference& b, const std::vector<std::size_t>& order) {
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (a.forward[order[k]] != b.forward[k]) return "another LC'" + at_event(order[k]);
    if (a.gamma[order[k]] != b.gamma[k]) return "another gamma" + at_event(order[k]);
    // The hull depends on the order in which its points are found, by rounding.
    if (std::abs(a.written[order[k]] - b.written[k]) > 1) return "another time" + at_event(order[k]);
  }
  return a.clock_difference == b.clock_difference ? "" : "another cldiff";
}

TEST_CASE("epochs: the input order of ties does not matter") {
  std::size_t acted = 0;
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    const RandomTrace trace = random_trace(seed, {.coarse = true});
    const Parameters parameters = strong(trace);
    const Reference expected = epochs_of(parameters, trace.definitions, trace.events);
    acted += expected.lowest_gamma < parameters.bounds(true).gamma_max - 1e-9;
    Random random(seed);
    for (int round = 0; round < 3; ++round) {
      const std::vector<std::size_t> order = shuffle_ties(trace.definitions, trace.events, random);
      std::vector<Event> shuffled;
      for (const std::size_t e : order) shuffled.push_back(trace.events[e]);
      const Reference other = epochs_of(parameters, trace.definitions, shuffled);
      if (const std::string fault = difference(expected, other, order); !fault.empty()) return fault;
    }
    return {};
  });
  CHECK((acted > 0 || number("CLC_SEED", 0) != 0));
}

TEST_CASE("epochs: moving all times moves the result") {
  for_seeds(4, [](std::uint64_t seed) -> std::string {
    const RandomTrace trace = random_trace(seed, {.coarse = seed % 2 == 0});
    if (trace.events.empty()) return {};
    const Parameters parameters = strong(trace);
    const Reference expected = epochs_of(parameters, trace.definitions, trace.events);
    std::vector<std::size_t> order;
    for (std::size_t e = 0; e < trace.events.size(); ++e) order.push_back(e);
    const Ticks by = 1'234'567'890'123 - trace.events[0].time.ticks();
    std::vector<Event> events = trace.events;
    for (Event& event : events) event.time = event.time + by;
    Reference moved = epochs_of(parameters, trace.definitions, events);
    for (Time& time : moved.written) time = time - by;
    return difference(expected, moved, order);
  });
}

// ---- the filter ---------------------------------------------------------------------------------

TEST_CASE("epochs: the filter is as the plain reference") {
  for_kinds_of_epochs([](const RandomTrace& trace, Parameters parameters) -> std::string {
    Reference expected = epochs_of(parameters, trace.definitions, trace.events);
    parameters.order = Parameters::Order::epochs;
    const Run run = run_filter(parameters, trace.definitions, trace.events);
    if (!run.fault.empty()) return run.fault;
    // By the per-event rule, which found the edges in force, some heads are processed earlier: before it is read that
    // members of an operation disagree or come late, or before the shortest wait limits end.
    for (const Case early : {Case::operation_mismatch, Case::late_member, Case::wait_in_circle})
      if (run.analysis.counted(early) > 0) return {};
    constexpr auto given_up = static_cast<std::size_t>(Case::collective_given_up);
    if (run.analysis.counted(Case::collective_given_up) < expected.counters[given_up]) return "fewer are given up";
    expected.counters[given_up] = run.analysis.counted(Case::collective_given_up);
    return compare(expected, run, trace.events);
  });
}

TEST_CASE("epochs: runs of events, notes and flushes do not change what the filter writes") {
  for_kinds_of_epochs([](const RandomTrace& trace, Parameters parameters) -> std::string {
    parameters.order = Parameters::Order::epochs;
    const Run calm = run_filter(parameters, trace.definitions, trace.events);
    const Run disturbed = run_filter(parameters, trace.definitions, trace.events, {.disturb = trace.seed});
    if (!disturbed.fault.empty()) return disturbed.fault;
    for (std::size_t e = 0; e < trace.events.size(); ++e)
      if (calm.written[e] != disturbed.written[e]) return "another time" + at_event(e);
    return calm.output == disturbed.output ? "" : "another order";
  });
}

TEST_CASE("epochs: the filter does not depend on the input order of ties") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    const RandomTrace trace = random_trace(seed, {.coarse = true});
    Parameters parameters = strong(trace);
    parameters.order = Parameters::Order::epochs;
    const Run run = run_filter(parameters, trace.definitions, trace.events);
    if (!run.fault.empty()) return run.fault;
    Random random(seed);
    const std::vector<std::size_t> order = shuffle_ties(trace.definitions, trace.events, random);
    std::vector<Event> shuffled;
    for (const std::size_t e : order) shuffled.push_back(trace.events[e]);
    const Run other = run_filter(parameters, trace.definitions, shuffled);
    if (!other.fault.empty()) return other.fault;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (std::abs(other.written[k] - run.written[order[k]]) > 1) return "another time" + at_event(order[k]);
    return run.analysis.regulation.gamma_course.lowest() == other.analysis.regulation.gamma_course.lowest()
               ? ""
               : "another lowest gamma";
  });
}

}  // namespace
}  // namespace clc::test
