// What every scenario must do, on any clocks.
#include "scenarios.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "clc/error.hpp"
#include "helpers.hpp"

namespace clc::tracegen::test {
namespace {

const std::vector<std::string> bad_clocks{
    "",
    "--offset 0 --drift 0",
    "--offset 5000 --drift 100 --wander 20 --temperature 50:0.3",
    "--steps 20:2000 --tick 1000",
    "--steps 5:10000 --offset 200 --set-back",
    "--resync 0.1:20 --start epoch",
    "--ntp 0.2:100 --tick 10 --start -1000000000000",
};

const std::vector<std::string> programs{
    "halo --grid 4x4",
    "halo --grid 1x7",
    "halo --grid 2x2 --regions --allreduce 3",
    "finite-elements --grid 3x4",
    "finite-elements --grid 3x3 --regions --allreduce 5",
    "ring",
    "ring -n 2 --regions",
    "pairs",
    "pairs -n 5 --regions",
    "master-worker",
    "master-worker -n 2 --regions",
    "random",
    "random -n 3 --regions --jitter 500",
    "collectives",
    "collectives -n 5 --regions --nonblocking 40",
    "collectives -n 1",
    "halo --nodes 8 --node-delay 1 --bandwidth 1000 --size 100K",
    "collectives --nodes 3 --node-delay 1",
    "collectives --nodes 3 --node-delay 50",
    "random --bandwidth 100 --resolution 1000000",
    "collectives --bandwidth 10 --size 10K",
    "collectives --nodes 3 --node-delay 1 --bandwidth 100 --size 10K",
    "collectives --nodes 3 --node-delay 50 --bandwidth 100 --size 10K --nonblocking 40",
    "halo --grid 2x4 --nodes 2 --node-delay 1 --bandwidth 1 --size 8 --allreduce 3",
};

bool same(const Placed& a, const Placed& b) { return a.process == b.process && a.point == b.point; }

Ticks minimum(const Run& run, ProcessIndex from, ProcessIndex to) {
  const Settings& s = run.settings;
  const bool together = s.processes_per_node != 0 && from / s.processes_per_node == to / s.processes_per_node;
  return std::max<Ticks>(
      1, s.resolution.ticks_of_microseconds(together ? *s.messages.node_delay_us : *s.messages.delay_us));
}

/// What the length of a message adds to that.
Ticks transfer(const Run& run, std::uint64_t bytes) {
  if (!run.settings.messages.bandwidth_mb_s) return 0;
  return static_cast<Ticks>(
      std::ceil(static_cast<double>(bytes) * static_cast<double>(run.settings.resolution.per_second()) /
                (*run.settings.messages.bandwidth_mb_s * 1e6)));
}

/// Enter and leave records are well nested.
void check_nesting(const std::vector<Point>& points) {
  std::vector<std::uint8_t> open;
  for (const Point& point : points) {
    if (point.kind == Kind::enter) open.push_back(point.region);
    if (point.kind == Kind::leave) {
      REQUIRE(!open.empty());
      REQUIRE(open.back() == point.region);
      open.pop_back();
    }
  }
  REQUIRE(open.empty());
}

void check_laws(const Run& run) {
  const std::size_t processes = run.plan.processes;
  REQUIRE(sorted(run.recorded));
  REQUIRE(sorted(run.truth));
  REQUIRE(run.recorded.all.size() == run.generated.records);

  // The truth holds the same records in the same order within each process.
  const auto recorded = run.recorded.by_process(processes);
  const auto truth = run.truth.by_process(processes);
  for (std::size_t process = 0; process < processes; ++process) {
    REQUIRE(recorded[process].size() == truth[process].size());
    for (std::size_t i = 0; i < truth[process].size(); ++i) {
      Point point = recorded[process][i];
      point.time = truth[process][i].time;
      REQUIRE((point == truth[process][i]));
      if (i > 0) REQUIRE(truth[process][i].time > truth[process][i - 1].time);
    }
    if (run.settings.regions) check_nesting(truth[process]);
  }

  const Matched matched = match(run.truth);
  REQUIRE(matched.unmatched_sends == 0);
  REQUIRE(matched.unmatched_receives == 0);
  for (const Message& message : matched.messages) {
    REQUIRE(message.from != message.to);
    REQUIRE(message.sent_bytes == message.received_bytes);
    REQUIRE(message.received - message.sent >=
            minimum(run, message.from, message.to) + transfer(run, message.sent_bytes));
  }

  for (const auto& calls : instances(run.truth, processes)) {
    REQUIRE(calls.size() == run.truth.communicators.at(calls[0].end.communicator).size());
    for (const Call& head : calls) {
      REQUIRE(head.end.time > head.begin);
      REQUIRE(head.end.operation == calls[0].end.operation);
      REQUIRE(head.end.peer == calls[0].end.peer);
      for (const Call& tail : calls)
        if (ordered(tail, head))
          REQUIRE(head.end.time - tail.begin >=
                  minimum(run, tail.process, head.process) + transfer(run, head.end.received));
    }
  }
}

}  // namespace

TEST_CASE("every program obeys the laws of messages and collectives on any clocks") {
  std::uint64_t seed = 0;
  for (const std::string& program : programs)
    for (const std::string& clocks : bad_clocks) {
      Run result = run(program + ' ' + clocks + " --events 6000", ++seed);
      INFO(program << ' ' << clocks << " --events 6000 --seed " << seed);
      for (const auto& [number, members] : result.recorded.communicators) result.truth.communicators[number] = members;
      check_laws(result);
      CHECK(result.generated.records > 4800);
      CHECK(result.generated.records < 7500);
    }
}

TEST_CASE("a seed makes the same trace, another seed another") {
  for (const std::string& program : programs) {
    INFO(program);
    const Run a = run(program + " --events 3000 --wander 5", 11);
    const Run b = run(program + " --events 3000 --wander 5", 11);
    const Run c = run(program + " --events 3000 --wander 5", 12);
    REQUIRE(a.recorded.all.size() == b.recorded.all.size());
    CHECK(std::equal(a.recorded.all.begin(), a.recorded.all.end(), b.recorded.all.begin(), same));
    CHECK(
        !std::equal(a.recorded.all.begin(), a.recorded.all.end(), c.recorded.all.begin(), c.recorded.all.end(), same));
  }
}

TEST_CASE("on clocks without errors the trace is the truth") {
  const Run exact = run("random --offset 0 --drift 0 --start epoch --events 5000");
  REQUIRE(exact.recorded.all.size() == exact.truth.all.size());
  CHECK(std::equal(exact.recorded.all.begin(), exact.recorded.all.end(), exact.truth.all.begin(), same));
  CHECK(exact.recorded.all.front().point.time >= 1'704'067'200'000'000'000);
}

TEST_CASE("number, rate and duration are as asked for") {
  const auto length = [](const Run& r) {
    return static_cast<double>(r.truth.all.back().point.time - r.truth.all.front().point.time) / 1e9;
  };
  for (const std::string program :
       {"halo", "finite-elements", "ring", "pairs", "master-worker", "random", "collectives"}) {
    INFO(program);
    const Run by_events = run(program + " --events 20000 --rate 50000");
    CHECK(static_cast<double>(by_events.recorded.all.size()) == Approx(20000).epsilon(0.15));
    CHECK(length(by_events) == Approx(0.4).epsilon(0.15));
    const Run by_duration = run(program + " --duration 0.3 --rate 50000");
    CHECK(static_cast<double>(by_duration.recorded.all.size()) == Approx(15000).epsilon(0.15));
    CHECK(length(by_duration) == Approx(0.3).epsilon(0.15));
    const Run by_both = run(program + " --duration 2 --events 10000");
    CHECK(static_cast<double>(by_both.recorded.all.size()) == Approx(10000).epsilon(0.15));
    CHECK(length(by_both) == Approx(2).epsilon(0.15));
  }
}

TEST_CASE("every operation occurs, with every kind of communicator") {
  const Run result = run("collectives --events 50000");
  std::set<Operation> seen;
  std::set<CommunicatorIndex> used;
  bool silent_tail = false;
  bool silent_head = false;
  for (const Placed& placed : result.recorded.all) {
    if (placed.point.kind != Kind::collective_end) continue;
    seen.insert(placed.point.operation);
    used.insert(placed.point.communicator);
    if (placed.point.operation == Operation::alltoallv) {
      silent_tail = silent_tail || placed.point.bytes == 0;
      silent_head = silent_head || placed.point.received == 0;
    }
  }
  CHECK(seen.size() == operations.size());
  CHECK(used.size() == result.plan.communicators.size());
  CHECK(silent_tail);
  CHECK(silent_head);
}

TEST_CASE("grids are as square as the number of processes allows") {
  for (const auto& [processes, rows, columns] :
       {std::array{12U, 3U, 4U}, {2U, 1U, 2U}, {7U, 1U, 7U}, {16U, 4U, 4U}, {18U, 3U, 6U}}) {
    const Run result = run("halo --events 100 -n " + std::to_string(processes));
    INFO(processes);
    CHECK(result.plan.rows == rows);
    CHECK(result.plan.columns == columns);
  }
}

TEST_CASE("an allreduce comes after every third iteration, if asked for") {
  const Run result = run("halo --grid 2x2 --allreduce 3 --events 1000");
  for (const auto& points : result.truth.by_process(4)) {
    std::vector<std::size_t> between{0};
    for (const Point& point : points) {
      if (point.kind == Kind::collective_end) CHECK(point.operation == Operation::allreduce);
      if (point.kind == Kind::collective_end) between.push_back(0);
      if (point.kind == Kind::send || point.kind == Kind::receive) ++between.back();
    }
    between.pop_back();
    REQUIRE(between.size() > 5);
    CHECK(between == std::vector<std::size_t>(between.size(), 3 * 8));
  }
}

TEST_CASE("of a temperature the first figure is the amplitude, the second the period") {
  const ClockErrors errors = run("ring --temperature 5:4 --events 100").settings.clock;
  CHECK(errors.temperature_ppm == 5);
  CHECK(errors.temperature_period_s == 4);
}

TEST_CASE("what waits in memory does not grow with the trace") {
  for (const std::string program : {"halo", "finite-elements", "ring", "pairs", "master-worker", "random",
                                    "collectives", "halo --silent 3:0.1:0.9"}) {
    const std::string clocks = " --offset 500 --drift 20 --resync 0.5:500 --events ";
    const Run small = run(program + clocks + "300000");
    const Run large = run(program + clocks + "1200000");
    INFO(program << ": " << small.generated.peak << ", " << large.generated.peak);
    CHECK(static_cast<double>(large.generated.peak) < 1.25 * static_cast<double>(small.generated.peak) + 100);
  }
}

TEST_CASE("non-blocking operations are as frequent as asked") {
  for (const double percent : {0.0, 20.0, 50.0, 90.0, 100.0}) {
    const std::string words = "collectives -n 6 --events 60000 --nonblocking " + std::to_string(percent);
    INFO(words);
    const Run result = run(words);
    std::size_t all = 0;
    std::size_t nonblocking = 0;
    for (const auto& calls : instances(result.recorded, result.plan.processes)) {
      ++all;
      nonblocking += calls[0].end.tag != 0;
    }
    CHECK(100 * static_cast<double>(nonblocking) / static_cast<double>(all) == Approx(percent).margin(1.5));
    CHECK(static_cast<double>(result.generated.records) == Approx(60000).epsilon(0.05));
  }
}

TEST_CASE("extreme values do no harm") {
  for (const std::string words :
       {"halo --offset 1e12 --start 4611686018427387904 --resolution 1e12 --rate 1e9",
        "halo --offset 1e12 --start -4611686018427387904 --resolution 1e12 --rate 1e9",
        "halo --steps 1000:1e12 --wander 1e12 --drift 999999", "halo -n 4 --temperature 1e12:1e-9 --events 400",
        "random --delay 1e9 --jitter 1e9 --resolution 1e12", "halo --bandwidth 1e-9 --size 1T --events 1e4",
        "halo --resolution 1", "halo --rate 1e15", "ring --rate 1e-3 --events 1000", "halo -n 10000 --events 1e5",
        "random --size 0", "collectives --size 0", "collectives --lose-members 100 --events 5000",
        "halo --lose-sends 100 --lose-receives 100", "ring --end-early 0:0", "halo --start-late 1:1 --finish-early 2:0",
        "halo -n 2 --silent 0:0:1 --silent 1:0:1 --regions", "halo --tick 1e9", "halo --tick 1e-9"}) {
    INFO(words);
    const Run result = run(words);
    CHECK(sorted(result.recorded));
    CHECK(sorted(result.truth));
  }
}

TEST_CASE("what does not go together is refused") {
  for (const std::string words : {"ring --grid 2x2",
                                  "halo --grid 2x2 -n 5",
                                  "halo -n 1",
                                  "coarse-clock --rate 5",
                                  "coarse-clock --delay 2000",
                                  "coarse-clock --regions",
                                  "coarse-clock --silent 1:0:1",
                                  "scenario2 -n 3",
                                  "scenario2 --delay 1",
                                  "scenario2 --jitter 1",
                                  "ring --allreduce 5",
                                  "ring --nonblocking 5",
                                  "ring --lose-members 1",
                                  "ring --lose-calls 1",
                                  "halo --lose-calls 1",
                                  "halo --allreduce 3 --silent 1:0.1:0.2 --lose-calls 1",
                                  "collectives --lose-sends 1",
                                  "collectives --lose-receives 1",
                                  "collectives --lose-burst 1",
                                  "halo --events 5 --duration 1 --rate 5",
                                  "halo --end-early 64:0.5",
                                  "halo --finish-early 64:0.5",
                                  "halo --silent 1:0.5:0.5",
                                  "halo --silent 1:0.5",
                                  "halo --steps 5",
                                  "halo --drift -1",
                                  "halo --rate 0",
                                  "halo --node-delay 1",
                                  "master-worker --silent 0:0.1:0.2",
                                  "halo --rate 1e-12",
                                  "halo --delay 1e12 --resolution 1e12",
                                  "halo --offset 1e13",
                                  "halo --size 2T",
                                  "nothing",
                                  "",
                                  "halo ring",
                                  "halo --truth -",
                                  "halo --truncate 5",
                                  "halo --grid 3",
                                  "halo --start now",
                                  "halo -F xml",
                                  "halo -z77"}) {
    INFO(words);
    CHECK_THROWS_AS(run(words), UsageError);
  }
}

}  // namespace clc::tracegen::test
