// Times that are proved while the input pauses [R 7.3].
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "random_trace.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

const std::vector<TraceOptions>& kinds_online() {
  static const std::vector<TraceOptions> list{
      {}, {.coarse = true}, {.non_blocking = true, .shared_clocks = true}, {.defects = true}, {.chaos = true}};
  return list;
}

std::string differ(const Run& expected, const Run& run) {
  if (!run.fault.empty()) return run.fault;
  const auto at = std::mismatch(expected.written.begin(), expected.written.end(), run.written.begin()).first;
  if (at != expected.written.end()) return "other time at event " + std::to_string(at - expected.written.begin());
  for (const CaseInfo& info : cases)
    if (info.which != Case::late_record && expected.analysis.counted(info.which) != run.analysis.counted(info.which))
      return "other count of " + std::string(info.name);
  return {};
}

RandomTrace patient(std::uint64_t seed, const TraceOptions& options) {
  RandomTrace trace = random_trace(seed, options);
  trace.parameters.wait_limit_s = 1e6;  // a wait may end sooner if more time is proved
  trace.parameters.regulator_b = seed % 2 == 0;
  trace.parameters.clock_difference_us = seed % 3 == 0 ? 1 : trace.parameters.clock_difference_us;
  return trace;
}

TEST_CASE("online: what is proved rightly changes nothing") {
  for (const TraceOptions& kind : kinds_online()) {
    for_seeds(2, [&](std::uint64_t seed) -> std::string {
      const RandomTrace trace = patient(seed, kind);
      Random random(seed);
      const auto proof = [&](std::size_t e) -> std::optional<Time> {
        if (random.chance(0.6)) return std::nullopt;
        const Ticks before = e == 0 ? 0 : trace.events[e].time - trace.events[e - 1].time;
        return trace.events[e].time - (random.chance(0.5) ? 0 : random.integer(0, before));
      };
      const Run expected = run_filter(trace.parameters, trace.definitions, trace.events);
      const Run run = run_filter(trace.parameters, trace.definitions, trace.events, {.proof = proof});
      return run.analysis.counted(Case::late_record) == 0 ? differ(expected, run) : "a record was late";
    });
  }
}

TEST_CASE("online: a record that is late counts as one of the time that was proved") {
  for (const TraceOptions& kind : kinds_online()) {
    for_seeds(2, [&](std::uint64_t seed) -> std::string {
      const RandomTrace trace = patient(seed, kind);
      const auto& events = trace.events;
      Random random(seed);
      std::vector<std::optional<Time>> proofs(events.size());
      std::vector<Event> taken = events;
      std::uint64_t late = 0;
      Time proved = Time::earliest();
      for (std::size_t e = 0; e < events.size(); ++e) {
        if (random.chance(0.1)) proofs[e] = events[e].time + random.integer(0, 200'000);
        proved = std::max(proved, proofs[e].value_or(proved));
        late += events[e].time < proved;
        taken[e].time = std::max(events[e].time, proved);
      }
      const Run expected = run_filter(trace.parameters, trace.definitions, taken);
      const Run run = run_filter(trace.parameters, trace.definitions, events,
                                 {.proof = [&](std::size_t e) { return proofs[e]; }, .taken = taken});
      if (run.analysis.counted(Case::late_record) != late) return "other count of late records";
      return differ(expected, run);
    });
  }
}

TEST_CASE("online: nothing is lost where waits end by the time that is proved") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    RandomTrace trace = random_trace(seed, {.defects = true});
    trace.parameters.match = seed % 2 == 0 ? Match::fifo : Match::resynchronise;
    Random random(seed);
    std::vector<std::optional<Time>> proofs(trace.events.size());
    for (std::size_t e = 0; e < trace.events.size(); ++e)
      if (random.chance(0.3)) proofs[e] = trace.events[e].time;
    const Run run = run_filter(trace.parameters, trace.definitions, trace.events,
                               {.proof = [&](std::size_t e) { return proofs[e]; }});
    return run.fault;
  });
}

}  // namespace
}  // namespace clc::test
