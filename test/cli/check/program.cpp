// clc-check on small traces: exit status, words on standard output, nothing unexpected on standard error.
#include <algorithm>
#include <catch2/catch.hpp>

#include "run_check.hpp"

using Catch::Contains;
using clc::test::check;
using clc::test::Run;
using clc::test::Scratch;

namespace {

const std::string head =
    "%clc-trace 1\n%resolution 1000000000\n%process 0 a\n%process 7 b node=n1\n%process 8 c node=n1\n%group 4 0 7 8\n";

/// Process 7 receives 500 ns before it was sent to.
const std::string bad = head +
                        "1000 0 E main\n1000 7 E main\n4500 7 R 0 4 1 64\n4600 7 L main\n5000 0 S 7 4 1 64\n"
                        "6000 0 L main\n";
const std::string good = head +
                         "1000 0 E main\n1000 7 E main\n5000 0 S 7 4 1 64\n6000 0 L main\n6000 7 R 0 4 1 64\n"
                         "6050 7 L main\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("a trace that violates the clock condition gives exit status 1") {
  const Scratch scratch;
  const Run run = check(scratch.file("bad.clct", bad));
  CHECK(run.status == 1);
  CHECK(run.err.empty());
  CHECK_THAT(run.out, Contains("6 events of 3 processes"));
  CHECK_THAT(run.out, Contains("Clock condition: VIOLATED (1 of 1 edges)"));
  CHECK_THAT(run.out, Contains("Worst message: delay -0.5 us (-500 ticks), minimum 1 us (1000 ticks)"));
  CHECK_THAT(run.out, Contains("from process 0 at 5000 (" + scratch.path("bad.clct") + ":11)"));
  CHECK_THAT(run.out, Contains("to   process 7 at 4500 (" + scratch.path("bad.clct") + ":9)"));
}

TEST_CASE("a trace that keeps the clock condition gives exit status 0") {
  const Scratch scratch;
  const std::string path = scratch.file("good.clct", good);
  CHECK(check(path).status == 0);
  CHECK_THAT(check(path).out, Contains("Clock condition: holds (1 edges)"));
  CHECK(check("- <" + path).status == 0);
  SECTION("the judgement depends on the minimum message delay") {
    CHECK(check(path + " -mmd 1").status == 0);
    CHECK(check(path + " -mmd 1.001").status == 1);
    CHECK(check(path + " --mmd=2").status == 1);
    CHECK(check(path + " -mmd 2 -mmd 0:7=1").status == 0);
    CHECK(check(path + " -mmd 7:0=2").status == 0);
    CHECK(check(path + " -mmd 0:7=1.5").status == 1);
    CHECK(check(path + " -mmd node=2").status == 0);     // the node of process 0 is unknown
    CHECK(check(path + " --bandwidth 64").status == 1);  // 64 bytes at 64 MB/s are 1 us more
  }
  SECTION("the trace's own minimum delay is the default") {
    CHECK(check(scratch.file("own.clct", replaced(good, "%process 0", "%min-delay 1001\n%process 0"))).status == 1);
    CHECK(check(scratch.file("less.clct", replaced(good, "%process 0", "%min-delay 10\n%process 0"))).status == 0);
  }
}

TEST_CASE("what is not matched is counted") {
  const Scratch scratch;
  const Run run = check(scratch.file("left.clct", head + "1 0 S 7 4 1 8\n2 0 S 7 4 2 8\n3 8 R 0 4 1 8\n4 0 B\n"
                                                         "5 0 X barrier 4 - 0 0\n6 7 B\n"));
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("sends never received"));
  CHECK_THAT(run.out, Contains("receives never sent"));
  CHECK_THAT(run.out, Contains("collective operations not finished by all members"));
  CHECK_THAT(run.out, Contains("begins of collective operations without end"));
}

TEST_CASE("a trace that is not sorted is told, and gives exit status 1") {
  const Scratch scratch;
  const std::string path = scratch.file("unsorted.clct", head + "10 0 E a\n9 0 L a\n");
  const Run run = check(path);
  CHECK(run.status == 1);
  CHECK(run.err.empty());
  CHECK_THAT(run.out, Contains("Sorted by time: NO, 1 records; first process 0 at 9 after 10 (" + path + ":8)"));
}

TEST_CASE("a damaged trace is judged up to the damage") {
  const Scratch scratch;
  const Run run = check(scratch.file("damaged.clct", bad + "7000 0 S nobody 4 1 64\n"));
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("6 events"));
  CHECK_THAT(run.out, Contains("Damaged: figures are for what could be read"));
  CHECK_THAT(run.err, Contains("damaged.clct:13"));
}

TEST_CASE("a correction that keeps the laws gives exit status 0") {
  const Scratch scratch;
  const std::string before = scratch.file("bad.clct", bad);
  const Run run = check(before + ' ' + scratch.file("good.clct", good));
  CHECK(run.err.empty());
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("law 1 clock condition: ok (1 edges)"));
  CHECK_THAT(run.out, Contains("law 2 nothing before its recorded time: ok (6 events)"));
  CHECK_THAT(run.out, Contains("law 3 order and distinctness in each process: ok (4 intervals)"));
  CHECK_THAT(run.out, Contains("law 4 unchanged where nothing is violated: does not apply"));
  CHECK_THAT(run.out, Contains("2 events moved, largest 1.5 us (1500 ticks)"));
  CHECK(check(before + ' ' + scratch.path("good.clct") + " --report-format json").out.find("\"laws_hold\": true") !=
        std::string::npos);
}

