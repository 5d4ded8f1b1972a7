// The map of a clock: as lines, and applied.
#include "trace/offsets.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <sstream>
#include <vector>

#include "clc/error.hpp"

namespace {

using clc::OffsetLine;
using clc::OffsetPoint;
using clc::Time;

clc::Offsets parsed(const std::string& text) {
  std::istringstream input(text);
  return clc::parse_offsets(input, "map");
}

TEST_CASE("offsets: what was printed is read") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    OffsetPoint point;
    point.time = Time(static_cast<std::int64_t>(random()));
    point.offset =
        static_cast<clc::Ticks>(random() % 11) - 5 + (i % 3 == 0 ? static_cast<clc::Ticks>(random() / 4) : 0);
    point.fraction = static_cast<double>(random() % 1000) / 1000;
    if (i % 2 == 0) point.error = static_cast<double>(random() % 10'000'000) / 1000;
    const OffsetPoint read = parsed(clc::offset_line(3, point) + "\n").at(3).points().front();
    REQUIRE(read.time == point.time);
    REQUIRE(static_cast<double>(read.offset - point.offset) + (read.fraction - point.fraction) ==
            Approx(0).margin(1e-9));
    REQUIRE(read.has_error() == point.has_error());
    REQUIRE(read.error == Approx(point.error));
  }
  CHECK(clc::offset_line(1, {Time(5), -3, 0.25}) == "%offset 1 5 -2.75");
  CHECK(clc::offset_line(1, {Time(5), -1, 0.5}) == "%offset 1 5 -0.5");
  CHECK(clc::offset_line(1, {Time(5), 2, 0.9999}) == "%offset 1 5 3");
  CHECK(clc::offset_line(1, {Time(5), 2, 0.5, 0}) == "%offset 1 5 2.5 0");
  CHECK(clc::offset_line(1, {Time(5), 2, 0, 12.25}) == "%offset 1 5 2 12.25");
  // Rounded up: an error of 0 would be exact.
  CHECK(clc::offset_line(1, {Time(5), 2, 0, 1e-9}) == "%offset 1 5 2 0.001");
  CHECK(clc::offset_line(1, {Time(5), 2, 0, 1.0001}) == "%offset 1 5 2 1.001");
  CHECK(clc::offset_line(1, {Time(5), 2, 0, 1e300}) == "%offset 1 5 2 1000000000000000");
}

TEST_CASE("offsets: comments are skipped, other lines refused") {
  CHECK(parsed("# a\n\n  %offset 1 2 3\r\n").at(1).points().front() == OffsetPoint{Time(2), 3, 0});
  CHECK(parsed("%offset 1 2 3 0.5 \n").at(1).points().front() == OffsetPoint{Time(2), 3, 0, 0.5});
  // The fifth field is an error if it is a number; additional fields are ignored.
  CHECK(parsed("%offset 1 2 3 0.5 more 4\n").at(1).points().front() == OffsetPoint{Time(2), 3, 0, 0.5});
  for (const char* other : {"x", "-4", "nan", "1e5", ".5", "4x", "4,5", "more 0.5"})
    CHECK(parsed(std::string("%offset 1 2 3 ") + other).at(1).points().front() == OffsetPoint{Time(2), 3, 0});
  for (const char* wrong : {"%offset", "%offsets 1 2 3", "%offset 1 2", "%offset -1 2 3", "%offset 1 2 3.",
                            "%offset 1 2 3,5", "%offset 1 2 3x", "%offset 1 2 x", "1 2 3"})
    CHECK_THROWS_AS(parsed(wrong), clc::InputError);
}

TEST_CASE("offsets: between two points the line, beyond them the same line") {
  const OffsetLine line({{Time(1000), 10, 0}, {Time(0), 0, 0}, {Time(2000), 0, 0.5}});
  CHECK(line.at(Time(500)) == Time(505));
  CHECK(line.at(Time(1000)) == Time(1010));
  CHECK(line.at(Time(-1000)) == Time(-1010));
  CHECK(line.at(Time(2000)) == Time(2001));
  CHECK(OffsetLine({{Time(5), 7, 0.5}}).at(Time(100)) == Time(108));
  CHECK(OffsetLine().at(Time(100)) == Time(100));
}

