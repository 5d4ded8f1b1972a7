// How long an event stays inside when the clock runs beside the program [R 7.3, eq. 7.1].
#include <algorithm>
#include <catch2/catch.hpp>

#include "clc/filter.hpp"
#include "filter/live.hpp"
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

constexpr double offset = 2500;
constexpr double pace = 500;

/// Clocks within 5 ms. Behind every so many rounds of 20 ms, nothing happens for a while.
Program example(int rounds, int together, double pause) {
  Program program(4, Resolution(1'000'000'000));
  for (ProcessIndex p = 0; p < 4; ++p) program.clock(p).offset = p % 2 == 0 ? offset : -offset;
  for (int round = 0; round < rounds; ++round)
    for (int step = 0; step < 40; ++step)
      for (ProcessIndex p = 0; p < 4; ++p) {
        const double t = 40 * pace * round + pace * step + pause * (round / together);
        if (step == 10)
          program.send(p, (p + 1) % 4, t);
        else if (step == 31)
          program.receive(p, (p + 3) % 4, t);
        else
          program.internal(p, t);
      }
  program.record();
  return program;
}

/// Messages of at least 10 ms, an error of 5 % in intervals.
Parameters example_parameters() {
  Parameters parameters;
  parameters.min_delay_us = 10'000;
  parameters.clock_difference_us = offset * 2;
  parameters.max_error_percent = 5;
  return parameters;
}

TEST_CASE("online: 115 ms, and 100 ms of transfer, for the thesis' example") {
  const Program program = example(100, 100, 0);
  const Parameters parameters = example_parameters();
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

/// The program runs beside the filter, in simulated time: a collector sorts the records, so each arrives when all
/// clocks have passed its time, and after a transfer of up to 1 ms. While the input pauses, the filter is asked every 5
/// ms.
struct Beside {
  static constexpr double transfer = 1000;
  static constexpr double period = 5000;

  explicit Beside(const Program& of) : program(of), filter(example_parameters(), of.definitions(), live) {}

  /// late: by how much the record with that index is held up.
  void run(std::size_t which, double late) {
    Random random(1);
    const std::vector<Event> trace = program.trace();
    static_cast<void>(live.pause());
    for (std::size_t e = 0; e < trace.size(); ++e) {
      const double recorded = program.definitions().resolution.microseconds(static_cast<double>(trace[e].time.ticks()));
      arrive(recorded + offset + random.real(0, transfer) + (e == which ? late : 0));
      live.arrived({&trace[e], 1});
      filter.push(trace[e], {});
    }
    watch.open = false;
    filter.finish();
  }
  /// The input pauses until then.
  void arrive(double arrival) {
    for (bool inside = true; inside && now < arrival; now = std::min(now + period, arrival)) {
      watch.now = Time(ticks(now - offset));
      const std::optional<Time> proof = live.pause();
      if (proof)
        inside = filter.advance(*proof);
      else
        filter.flush();
    }
    now = std::max(now, arrival);
  }
  [[nodiscard]] Ticks ticks(double us) const { return program.definitions().resolution.ticks_of_microseconds(us); }
  [[nodiscard]] double microseconds(Ticks ticks) const {
    return program.definitions().resolution.microseconds(static_cast<double>(ticks));
  }

  const Program& program;
  double now = 0;  ///< true time, which the monitor shows
  Watch watch;
  filter::Live live{watch, ticks(100'000), [this] { return Time(ticks(now)); }};
  Filter filter;
};

TEST_CASE("online: 215 ms through pauses of 2.5 s, by the clock of the monitor") {
  const Program program = example(60, 6, 2.5e6);
  Beside beside(program);
  beside.run(0, 0);
  REQUIRE(beside.watch.count == program.size());
  // Beyond its corrected time, on a clock that shows what the slowest clock does: the sum of the terms of eq. 7.1.
  const double longest = beside.microseconds(beside.watch.longest);
  CAPTURE(longest, beside.microseconds(beside.live.largest_stay()));
  CHECK(longest <= 215'000 + Beside::transfer + Beside::period);
  CHECK(longest >= 200'000);
  // Inside: the same, and by how much it was corrected.
  CHECK(beside.microseconds(beside.live.largest_stay()) <= longest + 2 * offset);
  CHECK(beside.microseconds(beside.live.lag().value_or(0)) <= Beside::transfer + pace);
  CHECK(beside.filter.analysis().counted(Case::late_record) == 0);
  CHECK(beside.filter.analysis().messages().violated > 0);
  CHECK(beside.filter.analysis().violations_left() == 0);
}

TEST_CASE("online: a record that comes later than proved is taken at that time") {
  const Program program = example(6, 3, 2.5e6);
  Beside beside(program);
  beside.run(300, 400'000);  // in the second round
  REQUIRE(beside.watch.count == program.size());
  // At least what lets all events before it leave, at most what was 101 ms ago.
  CHECK(beside.microseconds(beside.live.late_by()) > 100'000);
  CHECK(beside.microseconds(beside.live.late_by()) < 300'000);
  CHECK(beside.filter.analysis().counted(Case::late_record) > 1);  // it holds up those behind it
  CHECK(beside.filter.analysis().violations_left() == 0);
}

}  // namespace
}  // namespace clc::test