TEST_CASE("each law broken on purpose is noticed") {
  const Scratch scratch;
  const std::string before = scratch.file("before.clct", bad);
  const auto judged = [&](const std::string& after) {
    const Run run = check(before + ' ' + scratch.file("after.clct", after));
    CHECK(run.err.empty());
    CHECK(run.status == 1);
    return run.out;
  };
  CHECK_THAT(judged(replaced(good, "6000 7 R", "5999 7 R")), Contains("law 1 clock condition: BROKEN (1 of 1 edges)"));
  CHECK_THAT(judged(replaced(good, "1000 0 E", "999 0 E")), Contains("law 2 nothing before its recorded time: BROKEN"));
  CHECK_THAT(judged(replaced(good, "6050 7 L", "6000 7 L")), Contains("law 3 order and distinctness in each process: "
                                                                      "BROKEN"));
  CHECK_THAT(judged(replaced(good, "6000 7 R", "6100 7 R")), Contains("law 3 order and distinctness in each process: "
                                                                      "BROKEN"));
  CHECK_THAT(judged(replaced(good, "6000 7 R", "6100 7 R")), Contains("corrected trace sorted by time: BROKEN"));
  CHECK_THAT(judged(replaced(good, "7 L main", "7 L other")), Contains("records identical apart from time: BROKEN"));
  CHECK_THAT(judged(replaced(good, "6050 7 L main\n", "")), Contains("records identical apart from time: BROKEN"));
  CHECK_THAT(judged(replaced(good, "1 64\n", "1 65\n")), Contains("records identical apart from time: BROKEN"));
  CHECK_THAT(judged(replaced(good, "%process 0 a", "%process 0 z")), Contains("records identical apart from time: "
                                                                              "BROKEN"));
  const Run unneeded =
      check(scratch.file("fine.clct", good) + ' ' + scratch.file("moved.clct", replaced(good, "6050 7 L", "6051 7 L")));
  CHECK(unneeded.status == 1);
  CHECK_THAT(unneeded.out, Contains("law 4 unchanged where nothing is violated: BROKEN (1 of 6 events)"));
  CHECK(check(scratch.path("fine.clct") + ' ' + scratch.path("fine.clct")).status == 0);
}

TEST_CASE("a correction that keeps the recorded times beside the corrected ones") {
  const Scratch scratch;
  const std::string before = scratch.file("bad.clct", bad);
  std::string kept = replaced(good, "6000 7 R 0 4 1 64", "6000 7 R 0 4 1 64 @=4500");
  CHECK(check(before + ' ' + scratch.file("kept.clct", kept)).status == 0);
  CHECK(check(before + ' ' + scratch.file("wrong.clct", replaced(kept, "@=4500", "@=4501"))).status == 1);
}

TEST_CASE("errors against the truth") {
  const Scratch scratch;
  const std::string before = scratch.file("bad.clct", bad);
  const std::string after = scratch.file("good.clct", good);
  const std::string truth = scratch.file("truth.clct", replaced(good, "6000 7 R", "6040 7 R"));
  const Run run = check(before + ' ' + after + " --truth " + truth);
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  CHECK_THAT(run.out, Contains("message delays, us, before"));
  const Run json = check(before + ' ' + after + " --report-format=json --truth " + truth);
  CHECK_THAT(json.out, Contains("\"truth_errors\""));
  const Run wrong = check(before + ' ' + after + " --truth " + scratch.file("other.clct", head + "1 0 E b\n"));
  CHECK(wrong.status == 1);
  CHECK_THAT(wrong.err, Contains("expected the true times of the same records"));
}

TEST_CASE("usage errors give exit status 2 and one line") {
  const Scratch scratch;
  const std::string path = scratch.file("good.clct", good);
  for (const std::string& arguments :
       {std::string(), path + " -mmd", path + " -mmd x", path + " -mmd 1:=2", path + " -mmd -1", path + " --nothing",
        path + " --truth " + path, path + " --report-format xml", path + " -f tape", std::string("- -"),
        path + ' ' + path + ' ' + path, path + " --wait-limit 1", path + " --bandwidth 0"}) {
    const Run run = check(arguments + " </dev/null");
    INFO(arguments << "\n" << run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    CHECK_THAT(run.err, Catch::StartsWith("clc-check: "));
  }
}

TEST_CASE("a trace that is not there gives exit status 1 and one line") {
  const Run run = check("/nonexistent/trace");
  CHECK(run.status == 1);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Contains("/nonexistent/trace"));
}

TEST_CASE("a report that cannot be written gives exit status 1") {
  const Scratch scratch;
  const std::string command =
      std::string(CLC_CHECK) + ' ' + scratch.file("good.clct", good) + " >/dev/full 2>" + scratch.path("err");
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 1);
  CHECK_FALSE(clc::test::content(scratch.path("err")).empty());
}
