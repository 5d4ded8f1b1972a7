// Options in every spelling, values, and what misspelt ones are told.
#include "common/command_line.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "clc/error.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/values.hpp"
#include "estimation/estimation.hpp"
#include "filter/options.hpp"

namespace clc {
namespace {

filter::Options parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "clc-filter");
  const auto options = filter::parse(static_cast<int>(words.size()), words.data());
  REQUIRE(options.has_value());
  return *options;
}

std::string refused(std::vector<const char*> words) {
  words.insert(words.begin(), "clc-filter");
  try {
    static_cast<void>(filter::parse(static_cast<int>(words.size()), words.data()));
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("thesis flags with one dash or two, blank or =", "[options]") {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"-mmd", "2.5"}, {"--mmd", "2.5"}, {"-mmd=2.5"}, {"--mmd=2.5"}})
    REQUIRE(parsed(words).parameters.min_delay_us == 2.5);
  REQUIRE(parsed({"-maxerr", "0.1"}).parameters.max_error_percent == 0.1);
  REQUIRE(parsed({"-cldiff=50000"}).parameters.clock_difference_us == 50000);
}

TEST_CASE("every long option is taken with one dash", "[options]") {
  REQUIRE(parsed({"-dry-run"}).dry_run);
  REQUIRE(parsed({"-output", "x"}).output == "x");
  REQUIRE(parsed({"-output=x"}).output == "x");
  REQUIRE(parsed({"-gamma-min=0.9"}).parameters.gamma_min == 0.9);
  REQUIRE(parsed({"-verbose"}).verbose);
  REQUIRE(parsed({"-zstd"}).writing.zstd_level == 3);
}

TEST_CASE("an observer hears of each option, by its name as it is shown", "[options]") {
  tool::CommandLine line("program", "", "");
  bool flag = false;
  line.option("-mmd", "US", "", [](const std::string&) {});
  line.option("output,o", "FILE", "", [](const std::string&) {});
  line.flag("quiet,q", "", flag);
  line.operand("TRACE", [](const std::string&) {});
  std::string heard;
  line.observe([&](const std::string& name, const std::string& value) { heard += name + '(' + value + ')'; });
  const std::vector<const char*> words{"program", "--mmd=2", "-qo", "out", "trace", "-mmd", "3"};
  REQUIRE(line.parse(static_cast<int>(words.size()), words.data()));
  REQUIRE(heard == "-mmd(2)--quiet()--output(out)-mmd(3)");
}

TEST_CASE("letters beside disguised long options", "[options]") {
  const filter::Options o = parsed({"-f", "text", "-F", "binary", "-o", "out", "-v", "-q", "-z3", "in"});
  REQUIRE(o.source.format == Format::text);
  REQUIRE(o.writing.output_format == Format::binary);
  REQUIRE(o.output == "out");
  REQUIRE(o.verbose);
  REQUIRE(o.quiet);
  REQUIRE(o.writing.zstd_level == 3);
  REQUIRE(o.input == "in");
  REQUIRE(parsed({"-oout"}).output == "out");
  REQUIRE(parsed({"-vq"}).quiet);
}

TEST_CASE("the level of -z adjoins it, an operand does not", "[options]") {
  REQUIRE_FALSE(parsed({}).writing.zstd_level.has_value());
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{{"-z", "in"},
                                                                                     {"-vz", "in"},
                                                                                     {"-vz3", "in"},
                                                                                     {"--zstd", "in"},
                                                                                     {"-z=3", "in"},
                                                                                     {"--zstd=3", "in"},
                                                                                     {"in", "-z"}}) {
    const filter::Options o = parsed(words);
    REQUIRE(o.writing.zstd_level == 3);
    REQUIRE(o.input == "in");
  }
  REQUIRE(parsed({"-z19"}).writing.zstd_level == 19);
  REQUIRE(parsed({"-z0"}).writing.zstd_level == 0);
  REQUIRE(parsed({"-z1", "-z2"}).writing.zstd_level == 2);
  REQUIRE(parsed({"-z", "-"}).input == "-");
  REQUIRE(refused({"-z23"}).find("from 0 to 22") != std::string::npos);
  REQUIRE(parsed({"-o", "out", "--", "-z"}).input == "-z");
  REQUIRE(refused({"-z", "3"}) == "unexpected operand '3'; write the value of -z without a blank: -z3");
  REQUIRE(parsed({"--estimate", "3"}).input == "3");
}

