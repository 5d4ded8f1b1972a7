// Counting the ordered pairs of collective operations against plain loops.
#include "matching/violations.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "helpers.hpp"

using namespace clc;
using namespace clc::check;

namespace {

/// Every ordered pair, one by one.
EdgeFigures plain(const Collective& operation, const DelayModel& delays) {
  EdgeFigures figures;
  const OperationInfo& what = info(operation.operation);
  const bool barrier = operation.operation == Operation::barrier;
  if (what.rooted && operation.root >= operation.size) return figures;
  for (const Member& s : operation.members) {
    for (const Member& r : operation.members) {
      if (s.process == r.process || !s.has_begin) continue;
      if (!barrier && (s.sent == 0 || r.received == 0)) continue;
      if (what.kind == CollectiveClass::one_to_n && s.rank != operation.root) continue;
      if (what.kind == CollectiveClass::n_to_one && r.rank != operation.root) continue;
      if (what.kind == CollectiveClass::prefix && s.rank >= r.rank) continue;
      figures.add({s.process, r.process, s.begin, r.end, delays.between(s.process, r.process)}, recorded);
    }
  }
  return figures;
}

}  // namespace

TEST_CASE("ordered pairs of collective operations are counted as by plain loops") {
  std::mt19937_64 random(4711);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 3000; ++round) {
    Definitions definitions;
    const std::size_t size = 2 + below(20);
    std::vector<ProcessIndex> members;
    const bool nodes = below(2) == 0;
    for (std::size_t i = 0; i < size; ++i)
      members.push_back(definitions.add_process(
          100 + i, "p", nodes && below(5) != 0 ? "node" + std::to_string(below(4)) : std::string()));
    std::shuffle(members.begin(), members.end(), random);
    Parameters parameters;
    parameters.min_delay_us = 0.005;
    if (nodes) parameters.node_delay_us = 0.001 * static_cast<double>(below(12));
    for (std::uint64_t i = below(4); i > 1; --i)
      parameters.pair_delays.push_back({100 + below(size), 100 + below(size), 0.001 * static_cast<double>(below(20))});
    const DelayModel delays(parameters, definitions);
    CollectiveJudge judge(parameters, definitions, delays);

    Collective operation;
    operation.operation = static_cast<Operation>(below(operations.size()));
    operation.root = static_cast<Rank>(below(size + (below(20) == 0)));
    operation.size = size;
    const std::int64_t spread = 1 + static_cast<std::int64_t>(below(40));
    const auto time = [&] { return Time(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spread))); };
    std::vector<std::uint32_t> order(size);
    for (std::uint32_t i = 0; i < size; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::uint32_t rank : order) {
      if (below(30) == 0) continue;
      Member member;
      member.process = member.clock = members[rank];
      member.rank = rank;
      member.node = definitions.processes()[member.process].node;
      member.has_begin = below(20) != 0;
      member.sent = below(5);
      member.received = below(5);
      member.begin.time[0] = time();
      member.end.time[0] = time();
      operation.members.push_back(member);
    }
    const EdgeFigures expected = plain(operation, delays);
    const EdgeFigures found = judge.judge(operation, recorded);
    INFO("round " << round << ", " << info(operation.operation).name << ", " << size << " members");
    REQUIRE(found.edges == expected.edges);
    REQUIRE(found.backward == expected.backward);
    REQUIRE(found.violated == expected.violated);
    REQUIRE(found.smallest_delay == expected.smallest_delay);
    REQUIRE(found.worst_margin == expected.worst_margin);
    if (expected.edges != 0) REQUIRE(found.worst.delay(recorded) - found.worst.mu == expected.worst_margin);
  }
}

TEST_CASE("times at the ends of 64 bits are judged without overflow") {
  const Definitions definitions = world(2);
  const Parameters parameters;
  const DelayModel delays(parameters, definitions);
  CollectiveJudge judge(parameters, definitions, delays);
  Collective operation;
  operation.size = 2;
  for (const Rank rank : {0U, 1U}) {
    Member member;
    member.process = member.clock = rank;
    member.rank = rank;
    member.has_begin = true;
    member.begin.time[0] = rank == 0 ? Time::latest() : Time::earliest();
    member.end.time[0] = Time::earliest();
    operation.members.push_back(member);
  }
  const EdgeFigures found = judge.judge(operation, recorded);
  CHECK(found.edges == 2);
  CHECK(found.backward == 1);
  CHECK(found.violated == 2);
  CHECK(found.worst.from == 0);
  operation.agreed = false;
  CHECK(judge.judge(operation, recorded).edges == 0);
}
