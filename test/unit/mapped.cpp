// Delays of messages and of collective operations before their times were mapped.
#include "estimation/mapped.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace {

using clc::OffsetLine;
using clc::OffsetPoint;
using clc::ProcessIndex;
using clc::Ticks;
using clc::Time;

/// What each seed begins with.
struct Trial {
  explicit Trial(std::uint64_t seed) : random(seed) {}
  [[nodiscard]] Ticks below(std::uint64_t limit) { return static_cast<Ticks>(random() % limit); }

  std::mt19937_64 random;
  clc::Definitions definitions;
  clc::Offsets maps;
};

TEST_CASE("mapped delays lead back to recorded ones, in any order of the messages", "[mapped]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Trial trial(seed);
    auto& [random, definitions, maps] = trial;
    std::vector<OffsetLine> lines;
    for (ProcessIndex p = 0; p < 3; ++p) {
      definitions.add_process(p, {});
      // Mapped times must not run backwards: points are further apart than their offsets.
      std::vector<OffsetPoint> points(1 + random() % 40);
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {Time(static_cast<Ticks>(i) * 10'000'000 + trial.below(1'000'000)),
                     trial.below(2'000'000) - 1'000'000};
      lines.emplace_back(points);
      if (p < 2) maps.emplace(p, lines.back());  // the last one is not mapped
    }
    clc::tool::Unmapping unmapping(maps, definitions);
    for (int i = 0; i < 2000; ++i) {
      const auto sender = static_cast<ProcessIndex>(random() % 3);
      const auto receiver = static_cast<ProcessIndex>(random() % 3);
      const Time sent(trial.below(500'000'000) - 50'000'000);
      const Time received(sent + trial.below(i % 2 == 0 ? 1000 : 400'000'000));
      const auto mapped = [&](ProcessIndex p, Time time) { return p < 2 ? lines[p].at(time) : time; };
      const Ticks delay = mapped(receiver, received) - mapped(sender, sent);
      const Ticks found = unmapping.delay(sender, receiver, mapped(receiver, received), delay);
      const Ticks expected = received - sent;
      CHECK(found - expected <= 2);  // a tick of rounding at each end
      CHECK(expected - found <= 2);
    }
  }
}

TEST_CASE("the smallest delay to each end of collective operations is that of all begins before it, either way",
          "[mapped]") {
  using clc::CollectiveClass;
  using clc::CollectiveMember;
  constexpr ProcessIndex processes = 5;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Trial trial(seed);
    auto& [random, definitions, maps] = trial;
    std::vector<Ticks> offsets;
    for (ProcessIndex p = 0; p < processes; ++p) {
      definitions.add_process(p, {}, {}, p == 4 ? std::optional<ProcessIndex>(3) : std::nullopt);
      offsets.push_back(p == 4 ? offsets[3] : trial.below(2000) - 1000);
      if (p != 4) maps.emplace(p, OffsetLine({{Time(0), offsets[p]}}));
    }
    const bool backwards = seed % 2 == 0;
    clc::tool::RecordedDelays delays(maps, definitions, backwards);
    std::vector<clc::tool::SmallestDelay> expected(processes);
    for (int i = 0; i < 3; ++i) {
      auto kind = static_cast<CollectiveClass>(random() % 4);
      const auto root = static_cast<clc::Rank>(random() % processes);
      std::vector<CollectiveMember> members;  // with recorded times
      for (ProcessIndex p = 0; p < processes; ++p) {
        CollectiveMember& member = members.emplace_back();
        member.process = p;
        member.clock = definitions.processes()[p].clock;
        member.begin = Time(10'000 * i + trial.below(3000));
        member.end = member.begin + trial.below(3000);
        member.tail = can_be_tail(kind, p, root) && random() % 4 != 0;
        member.head = can_be_head(kind, p, root) && random() % 4 != 0;
      }
      for (const CollectiveMember& from : members)
        for (const CollectiveMember& to : members) {
          const bool ordered = kind != CollectiveClass::prefix || from.process < to.process;
          if (!from.tail || !to.head || from.clock == to.clock || !ordered) continue;
          const Ticks delay = to.end - from.begin;
          auto& smallest = expected[to.process];
          smallest.recorded = std::min(smallest.recorded, delay);
          smallest.mapped = std::min(smallest.mapped, delay + offsets[to.process] - offsets[from.process]);
        }
      for (CollectiveMember& member : members) {
        member.begin = member.begin + offsets[member.process];
        member.end = member.end + offsets[member.process];
        if (!backwards) continue;
        const Time begin = member.begin;
        member.begin = Time(~member.end.ticks());
        member.end = Time(~begin.ticks());
        std::swap(member.tail, member.head);
      }
      if (backwards && kind == CollectiveClass::prefix) std::reverse(members.begin(), members.end());
      if (backwards && kind == CollectiveClass::one_to_n)
        kind = CollectiveClass::n_to_one;
      else if (backwards && kind == CollectiveClass::n_to_one)
        kind = CollectiveClass::one_to_n;
      delays.operation(kind, root, members);
    }
    for (ProcessIndex p = 0; p < processes; ++p) {
      CHECK(delays.of_operations()[p].mapped == expected[p].mapped);
      CHECK(delays.of_operations()[p].recorded == expected[p].recorded);
    }
  }
}

}  // namespace
