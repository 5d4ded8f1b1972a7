// How long an event stays inside when the clock runs beside the program [R 7.3, eq. 7.1].
#include <algorithm>
#include <catch2/catch.hpp>

#include "clc/filter.hpp"
#include "program.hpp"

namespace clc::test {
namespace {

/// Looks at each event on its way out: how far the input had come beyond its corrected time.
class Watch final : public EventSink {
 public:
  void events(std::span<const Corrected> run) override {
    for (const clc::Corrected& event : run) {
      if (open) longest = std::max(longest, now - event.time);
      ++count;
    }
  }
  void note(Body /*line*/) override {}

  Time now;
  bool open = true;  ///< the input has not ended
  Ticks longest = 0;
  std::size_t count = 0;
};

TEST_CASE("online: 115 ms, and 100 ms of transfer, for the thesis' example") {
  // Clocks within 5 ms, messages of at least 10 ms, an error of 5 % in intervals.
  Program program(4, Resolution(1'000'000'000));
  for (ProcessIndex p = 0; p < 4; ++p) program.clock(p).offset = p % 2 == 0 ? 2500 : -2500;
  constexpr double pace = 500;
  for (int round = 0; round < 100; ++round)
    for (int step = 0; step < 40; ++step)
      for (ProcessIndex p = 0; p < 4; ++p) {
        const double t = 40 * pace * round + pace * step;
        if (step == 10)
          program.send(p, (p + 1) % 4, t);
        else if (step == 31)
          program.receive(p, (p + 3) % 4, t);
        else
          program.internal(p, t);
      }
  program.record();

  Parameters parameters;
  parameters.min_delay_us = 10'000;
  parameters.clock_difference_us = 5000;
  parameters.max_error_percent = 5;
  Watch watch;
  Filter filter(parameters, program.definitions(), watch);
  for (const Event& event : program.trace()) {
    filter.push(event, {});
    watch.now = event.time;
    filter.flush();
  }
  watch.open = false;
  filter.finish();
  REQUIRE(watch.count == program.size());
  const double longest = program.definitions().resolution.microseconds(static_cast<double>(watch.longest));
  CAPTURE(longest);
  // What the filter adds of the 215 ms; between two records of the input nothing can leave.
  REQUIRE(longest <= 115'000 + pace);
  REQUIRE(longest >= 100'000);
  REQUIRE(filter.analysis().messages().violated > 0);
}

}  // namespace
}  // namespace clc::test