TEST_CASE("the method of --estimate adjoins it", "[options]") {
  if (!tool::can_estimate()) return;
  REQUIRE(refused({"--estimate", "line", "in"}) ==
          "unexpected operand 'line'; write the value of --estimate without a blank: --estimate=line");
  REQUIRE(refused({"in", "off", "--estimate"}).find("'off'") != std::string::npos);
  REQUIRE(parsed({"--estimate=line", "line"}).input == "line");
  REQUIRE(parsed({"--estimate", "in"}).estimate == sync::Method::smooth);
  REQUIRE(parsed({"line"}).input == "line");
  std::ofstream("line") << "a trace of that name";
  REQUIRE(parsed({"--estimate", "line"}).input == "line");
  std::filesystem::remove("line");
}

TEST_CASE("minimum delays of pairs and nodes", "[options]") {
  const Parameters p = parsed({"-mmd", "1", "-mmd", "3:4=5", "--mmd=18446744073709551615:0=0.25", "-mmd=node=0.5",
                               "-mmd", "3:4=7", "-mmd", "2"})
                           .parameters;
  REQUIRE(p.min_delay_us == 2);
  REQUIRE(p.node_delay_us == 0.5);
  REQUIRE(p.pair_delays == std::vector<PairDelay>{{3, 4, 5}, {18446744073709551615U, 0, 0.25}, {3, 4, 7}});
  for (const char* wrong : {"x",   "1:2", "a:b=1", "1:=1", ":2=1",  "1:2=",    "1:2=x", "nodes=1", "=1",     "1,5",
                            "1us", "-1",  "nan",   "inf",  "1e999", "1:2:3=4", "0x10",  " 1",      "1:-2=3", "node=-1"})
    REQUIRE_FALSE(refused({"-mmd", wrong}).empty());
}

TEST_CASE("minimum distances of all processes and of one", "[options]") {
  const Parameters p = parsed({"--delta", "1", "--delta=18446744073709551615=0.25", "--delta", "0=0"}).parameters;
  REQUIRE(p.delta_us == 1);
  REQUIRE(p.process_deltas == std::vector<ProcessDelta>{{18446744073709551615U, 0.25}, {0, 0}});
  for (const char* wrong : {"x", "1=", "=1", "a=1", "1=x", "1=-1", "-1=1", "1:2=3", "18446744073709551616=1"})
    REQUIRE_FALSE(refused({"--delta", wrong}).empty());
  REQUIRE(refused({"--delta", "a=1"}) == "--delta: expected US or PROCESS=US, found 'a=1'");
}

TEST_CASE("regulators, norms, sizes", "[options]") {
  Parameters p = parsed({"--regulators", "aC"}).parameters;
  REQUIRE((p.regulator_a && !p.regulator_b && p.regulator_c && !p.regulator_d));
  p = parsed({"--regulators=none"}).parameters;
  REQUIRE_FALSE((p.regulator_a || p.regulator_b || p.regulator_c || p.regulator_d));
  REQUIRE(parsed({"--norm", "16"}).parameters.norm == Norm::sixteenth);
  REQUIRE(parsed({"--order", "epochs"}).parameters.order == Parameters::Order::epochs);
  REQUIRE(parsed({"--max-memory", "64M"}).parameters.max_memory == std::uint64_t{64} << 20);
  REQUIRE(parsed({"--max-memory", "3G"}).parameters.max_memory == std::uint64_t{3} << 30);
  REQUIRE(parsed({"--max-memory", "1T"}).parameters.max_memory == std::uint64_t{1} << 40);
  REQUIRE_FALSE(refused({"--regulators", "ABE"}).empty());
  REQUIRE_FALSE(refused({"--norm", "2"}).empty());
  REQUIRE_FALSE(refused({"--max-memory", "1K"}).empty());
  REQUIRE_FALSE(refused({"-maxerr", "0"}).empty());
  REQUIRE_FALSE(refused({"--gamma-max", "1.5"}).empty());
  REQUIRE_FALSE(refused({"--report", "-"}).empty());
  REQUIRE(parsed({"--report", "-", "--dry-run"}).reporting.report == "-");
  REQUIRE(parsed({"--report", "-", "-o", "x"}).reporting.report == "-");
  REQUIRE_FALSE(refused({"--no-correction", "--report", "x"}).empty());
}

