// Numbers for people, text in SVG, what a report says.
#include "view/figures/figures.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/reader.hpp"

namespace clc::view {
namespace {

std::string plain(std::string text) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\xC2\xA0", " "},
                                 {"\xE2\x88\x92", "-"},
                                 {"\xC2\xB5", "u"},
                                 {"\xE2\x80\xA6", "..."},
                                 {"\xE2\x80\x93", "--"}})
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, from.size(), to);
  return text;
}

// numbers.txt, which test/cli/view/browser.sh runs against page.js, too.
TEST_CASE("durations and marks of an axis are those of the table", "[view]") {
  std::ifstream table(CLC_VIEW_NUMBERS);
  std::size_t cases = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++cases;
    CAPTURE(line);
    const std::size_t colon = line.find(": ");
    std::istringstream words(line.substr(0, colon));
    const std::string expected = plain(line.substr(colon + 2));
    std::string what;
    double from = 0;
    words >> what >> from;
    if (what == "duration") {
      CHECK(plain(duration(from)) == expected);
      continue;
    }
    double to = 0;
    int most = 0;
    words >> to >> most;
    REQUIRE(words);
    std::string labels;
    for (const Tick& tick : duration_ticks(from, to, most)) labels += (labels.empty() ? "" : " | ") + plain(tick.label);
    CHECK(labels == expected);
  }
  CHECK(cases > 20);
}

TEST_CASE("marks of an axis stand where their labels say", "[view]") {
  const std::vector<Tick> days = duration_ticks(0, 1684800, 8);
  REQUIRE(days.size() == 4);
  CHECK(days[1].value == 5 * 86400);
  CHECK(days[3].value == 15 * 86400);
  CHECK(duration_ticks(3, 3, 5).empty());
}

TEST_CASE("percentages are readable", "[view]") {
  CHECK(plain(percent(0)) == "0 %");
  CHECK(plain(percent(0.123456)) == "12.3 %");
  CHECK(plain(percent(1.34)) == "134 %");
  CHECK(plain(percent(0.00109)) == "0.11 %");
  CHECK(plain(percent(1e-6)) == "0.0001 %");
  CHECK(plain(percent(0.00238)) == "0.24 %");
}

TEST_CASE("text is escaped, broken bytes replaced", "[view]") {
  CHECK(escaped("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  CHECK(escaped("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80") == "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  const std::string replaced = "\xEF\xBF\xBD";
  for (const std::string broken :
       {"\xC3", "\x80", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xFF", "\x01", "\x7f", "\xC2\x80", "\xC2\x9F"})
    CHECK(escaped("x" + broken).starts_with("x" + replaced));
  CHECK(clean("\xC2\x9B[31m\xC2\xA0\xC3\x80\xC3\x9F") == replaced + "[31m\xC2\xA0\xC3\x80\xC3\x9F");
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("ghijklm", 6) == "gh\xE2\x80\xA6klm");
  CHECK(shortened("\xC3\xA4\xC3\xB6\xC3\xBC", 2) == "\xE2\x80\xA6\xC3\xBC");
  CHECK(shortened("\xC3\xA4\xC3\xB6\xC3\xBC\xF0\x9F\x98\x80", 3) == "\xE2\x80\xA6\xC3\xBC\xF0\x9F\x98\x80");
  CHECK(shortened("\x80\xFF\xC3\xB6\xC3", 3) == "\xE2\x80\xA6\xC3\xB6\xC3");
  CHECK(shortened("abcd", 1) == "\xE2\x80\xA6");
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
  definitions.add_process(11, "node017-rank-12");
  definitions.add_process(12, "simulation-node017-rank-13");
  definitions.add_process(13, "simulation-node017-rank-14");
  CHECK(plain(row_name(definitions, 5, 1, 15)) == "node017-rank-12");
  CHECK(plain(row_name(definitions, 6, 1, 15)) == "simul...7-rank-13");
  CHECK(plain(row_name(definitions, 7, 1, 9)) == "sim...nk-14");
  CHECK(plain(row_name(definitions, 3, 2, 15)) == "si...-13 -- si...-14");
  CHECK(process_names(definitions) == std::vector<std::string>{"0 Master", "1 Master", "host:1234", "9", "x",
                                                               "node017-rank-12", "simulation-node017-rank-13",
                                                               "simulation-node017-rank-14"});
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
