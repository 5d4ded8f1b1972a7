// Defects on purpose: exactly what was asked for, nothing else.
#include <algorithm>
#include <catch2/catch.hpp>

#include "helpers.hpp"

namespace clc::tracegen::test {
namespace {

double length(const Run& r) { return static_cast<double>(r.plan.duration); }

}  // namespace

TEST_CASE("lost receives and sends") {
  const Run receives = run("halo --lose-receives 10 --events 50000");
  const Matched without_receives = match(receives.recorded);
  CHECK(static_cast<double>(without_receives.unmatched_sends) == Approx(2500).epsilon(0.1));
  CHECK(without_receives.unmatched_receives == 0);
  const Run sends = run("halo --lose-sends 2 --events 50000");
  CHECK(static_cast<double>(match(sends.recorded).unmatched_receives) == Approx(500).epsilon(0.2));
  CHECK(sorted(sends.recorded));
  CHECK(sends.recorded.all.size() == sends.truth.all.size());
}

TEST_CASE("a burst of lost sends and receives") {
  const auto kinds = [](const Run& r) {
    std::vector<std::vector<Point>> result = r.truth.by_process(8);
    for (auto& points : result)
      std::erase_if(points, [](const Point& p) { return p.kind != Kind::send && p.kind != Kind::receive; });
    return result;
  };
  const std::string program = "halo -n 8 --allreduce 5 --events 20000";
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Run whole = run(program, seed);
    const Run cut = run(program + " --lose-burst 50", seed);
    CHECK(cut.truth.all.size() + 50 == whole.truth.all.size());
    CHECK(cut.recorded.all.size() == cut.truth.all.size());
    const auto before = kinds(whole);
    const auto after = kinds(cut);
    std::size_t changed = 0;
    for (std::size_t p = 0; p < before.size(); ++p) {
      if (before[p] == after[p]) continue;
      ++changed;
      REQUIRE(after[p].size() + 50 == before[p].size());
      // In a row.
      const auto place = std::mismatch(after[p].begin(), after[p].end(), before[p].begin()).first - after[p].begin();
      CHECK(place > 0);
      CHECK(std::equal(after[p].begin() + place, after[p].end(), before[p].begin() + place + 50));
    }
    CHECK(changed == 1);
  }
}

TEST_CASE("lost collective calls") {
  for (const std::string program : {"halo -n 8 --allreduce 5 --events 20000", "collectives -n 8 --nonblocking 50"}) {
    const Run whole = run(program);
    const Run cut = run(program + " --lose-calls 3");
    CHECK(cut.truth.all.size() + 6 == whole.truth.all.size());
    CHECK(cut.recorded.all.size() == cut.truth.all.size());
    const auto before = whole.truth.by_process(8);
    const auto after = cut.truth.by_process(8);
    std::size_t lost = 0;
    for (std::size_t p = 0; p < 8; ++p) {
      std::map<std::int32_t, int> open;  // begins without end
      for (const Point& point : after[p]) {
        if (point.kind == Kind::collective_begin) ++open[point.tag];
        if (point.kind == Kind::collective_end) REQUIRE(open[point.tag]-- == 1);
      }
      for (const auto& [call, begun] : open) CHECK(begun == 0);
      lost += (before[p].size() - after[p].size()) / 2;
    }
    CHECK(lost == 3);
  }
}

TEST_CASE("records of a process stop or begin late, its partners' stay") {
  const Run whole = run("halo --events 50000 --offset 0 --drift 0");
  for (const std::string cut : {"--end-early 5:0.25", "--record-late 5:0.75"}) {
    INFO(cut);
    const Run rest = run("halo --events 50000 --offset 0 --drift 0 " + cut);
    const auto all = whole.recorded.by_process(64);
    const auto some = rest.recorded.by_process(64);
    for (std::size_t p = 0; p < 64; ++p) {
      if (p != 5) {
        CHECK(some[p].size() == all[p].size());
      } else {
        CHECK(static_cast<double>(some[p].size()) == Approx(0.25 * static_cast<double>(all[p].size())).epsilon(0.05));
      }
    }
    CHECK(match(rest.recorded).unmatched_receives > 0);
  }
}

