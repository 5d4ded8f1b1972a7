// Numbers for people, text in SVG, what a report says.
#include "view/figures/figures.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "common/min_delay.hpp"
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

Definitions named(const std::vector<std::string>& names) {
  Definitions definitions;
  std::uint64_t number = 0;
  for (const std::string& name : names) definitions.add_process(number++, name);
  return definitions;
}

TEST_CASE("processes are named in full without the kind of location, counted where several have one name", "[view]") {
  Definitions definitions = named({"CPU_THREAD:Master", "CPU_THREAD:Master", "host:1234", "", "METRIC:x"});
  const Names names(definitions);
  CHECK(names.full(0) == "0 Master");
  CHECK(names.full(1) == "1 Master");
  CHECK(names.full(2) == "host:1234");
  CHECK(names.full(3) == "3");
  CHECK(names.full(4) == "x");
  CHECK(plain(names.full_row(1, 2)) == "host:1234 -- 3");
  CHECK(names.full_row(2, 2) == "x");
  CHECK(Names(Definitions()).full(0) == "0");
}

TEST_CASE("of names too long for their place all lose what they have in common, and numbers stay whole", "[view]") {
  const auto rows = [](const std::vector<std::string>& names, std::size_t longest, std::size_t group = 1) {
    std::vector<std::string> found;
    for (const std::string& name : Names(named(names)).rows((names.size() + group - 1) / group, group, longest))
      found.push_back(plain(name));
    return found;
  };
  using List = std::vector<std::string>;
  CHECK(rows({"rank8", "rank9", "rank10"}, 9) == List{"rank8", "rank9", "rank10"});
  CHECK(rows({"MPI_Rank_8_thread", "MPI_Rank_9_thread", "MPI_Rank_10_thread"}, 15) == List{"8", "9", "10"});
  CHECK(rows({"node-rank-10", "node-rank-11"}, 9) == List{"10", "11"});
  CHECK(rows({"rank100-of-200", "rank101-of-200"}, 9) == List{"100", "101"});
  CHECK(rows({"Master thread of all", "Master thread of all"}, 9) == List{"0", "1"});
  CHECK(rows({"simulation-node017-rank-13", "simulation-node018-rank-14"}, 9) == List{"017...nk-13", "018...nk-14"});
  CHECK(rows({"simulation-node017", "simulation-node017-rank-1"}, 9) == List{"017", "017...ank-1"});
  CHECK(rows({"\xC3\xA4\xC3\xB6 process", "\xC3\xA4\xC3\xBC process"}, 3) == List{"\xC3\xB6", "\xC3\xBC"});
  CHECK(rows({"rank0", "rank1", "rank2", "rank3"}, 15, 2) == List{"rank0 -- rank1", "rank2 -- rank3"});
  CHECK(rows({"process0", "process1", "process2", "process3"}, 15, 2) == List{"0 -- 1", "2 -- 3"});
  // Whatever names are: no two that differ become one where the place is wide enough, and none is empty.
  std::mt19937 random(1);
  for (int run = 0; run < 500; ++run) {
    List names;
    std::set<std::string> different;
    for (int i = 0; i < 6; ++i) {
      std::string name;
      for (const std::size_t parts = 1 + random() % 4; name.size() < parts * 3;)
        name += List{"rank", "7", "12", "-", "_", "\xC3\xA4", "x "}[random() % 7];
      names.push_back(name);
      different.insert(name);
    }
    if (different.size() != names.size()) continue;
    const std::size_t longest = 2 + random() % 30;
    for (const std::string& name : rows(names, longest)) CHECK(!name.empty());
    std::size_t full = 0;
    for (const std::string& name : names) full = std::max(full, letter_count(name));
    const List own = rows(names, full);
    CHECK(std::set<std::string>(own.begin(), own.end()).size() == names.size());
  }
}

TEST_CASE("labels of an axis do not overlap", "[view]") {
  LabelRow row(10, 100);
  CHECK(row.place(0, "12345").shown);        // to 25
  CHECK_FALSE(row.place(40, "1234").shown);  // from 20
  CHECK(row.place(60, "1234").shown);        // 40 to 80
  CHECK_FALSE(row.place(100, "12").shown);   // 80 to 100, too near
  LabelRow end(10, 100);
  const LabelRow::Place place = end.place(99, "\xC2\xB5s");
  CHECK(place.shown);
  CHECK(place.at_end);
}

TEST_CASE("minimum delays are read from what the filter noted, and from nobody else", "[view]") {
  Parameters parameters;
  CHECK(tool::take_noted_delays(parameters,
                                "clc-filter 0.1.0 -mmd 0.5 -mmd node=0.1 -mmd 3:4=2 -maxerr 0.5 --bandwidth 100"));
  CHECK(parameters.min_delay_us == 0.5);
  CHECK(parameters.node_delay_us == 0.1);
  CHECK(parameters.pair_delays == std::vector<PairDelay>{{3, 4, 2}});
  CHECK(parameters.bandwidth_mb_s == 100);
  for (const std::string other : {"clc-tracegen -mmd 7", "", "clc-filter 9 -mmd x", "clc-filter 9 -mmd",
                                  "clc-filter 9 -mmd -7", "clc-filter 9 --no-correction"}) {
    Parameters untouched;
    CHECK_FALSE(tool::take_noted_delays(untouched, other));
    CHECK_FALSE(untouched.min_delay_us.has_value());
  }
}

}  // namespace
}  // namespace clc::view
