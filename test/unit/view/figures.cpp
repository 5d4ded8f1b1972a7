// Numbers for people, text in SVG, what a report says.
#include "view/figures/figures.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/reader.hpp"

namespace clc::view {
namespace {

std::string plain(std::string text) {
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"\xC2\xA0", " "}, {"\xE2\x88\x92", "-"}, {"\xC2\xB5", "u"}})
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, from.size(), to);
  return text;
}

std::string labels(double from, double to, int most) {
  std::string out;
  for (const Tick& tick : duration_ticks(from, to, most)) out += (out.empty() ? "" : ", ") + plain(tick.label);
  return out;
}

TEST_CASE("durations have three digits and the unit that fits", "[view]") {
  CHECK(plain(duration(0)) == "0");
  CHECK(plain(duration(0.0123456)) == "12.3 ms");
  CHECK(plain(duration(-0.0409)) == "-40.9 ms");
  CHECK(plain(duration(5e-7)) == "500 ns");
  CHECK(plain(duration(1e-6)) == "1 us");
  CHECK(plain(duration(999.6e-9)) == "1 us");
  CHECK(plain(duration(1.5e-12)) == "1.5 ps");
  CHECK(plain(duration(300)) == "300 s");
  CHECK(plain(duration(86400.0 * 365)) == "365 d");
}

TEST_CASE("percentages are readable", "[view]") {
  CHECK(plain(percent(0)) == "0 %");
  CHECK(plain(percent(0.123456)) == "12.3 %");
  CHECK(plain(percent(1.34)) == "134 %");
  CHECK(plain(percent(0.00109)) == "0.11 %");
  CHECK(plain(percent(1e-6)) == "0.0001 %");
  CHECK(plain(percent(0.00238)) == "0.24 %");
}

TEST_CASE("marks of an axis differ, in steps of 1, 2 or 5", "[view]") {
  CHECK(labels(0, 0.3, 6) == "0, 50 ms, 100 ms, 150 ms, 200 ms, 250 ms, 300 ms");
  CHECK(labels(0, 1, 5) == "0, 0.2 s, 0.4 s, 0.6 s, 0.8 s, 1 s");
  CHECK(labels(-2e-5, 1e-5, 4) == "-20 us, -10 us, 0, 10 us");
  CHECK(labels(12.5, 12.5000002, 3) == "12.5 s, 12.5000001 s, 12.5000002 s");
  CHECK(labels(3, 3, 5).empty());
}

TEST_CASE("text is escaped, broken bytes replaced", "[view]") {
  CHECK(escaped("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  CHECK(escaped("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80") == "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  const std::string replaced = "\xEF\xBF\xBD";
  for (const std::string broken :
       {"\xC3", "\x80", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xFF", "\x01", "\x7f"})
    CHECK(escaped("x" + broken).starts_with("x" + replaced));
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdefg", 6) == "abcde\xE2\x80\xA6");
  CHECK(shortened("\xC3\xA4\xC3\xA4\xC3\xA4", 2) == "\xC3\xA4\xE2\x80\xA6");
}

TEST_CASE("coordinates are short", "[view]") {
  CHECK(coordinate(1) == "1");
  CHECK(coordinate(1.5) == "1.5");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(100) == "100");
  CHECK(coordinate(2.0 / 3) == "0.67");
}

TEST_CASE("rows are named by their processes", "[view]") {
  Definitions definitions;
  definitions.add_process(0, "CPU_THREAD:Master");
  definitions.add_process(7, "CPU_THREAD:Master");
  definitions.add_process(8, "host:1234");
  definitions.add_process(9, "");
  definitions.add_process(10, "METRIC:x");
  CHECK(row_name(definitions, 0, 1) == "0 Master");
  CHECK(row_name(definitions, 1, 1) == "1 Master");
  CHECK(row_name(definitions, 2, 1) == "host:1234");
  CHECK(row_name(definitions, 3, 1) == "9");
  CHECK(row_name(definitions, 4, 1) == "x");
  CHECK(row_name(definitions, 2, 2) == "x \xE2\x80\x93 x");
}

TEST_CASE("minimum delays are read from what the filter noted, and from nobody else", "[view]") {
  Parameters parameters;
  CHECK(
      take_noted_delays(parameters, "clc-filter 0.1.0 -mmd 0.5 -mmd node=0.1 -mmd 3:4=2 -maxerr 0.5 --bandwidth 100"));
  CHECK(parameters.min_delay_us == 0.5);
  CHECK(parameters.node_delay_us == 0.1);
  CHECK(parameters.pair_delays == std::vector<PairDelay>{{3, 4, 2}});
  CHECK(parameters.bandwidth_mb_s == 100);
  for (const std::string other : {"clc-tracegen -mmd 7", "", "clc-filter 9 -mmd x", "clc-filter 9 -mmd",
                                  "clc-filter 9 -mmd -7", "clc-filter 9 --no-correction"}) {
    Parameters untouched;
    CHECK_FALSE(take_noted_delays(untouched, other));
    CHECK_FALSE(untouched.min_delay_us.has_value());
  }
}

}  // namespace
}  // namespace clc::view
