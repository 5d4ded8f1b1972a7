// Clocks that are mapped ahead of the filter: records come in the order of their mapped times, whatever the maps.
#include "common/aligned.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "clc/io/batch.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

constexpr std::size_t processes = 5;

/// Events in batches of two or three.
std::string trace_of(std::mt19937_64& random, std::size_t events) {
  std::string text = "%clc-trace 1\n";
  for (std::size_t i = 0; i < processes; ++i) text += "%process " + std::to_string(i) + " p\n";
  std::int64_t time = 1000;
  for (std::size_t i = 0; i < events; ++i) {
    time += static_cast<std::int64_t>(random() % 50);
    text += std::to_string(time) + ' ' + std::to_string(random() % processes) + " I e\n";
  }
  return text;
}

/// Points that cover a part of the trace, or none of it; offsets that fall by at most half a tick a tick.
Offsets maps_of(std::mt19937_64& random) {
  Offsets maps;
  for (std::uint64_t process = 0; process < processes; ++process) {
    std::vector<OffsetPoint> points;
    Time time(static_cast<std::int64_t>(random() % 12'000));
    Ticks offset = static_cast<Ticks>(random() % 20'000) - 10'000;
    for (std::size_t left = random() % 4; left > 0; --left) {
      points.push_back({time, offset, 0.25});
      const auto step = static_cast<Ticks>(10 + random() % 3000);
      time = time + step;
      offset += static_cast<Ticks>(random() % static_cast<std::uint64_t>(step + 1)) - step / 2;
    }
    if (!points.empty()) maps.emplace(process, std::move(points));
  }
  return maps;
}

}  // namespace

TEST_CASE("aligned: the granularity of recorded times, whatever the clocks' offsets") {
  RecordedTimes recorded;
  recorded.push(1, Time(7));
  CHECK(recorded.granularity() == 0);
  for (const Ticks time : {60'007, 20'007, 100'007}) recorded.push(1, Time(time));
  for (const Ticks time : {5, 40'005}) recorded.push(0, Time(time));
  CHECK(recorded.granularity() == 20'000);
  recorded.push(0, Time(40'006));
  CHECK(recorded.granularity() == 1);
}

TEST_CASE("aligned: sorted by mapped time, also where lines go on beyond their points") {
  const Folder folder;
  for (std::uint64_t seed = 1; seed <= (in_depth() ? 2000 : 200); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    write_file("t.clct", trace_of(random, 300));
    const Offsets maps = maps_of(random);
    const Trace original = read_trace("t.clct");
    REQUIRE(original.events.size() == 300);
    std::vector<OffsetMap> of_process(processes);
    for (std::size_t i = 0; i < processes; ++i)
      if (const auto line = maps.find(i); line != maps.end()) of_process[i] = OffsetMap(&line->second);
    std::vector<std::pair<Time, std::size_t>> expected;  // mapped time, position
    for (std::size_t i = 0; i < original.events.size(); ++i)
      expected.emplace_back(of_process[original.events[i].process].next(original.events[i].time), i);
    std::stable_sort(expected.begin(), expected.end());

    RecordedTimes recorded;
    SourceOptions options;
    options.threads = std::make_shared<Threads>(1 + seed % 3);
    const auto source = aligned(std::move(open_source("t.clct", options).source), maps, recorded);
    std::size_t at = 0;
    Batch batch;
    for (bool more = true; more;) {
      more = source->read(batch);
      for (const Event& event : batch.events) {
        REQUIRE(at < expected.size());
        const Event& wanted = original.events[expected[at].second];
        REQUIRE(event.process == wanted.process);
        REQUIRE(event.time == expected[at].first);
        REQUIRE(recorded.pop(event.process) == wanted.time);
        ++at;
      }
    }
    REQUIRE(at == expected.size());
  }
}