TEST_CASE("what is wrong and what was meant", "[options]") {
  REQUIRE(refused({"--dryrun"}) == "unknown option --dryrun, did you mean --dry-run?");
  REQUIRE(refused({"-mdm", "3"}) == "unknown option -mdm, did you mean -mmd?");
  REQUIRE(refused({"--cldif=3"}) == "unknown option --cldif, did you mean -cldiff?");
  REQUIRE(refused({"--max-mem", "3"}) == "unknown option --max-mem, did you mean --max-memory?");
  REQUIRE(refused({"--something-else"}) == "unknown option --something-else");
  REQUIRE(refused({"-x"}) == "unknown option -x");
  REQUIRE(refused({"-mmd"}) == "-mmd needs a value");
  REQUIRE(refused({"--dry-run=1"}) == "--dry-run takes no value");
  REQUIRE(refused({"--help=1"}) == "--help takes no value");
  REQUIRE(refused({"-version=1"}) == "--version takes no value");
}

TEST_CASE("numbers of threads", "[options]") {
  REQUIRE_FALSE(parsed({}).threads);
  REQUIRE(parsed({"--threads", "1"}).threads == 1U);
  REQUIRE(parsed({"--threads", "3"}).threads == 3U);
  REQUIRE_FALSE(parsed({"--threads", "3", "--threads", "auto"}).threads);
  REQUIRE(parsed({"--threads", "1024"}).threads == 1024U);
  for (const std::string word : {"x", "0", "1025"})
    REQUIRE(refused({"--threads", word.c_str()}) ==
            "--threads: expected a whole number from 1 to 1024, found '" + word + "'");
}

TEST_CASE("options that change a copy are effective, too", "[options]") {
  REQUIRE(filter::effective(parsed({"--no-correction", "-mmd", "3"}), 3) == "--no-correction");
  REQUIRE(
      filter::effective(parsed({"--no-correction", "--paje-unit", "ms", "--ignore-clock-offsets", "--sort-window", "2",
                                "--clock-of", "location", "--mmd-threads", "off", "--keep-going", "--keep-original"}),
                        1) ==
      "--no-correction --sort-window 2 --paje-unit ms --ignore-clock-offsets --clock-of location --mmd-threads 0 "
      "--keep-going --keep-original");
}

TEST_CASE("effective options can be typed again", "[options]") {
  const filter::Options o =
      parsed({"-mmd", "1:2=3", "-mmd", "node=0.5", "--norm", "16", "--regulators", "AD", "--delta", "0.1", "--delta",
              "3=0.5", "--bandwidth", "1000", "--no-amortization", "--max-memory", "64M"});
  const std::string text = filter::effective(o, 2.5);
  REQUIRE(text ==
          "-mmd 2.5 -mmd node=0.5 -mmd 1:2=3 -maxerr 0.5 -cldiff 1000 --bandwidth 1000 --delta 0.1 "
          "--delta 3=0.5 --match resync --no-amortization "
          "--regulators AD --regulators-as evidence --norm 16 --wait-limit 10 --max-memory 67108864");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  REQUIRE(filter::effective(parsed(pointers), 2.5) == text);
  REQUIRE(parsed(pointers).parameters.min_delay_us == 2.5);
  REQUIRE(parsed(pointers).parameters.max_memory == std::uint64_t{64} << 20);
}

