// The order in which events leave.
#include "clock/gathered.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "for_seeds.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

/// What was written: events by their position in the input, notes as negative numbers.
struct Written final : EventSink {
  std::vector<std::int64_t> all;
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) all.push_back(event.recorded.ticks());
  }
  void note(Body line) override { all.push_back(-1 - std::stoll(std::string(line))); }
};

std::string order(std::uint64_t seed) {
  Random random(seed);
  Gathered gathered;
  for (int round = 0; round < 3; ++round) {  // its room is used again
    gathered.clear();
    struct Place {
      Time time;
      std::uint64_t order;
    };
    std::vector<Place> all;
    std::uint64_t first = 0;
    // Of a few processes, each sorted; many times are equal, or in crowds, and some lie far away.
    const std::int64_t width = random.pick({1, 50, 1'000, 100'000});
    const bool crowds = random.chance(0.5);
    for (std::size_t process = 0; process < 5; ++process) {
      std::vector<Place> own;
      for (std::size_t n = random.index(400); n > 0; --n) {
        const Ticks far = random.chance(0.01) ? random.integer(-(Ticks{1} << 62), Ticks{1} << 62) : 0;
        const Ticks crowd = crowds ? random.pick({0, 1'000'000, 3'000'000}) : 0;
        own.push_back({Time(random.integer(0, width) + crowd + far), 0});
      }
      if (own.empty()) continue;
      std::sort(own.begin(), own.end(), [](const Place& a, const Place& b) { return a.time < b.time; });
      gathered.make_room(own.size());
      const std::size_t from = gathered.size();
      for (std::size_t k = 0; k < own.size(); ++k) {
        own[k].order = first++;
        gathered.events()[from + k] = {own[k].time, Time(static_cast<Ticks>(own[k].order)), 0, {}};
        gathered.orders()[from + k] = own[k].order << 4U;  // with its role
      }
      gathered.resize(from + own.size());
      gathered.added(from);
      all.insert(all.end(), own.begin(), own.end());
    }
    if (all.empty()) continue;
    if (gathered.newest() != first - 1) return "newest";
    std::sort(all.begin(), all.end(),
              [](const Place& a, const Place& b) { return std::pair(a.time, a.order) < std::pair(b.time, b.order); });
    // A note stands before the first event that leaves with its position in the input or a later one.
    std::vector<std::uint64_t> notes;
    for (std::size_t n = random.index(5); n > 0; --n) notes.push_back(random.index(first));
    std::sort(notes.begin(), notes.end());
    for (const std::uint64_t note : notes) gathered.notes.push_back({note, std::to_string(note)});
    std::vector<std::int64_t> expected;
    auto note = notes.begin();
    for (const Place& place : all) {
      for (; note != notes.end() && *note <= place.order; ++note)
        expected.push_back(-1 - static_cast<std::int64_t>(*note));
      expected.push_back(static_cast<std::int64_t>(place.order));
    }
    Written written;
    gathered.write(written);
    if (written.all != expected) {
      const auto at = std::mismatch(written.all.begin(), written.all.end(), expected.begin(), expected.end()).first;
      return "differs at " + std::to_string(at - written.all.begin()) + " of " + std::to_string(expected.size());
    }
  }
  return {};
}

}  // namespace

TEST_CASE("order: by time, then by position in the input, with notes between") { for_seeds(2, order); }

}  // namespace clc::test
