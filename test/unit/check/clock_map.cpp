// The judge's map of clocks against the filter's: the same time for every event of random maps.
#include "matching/clock_map.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "random_trace.hpp"

using namespace clc;
using namespace clc::matching;
using test::Random;

TEST_CASE("clock map: the judge maps as the filter does") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Definitions definitions;
    std::ostringstream lines;
    const std::uint64_t processes = 1 + random.index(4);
    for (std::uint64_t process = 0; process < processes; ++process) {
      definitions.add_process(7 * process, "p");
      const std::uint64_t points = random.index(5);
      Ticks time = random.integer(-500, 499);
      for (std::uint64_t i = 0; i < points; ++i) {
        // Offsets that fall faster than time passes must not turn the order around.
        const OffsetPoint point{Time(time), random.integer(-2000, 1999),
                                static_cast<double>(random.integer(0, 999)) / 1000};
        lines << offset_line(7 * process, point) << '\n';
        time += random.integer(1, 2000);
      }
    }
    std::istringstream input(lines.str());
    const Offsets offsets = parse_offsets(input, "offsets");
    ClockMap judge(offsets, definitions);
    for (ProcessIndex process = 0; process < processes; ++process) {
      const auto line = offsets.find(7 * process);
      OffsetMap filter(line == offsets.end() ? nullptr : &line->second);
      Time time(random.integer(-1500, 500));
      for (int i = 0; i < 100; ++i) {
        const Time mapped = filter.next(time);
        CHECK(judge.next(process, time) == mapped);
        if (line == offsets.end()) CHECK(mapped == time);
        time = time + random.integer(0, 2) * random.integer(0, 50);
      }
    }
  }
}

TEST_CASE("clock map: the judge maps as the filter does where sums do not fit into 64 bits") {
  Definitions definitions;
  definitions.add_process(1, "p");
  for (const char* const lines : {"%offset 1 4611686023238429803 4611686017946561000\n"
                                  "%offset 1 4611686024626969122 4611686018696023000\n",
                                  "%offset 1 9000000000000000000 300000000000000000\n",
                                  "%offset 1 -9000000000000000000 9000000000000000000\n"
                                  "%offset 1 9000000000000000000 -9000000000000000000\n"}) {
    std::istringstream input(lines);
    const Offsets offsets = parse_offsets(input, "offsets");
    ClockMap judge(offsets, definitions);
    OffsetMap filter(&offsets.at(1));
    for (const std::int64_t time : {std::int64_t{-9'100'000'000'000'000'000}, std::int64_t{-1}, std::int64_t{7},
                                    std::int64_t{4'611'686'018'941'628'235}, std::int64_t{9'200'000'000'000'000'000}}) {
      INFO(lines << time);
      CHECK(judge.next(0, Time(time)) == filter.next(Time(time)));
    }
  }
}