TEST_CASE("processes that finish early, start late or are silent leave nobody waiting") {
  for (const std::string program :
       {"halo -n 16", "finite-elements", "ring", "pairs", "master-worker", "random", "collectives",
        "halo -n 16 --regions", "ring --regions", "master-worker --regions"}) {
    for (const std::string when : {"--finish-early 3:0.4", "--start-late 3:0.6", "--silent 3:0.3:0.7",
                                   "--start-late 3:0.2 --silent 3:0.5:0.6 --finish-early 3:0.8"}) {
      INFO(program << ' ' << when);
      const Run result = run(program + ' ' + when + " --events 30000 --offset 0 --drift 0", 3);
      const Matched matched = match(result.recorded);
      CHECK(matched.unmatched_sends == 0);
      CHECK(matched.unmatched_receives == 0);
      CHECK(sorted(result.recorded));
      for (const auto& calls : instances(result.recorded, result.plan.processes))
        REQUIRE(calls.size() == result.recorded.communicators.at(calls[0].end.communicator).size());
      const auto points = result.recorded.by_process(result.plan.processes)[3];
      REQUIRE(!points.empty());
      const auto between = [&](double from, double to) {
        std::size_t count = 0;
        for (const Point& point : points) {
          const double at = static_cast<double>(point.time) / length(result);
          count += point.kind != Kind::leave && at > from && at < to;
        }
        return count;
      };
      if (when.starts_with("--finish")) {
        CHECK(between(0, 0.4) > 0);
        CHECK(between(0.45, 1) == 0);
        // Nor is it in main any longer.
        CHECK(static_cast<double>(points.back().time) < 0.45 * length(result));
        if (result.settings.regions) CHECK(points.back().kind == Kind::leave);
      } else if (when.starts_with("--silent")) {
        CHECK(between(0, 0.3) > 0);
        CHECK(between(0.35, 0.68) == 0);
        CHECK(between(0.7, 1) > 0);
      } else if (when == "--start-late 3:0.6") {
        CHECK(between(-1, 0.58) == 0);
        CHECK(between(0.6, 1) > 0);
      } else {
        CHECK(between(-1, 0.18) == 0);
        CHECK(between(0.85, 1) == 0);
      }
    }
  }
}

TEST_CASE("incomplete collective operations") {
  for (const std::string kind : {"", " --nonblocking 50"}) {
    const Run result = run("collectives --lose-members 5 --events 40000" + kind);
    std::size_t incomplete = 0;
    std::size_t complete = 0;
    std::size_t alone = 0;
    const auto processes = result.plan.processes;
    // Begins without end are part of it, so the begin is of no interest here.
    std::map<std::pair<CommunicatorIndex, std::size_t>, std::size_t> sizes;
    const auto all = result.recorded.by_process(processes);
    for (const auto& points : all) {
      std::map<CommunicatorIndex, std::size_t> count;
      for (const Point& point : points)
        if (point.kind == Kind::collective_end) ++sizes[{point.communicator, count[point.communicator]++}];
    }
    for (const auto& [key, size] : sizes) {
      const std::size_t members = result.recorded.communicators.at(key.first).size();
      REQUIRE(size + 1 >= members);
      (size == members ? complete : incomplete)++;
      alone += members == 1;
    }
    // Of those that have several members.
    const auto share = static_cast<double>(incomplete) / static_cast<double>(complete + incomplete - alone);
    CHECK(share == Approx(0.05).margin(0.01));
    // Half of those who do not end did not begin.
    std::size_t begins = 0;
    std::size_t ends = 0;
    for (const Placed& placed : result.recorded.all) {
      begins += placed.point.kind == Kind::collective_begin;
      ends += placed.point.kind == Kind::collective_end;
    }
    CHECK(static_cast<double>(begins - ends) == Approx(0.5 * static_cast<double>(incomplete)).epsilon(0.3));
  }
}

}  // namespace clc::tracegen::test