TEST_CASE("offsets: nanoseconds since 1970 are mapped to the tick") {
  constexpr std::int64_t epoch = 1'700'000'000'000'000'000;
  const OffsetLine line({{Time(epoch), -epoch + 3, 0}, {Time(epoch + 1'000'000'000), -epoch + 1003, 0}});
  CHECK(line.at(Time(epoch)) == Time(3));
  CHECK(line.at(Time(epoch + 500'000'000)) == Time(500'000'503));
}

TEST_CASE("offsets: a fraction has any number of digits") {
  const auto offset = [](const std::string& text) {
    return parsed("%offset 1 2 " + text + " 0.5\n").at(1).points().front();
  };
  CHECK(offset("0.33333333333333333333").fraction == Approx(1.0 / 3));
  CHECK(offset("0.33333333333333333333").error == 0.5);
  CHECK(offset("-0." + std::string(400, '3')).offset == -1);
  CHECK(offset("-0." + std::string(400, '3')).fraction == Approx(2.0 / 3));
  CHECK(offset("4.99999999999999999") == OffsetPoint{Time(2), 5, 0, 0.5});
  CHECK(offset("-4.99999999999999999") == OffsetPoint{Time(2), -5, 0, 0.5});
  CHECK(offset("-4.00000000000000000001") == OffsetPoint{Time(2), -4, 0, 0.5});
  CHECK(offset("0." + std::string(30, '0') + "1") == OffsetPoint{Time(2), 0, 0, 0.5});
}

TEST_CASE("offsets: a mapped time that fits into 64 bits is exact, whatever its parts, and another one is cut off") {
  constexpr std::int64_t most = clc::ticks_max;
  // The line rises by 2^64 ticks, between offsets at both ends.
  const OffsetLine steep({{Time(0), clc::ticks_min, 0}, {Time(std::int64_t{1} << 62), most, 0}});
  CHECK(steep.at(Time(std::int64_t{1} << 61)) == Time(std::int64_t{1} << 61));
  CHECK(steep.at(Time(std::int64_t{3} << 60)) == Time(std::int64_t{7} << 60));
  CHECK(steep.at(Time(std::int64_t{1} << 62)) == Time::latest());
  // The sum of time and offset does not fit; with the rise it does.
  const OffsetLine falling({{Time(9'000'000'000'000'000'000), 300'000'000'000'000'000, 0},
                            {Time(9'000'000'000'000'001'000), 299'999'999'999'998'000, 0}});
  CHECK(falling.at(Time(9'200'000'000'000'000'000)) == Time(9'100'000'000'000'000'000));
  std::size_t after = 1;
  const OffsetLine one({{Time(0), 10, 0}});
  CHECK(!one.exactly_at(Time(most - 10), after).cut_off);
  CHECK(one.exactly_at(Time(most - 9), after).cut_off);
  CHECK(one.at(Time(most - 9)) == Time::latest());
  const OffsetLine back({{Time(0), -10, 0}});
  CHECK(!back.exactly_at(Time(clc::ticks_min + 10), after).cut_off);
  CHECK(back.exactly_at(Time(clc::ticks_min + 9), after).cut_off);
  clc::OffsetMap map(&one);
  CHECK(map.next(Time(most - 10)) == Time::latest());
  CHECK(!map.is_cut_off());
  CHECK(map.next(Time(most - 10)) == Time::latest());
  CHECK(!map.is_cut_off());
  CHECK(map.next(Time(most - 9)) == Time::latest());
  CHECK(map.is_cut_off());
}

TEST_CASE("offsets: order and distinctness of a process stay") {
  // The clock runs on, its map falls steeply.
  const OffsetLine line({{Time(0), 0, 0}, {Time(1000), -2000, 0}});
  clc::OffsetMap map(&line);
  Time before = map.next(Time(0));
  for (const int time : {0, 1, 1, 2, 500, 500, 1000}) {
    static int last = 0;
    const Time mapped = map.next(Time(time));
    CHECK((time > last ? mapped > before : mapped == before));
    before = mapped;
    last = time;
  }
}

TEST_CASE("offsets: the segment that is remembered changes nothing, also if the line is replaced") {
  std::mt19937_64 random(11);
  const auto number = [&](std::uint64_t below) { return static_cast<std::int64_t>(random() % below); };
  std::size_t after = 1;
  for (int round = 0; round < 500; ++round) {
    std::vector<OffsetPoint> points(1 + random() % 8);
    for (OffsetPoint& point : points) point = {Time(number(1000)), number(50) - 25, 0.25};
    const OffsetLine line(points);
    for (int i = 0; i < 20; ++i) {
      const Time time(number(1400) - 200);
      REQUIRE(line.at(time, after) == line.at(time));
    }
  }
}

}  // namespace
