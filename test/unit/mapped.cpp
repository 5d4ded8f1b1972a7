// Delays of messages before their times were mapped.
#include "estimation/mapped.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using clc::OffsetLine;
using clc::OffsetPoint;
using clc::ProcessIndex;
using clc::Ticks;
using clc::Time;

TEST_CASE("mapped delays lead back to recorded ones, in any order of the messages", "[mapped]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t limit) { return static_cast<Ticks>(random() % limit); };
    clc::Definitions definitions;
    clc::Offsets maps;
    std::vector<OffsetLine> lines;
    for (ProcessIndex p = 0; p < 3; ++p) {
      definitions.add_process(p, {});
      // Mapped times must not run backwards: points are further apart than their offsets.
      std::vector<OffsetPoint> points(1 + random() % 40);
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {Time(static_cast<Ticks>(i) * 10'000'000 + below(1'000'000)), below(2'000'000) - 1'000'000};
      lines.emplace_back(points);
      if (p < 2) maps.emplace(p, lines.back());  // the last one is not mapped
    }
    clc::tool::Unmapping unmapping(maps, definitions);
    for (int i = 0; i < 2000; ++i) {
      const auto sender = static_cast<ProcessIndex>(random() % 3);
      const auto receiver = static_cast<ProcessIndex>(random() % 3);
      const Time sent(below(500'000'000) - 50'000'000);
      const Time received(sent + below(i % 2 == 0 ? 1000 : 400'000'000));
      const auto mapped = [&](ProcessIndex p, Time time) { return p < 2 ? lines[p].at(time) : time; };
      const Ticks delay = mapped(receiver, received) - mapped(sender, sent);
      const Ticks found = unmapping.delay(sender, receiver, mapped(receiver, received), delay);
      const Ticks expected = received - sent;
      CHECK(found - expected <= 2);  // a tick of rounding at each end
      CHECK(expected - found <= 2);
    }
  }
}

}  // namespace