TEST_CASE("help fits into 80 columns and names every default", "[options]") {
  tool::CommandLine line("prog", "[INPUT]", "Purpose.");
  bool flag = false;
  line.group("Group");
  line.flag("flag,x", "A flag with a rather long explanation that has to be broken over several lines of text.", flag);
  const std::string help = line.help();
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = help.find('\n', at);
    REQUIRE(end - at < 80);
    at = end + 1;
  }
  REQUIRE(help.find("-x, --flag") != std::string::npos);
}

TEST_CASE("sizes and counts", "[values]") {
  using namespace tool;
  REQUIRE(size("x", "4096") == 4096);
  REQUIRE(size("x", "64K") == 65536);
  REQUIRE(size("x", "64k") == 65536);
  REQUIRE(size("x", "1.5G") == 1610612736);
  REQUIRE(size("x", "2MiB") == 2097152);
  REQUIRE(size("x", "2MB") == 2097152);
  REQUIRE(size("x", "18446744073709551615") == 18446744073709551615U);
  REQUIRE(count("x", "1e6") == 1000000);
  REQUIRE(count("x", "10k") == 10000);
  for (const char* wrong : {"", "M", "-1", "1.5", "1Q", "1 G", "99999999999T", "nan", "B", "1e30"}) {
    REQUIRE_THROWS_AS(size("x", wrong), UsageError);
    REQUIRE_THROWS_AS(count("x", wrong), UsageError);
  }
  REQUIRE(whole("x", "-5", -10, 10) == -5);
  REQUIRE_THROWS_AS(whole("x", "11", -10, 10), UsageError);
  REQUIRE_THROWS_AS(whole("x", "1.0", -10, 10), UsageError);
  REQUIRE(shortest(0.5) == "0.5");
  REQUIRE(shortest(1000) == "1000");
  REQUIRE(shortest(100'000) == "100000");
  REQUIRE(shortest(-123456789012345.5) == "-123456789012345.5");
  REQUIRE(shortest(1e15) == "1e+15");
}

TEST_CASE("the nearest word", "[values]") {
  const std::vector<std::string> words{"report", "report-format", "regulators", "mmd"};
  REQUIRE(tool::nearest("reprot", words) == "report");
  REQUIRE(tool::nearest("reportformat", words) == "report-format");
  REQUIRE(tool::nearest("regulator", words) == "regulators");
  REQUIRE(tool::nearest("md", words) == "mmd");
  REQUIRE(tool::nearest("banana", words).empty());
}

TEST_CASE("options of the library are shown as flags", "[program]") {
  CHECK(tool::with_flags("raise SourceOptions::sort_memory; SourceOptions::format, not SinkOptions::format") ==
        "raise --max-memory; -f, not -F");
  CHECK(tool::with_flags("set to 0: use SourceOptions::clock_offsets = false") ==
        "set to 0: use --ignore-clock-offsets");
  CHECK(tool::with_flags("use Parameters::gamma_min = 0, and a smaller Parameters::min_delay_us") ==
        "use --gamma-min 0, and a smaller -mmd");
  CHECK(tool::with_flags("leave that out with SourceOptions::thread_delay_us = 0") ==
        "leave that out with --mmd-threads off");
  CHECK(tool::with_flags("read with SourceOptions::output") == "read with SourceOptions::output");
  // What a program does not have, clc-filter has.
  for (const char* const program : {"clc-check", "clc-filter-mpi", "clc-sync", "clc-view"}) {
    CHECK(tool::with_flags("choose SinkOptions::format", program) == "choose clc-filter -F");
    CHECK(tool::with_flags("use SourceOptions::sort_window_us", program) == "use clc-filter --sort-window");
  }
  CHECK(tool::with_flags("choose SinkOptions::format", "clc-tracegen") == "choose -F");
}

}  // namespace clc

TEST_CASE("time left is rounded up to a unit that people read") {
  using clc::tool::time_left;
  CHECK(time_left(0.2) == "1 s");
  CHECK(time_left(59) == "59 s");
  CHECK(time_left(59.5) == "1 min");
  CHECK(time_left(61) == "2 min");
  CHECK(time_left(3601) == "1 h 1 min");
  CHECK(time_left(1e300) == "277777 h 47 min");
}
