// The merge against a stable sort.
#include "merger.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace clc::tracegen {

TEST_CASE("the merge is a stable sort by time and process") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto processes = static_cast<std::uint32_t>(1 + random() % 70);
    Merger merger(processes);
    std::vector<Ticks> last(processes, -50);
    std::vector<Placed> expected;
    std::vector<Placed> found;
    std::uint64_t number = 0;
    const auto take = [&](ProcessIndex process, const Point& point) { found.push_back({process, point}); };
    for (int round = 0; round < 30; ++round) {
      const auto horizon = static_cast<Ticks>(round * 10 - 60);
      for (auto i = random() % 200; i > 0; --i) {
        const auto process = static_cast<ProcessIndex>(random() % processes);
        Point point;
        last[process] = std::max(last[process], horizon - 9) + static_cast<Ticks>(random() % 4);
        point.time = last[process];
        point.bytes = number++;
        expected.push_back({process, point});
        merger.push(process, point);
      }
      merger.drain(horizon - 10, take);
      REQUIRE(merger.waiting() == expected.size() - found.size());
    }
    merger.drain(ticks_max, take);
    REQUIRE(merger.waiting() == 0);
    std::stable_sort(expected.begin(), expected.end(), [](const Placed& a, const Placed& b) {
      return a.point.time != b.point.time ? a.point.time < b.point.time : a.process < b.process;
    });
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].process == expected[i].process);
      REQUIRE(found[i].point.bytes == expected[i].point.bytes);
    }
  }
}

}  // namespace clc::tracegen
