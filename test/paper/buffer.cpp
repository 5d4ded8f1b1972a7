// How many events the filter holds [R 6.1, 6.2].
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "clc/filter.hpp"
#include "program.hpp"

namespace clc::test {
namespace {

class Counter final : public EventSink {
 public:
  void events(std::span<const Corrected> run) override { count += run.size(); }
  void note(Body /*line*/) override {}
  std::size_t count = 0;
};

/// Most events in the filter after a record, all final events having left.
std::size_t most_inside(const Program& program, const Parameters& parameters) {
  Counter counter;
  Filter filter(parameters, program.definitions(), counter);
  std::size_t pushed = 0;
  std::size_t most = 0;
  for (const Event& event : program.trace()) {
    filter.push(event, {});
    filter.flush();
    most = std::max(most, ++pushed - counter.count);
  }
  filter.finish();
  return most;
}

/// Most events recorded within so many microseconds.
std::size_t most_recorded(const Program& program, double within) {
  const std::vector<Event> trace = program.trace();
  const Ticks ticks = program.definitions().resolution.ticks_of_microseconds(within);
  std::size_t most = 0;
  for (std::size_t first = 0, e = 0; e < trace.size(); ++e) {
    while (trace[e].time - trace[first].time > ticks) ++first;
    most = std::max(most, e - first + 1);
  }
  return most;
}

TEST_CASE("section 6.1: events to be sorted, at most those of (3 + 1) clock differences") {
  // Clocks that run fast and slow in turn, as in figure 4.5, held by regulator C alone.
  constexpr double period = 1e5;
  constexpr double amplitude = 0.009 * period / (2 * 3.14159265358979);
  Program program(2);
  for (ProcessIndex p = 0; p < 2; ++p) {
    program.clock(p).wander = p == 0 ? amplitude : -amplitude;
    program.clock(p).wander_period = period;
  }
  for (int k = 0; k < 4000; ++k) {
    const double t = period / 200 * k;
    program.send(0, 1, t);
    program.receive(1, 0, t + 11);
    program.send(1, 0, t + 12);
    program.receive(0, 1, t + 23);
    for (int i = 1; i < 90; ++i)
      for (ProcessIndex p = 0; p < 2; ++p) program.internal(p, t + 25 + 5 * i);
  }
  program.record();
  Parameters parameters = forward();
  parameters.min_delay_us = 10;
  parameters.rule = Parameters::Rule::thesis;
  parameters.regulator_b = false;
  const double difference = 2 * amplitude;
  const std::size_t bound = most_recorded(program, (3 + 1) * difference);
  const std::size_t inside = most_inside(program, parameters);
  CAPTURE(inside, bound);
  CHECK(inside <= bound);
  CHECK(most_inside(program, unregulated(parameters)) > bound);  // the bound is that of the regulator
}

}  // namespace
}  // namespace clc::test
