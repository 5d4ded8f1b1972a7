// CreditFlow control: a producer that may be some messages ahead of its consumer, which gives credits for more. Where
// the program was aborted, delays can be more alike if each receive belongs to a later send; round trips then
// contradict.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "for_seeds.hpp"
#include "lossy.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

constexpr double consumed = 100'000;  // ticks that a message takes its consumer

/// What a process does at a time, by a true clock.
struct Act {
  double time;
  Role role;
  std::int64_t tag;
};
constexpr std::int64_t credit = 0;  // the tag; data has others

struct FlowControl {
  std::size_t ahead = 1;  // so many messages the producer may be
  double share = 0.5;     // of the consumer's time for a message, that the producer computes
  double unrest = 0;      // of both
  std::int64_t tags = 1;  // that a message of data is sent with, once each
  std::size_t batch = 1;  // so many messages one credit is for
};

/// The steps of the producer, and of the consumer.
std::array<std::vector<Act>, 2> run(Random& random, std::size_t messages, const FlowControl& kind) {
  std::array<std::vector<Act>, 2> steps;
  const auto delay = [&] { return 1000 + random.exponential(300); };
  const auto computes = [&](double part) { return part * consumed * (1 + kind.unrest * random.real(-1, 1)); };
  double producer = 0;
  double consumer = 0;
  std::vector<double> credits;
  std::size_t credits_used = 0;
  for (std::size_t k = 0; k < messages; ++k) {
    for (; k >= kind.ahead + kind.batch * credits_used; ++credits_used) {
      producer = std::max(producer + 100, credits[credits_used]);
      steps[0].push_back({producer, Role::receive, credit});
    }
    producer += computes(kind.share);
    double arrives = 0;
    for (std::int64_t tag = 1; tag <= kind.tags; ++tag) {
      steps[0].push_back({producer += 100, Role::send, tag});
      arrives = std::max(arrives, producer) + delay();
      consumer = std::max(consumer + 100, arrives);
      steps[1].push_back({consumer, Role::receive, tag});
    }
    consumer += computes(1);
    if ((k + 1) % kind.batch != 0) continue;
    steps[1].push_back({consumer, Role::send, credit});
    credits.push_back(consumer + delay());
  }
  return steps;
}

/// What both processes recorded until the program was aborted, after that share of its time.
Lossy recorded(Random& random, const std::array<std::vector<Act>, 2>& steps, double share) {
  Lossy trace;
  trace.definitions.resolution = Resolution(1'000'000'000);
  for (const ProcessIndex p : {0U, 1U}) trace.definitions.add_process(p, "", "", {});
  trace.definitions.add_communicator(0, {0, 1});
  const double aborted = share * std::min(steps[0].back().time, steps[1].back().time);
  const double ahead = random.real(-5, 5) * consumed;
  const double rate = random.real(-5e-5, 5e-5);
  std::map<std::int64_t, std::vector<Time>> sent;  // by tag
  std::map<std::int64_t, std::size_t> received;
  for (const ProcessIndex process : {0U, 1U})
    for (const Act& step : steps[process]) {
      if (step.time > aborted) break;
      Event event;
      event.process = process;
      event.peer = 1 - process;
      event.communicator = 0;
      event.role = step.role;
      event.tag = step.tag;
      event.time = Time(static_cast<Ticks>(process == 0 ? step.time : step.time + ahead + rate * step.time));
      trace.events.push_back(event);
      if (step.role == Role::send)
        sent[step.tag].push_back(event.time);
      else
        ++received[step.tag];
    }
  for (const auto& [tag, times] : sent) {
    const ProcessIndex sender = tag == credit ? 1 : 0;
    for (std::size_t k = received[tag]; k < times.size(); ++k)
      trace.losses.push_back({sender, 1 - sender, 0, tag, times[k], false});
  }
  std::ranges::stable_sort(trace.events, {}, &Event::time);
  std::ranges::sort(trace.losses);
  return trace;
}

FlowControl random_flow_control(Random& random) {
  FlowControl kind;
  kind.ahead = random.index(6) + 1;
  kind.share = random.real(0.02, 1.2);
  kind.unrest = random.pick<double>({0.001, 0.02, 0.1, 0.4});
  kind.tags = random.integer(1, 3);
  kind.batch = std::min(kind.ahead, random.index(3) + 1);
  return kind;
}

TEST_CASE("aborted programs with flow control lack their last receives, not the first ones") {
  for_seeds(2, 8, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    FlowControl kind = random_flow_control(random);
    kind.ahead = random.index(4) + 4;  // two messages are missing at least
    kind.share = random.chance(0.5) ? random.real(0.02, 0.6) : random.real(1.6, 3);
    kind.unrest = random.real(0, 0.01);
    kind.tags = 1;
    kind.batch = 1;
    const auto steps = run(random, 60 + random.index(140), kind);
    const Lossy trace = recorded(random, steps, random.real(0.6, 1));
    return differ(ends_of(trace).losses(), trace.losses);
  });
}

TEST_CASE("aborted programs with flow control are matched by the filter as by the judge") {
  std::size_t right = 0;
  for_seeds(2, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed + 1'000'000);
    const FlowControl kind = random_flow_control(random);
    const auto steps = run(random, 20 + random.index(180), kind);
    const Lossy trace = recorded(random, steps, random.real(0.3, 1));
    return differ_from_judge(trace, right);
  });
  CHECK(right > 0);
}

}  // namespace
}  // namespace clc::test
