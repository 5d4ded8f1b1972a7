// How blocks of locations are divided among ranks.
#include "ranks/division.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "for_seeds.hpp"
#include "random_trace.hpp"
#include "trace/division.hpp"

namespace clc::test {
namespace {

using Ranks = std::vector<unsigned>;

std::vector<std::uint64_t> shares_of(const Ranks& ranks, const std::vector<std::uint64_t>& events, unsigned count) {
  std::vector<std::uint64_t> shares(count);
  for (std::size_t block = 0; block < ranks.size(); ++block) shares.at(ranks[block]) += events[block];
  return shares;
}
std::uint64_t largest_share_of(const Ranks& ranks, const std::vector<std::uint64_t>& events, unsigned count) {
  const auto shares = shares_of(ranks, events, count);
  return *std::max_element(shares.begin(), shares.end());
}
std::uint64_t between_ranks(const Ranks& ranks, const std::vector<Traffic>& traffic) {
  std::uint64_t sum = 0;
  for (const Traffic& each : traffic)
    if (ranks.at(each.sender) != ranks.at(each.receiver)) sum += each.messages;
  return sum;
}

std::vector<std::uint64_t> random_events(Random& random, std::size_t blocks) {
  const std::int64_t most = random.pick<std::int64_t>({1, 10, 1'000'000, 1'000'000'000'000});
  std::vector<std::uint64_t> events;
  while (events.size() < blocks) events.push_back(static_cast<std::uint64_t>(random.integer(1, most)));
  return events;
}

/// Messages in both directions between the neighbours of a torus of width x width blocks, numbered as `at` says.
std::vector<Traffic> torus(unsigned width, const std::vector<std::uint32_t>& at) {
  std::vector<Traffic> traffic;
  const auto both_ways = [&](std::uint32_t a, std::uint32_t b) {
    traffic.push_back({at[a], at[b], 100});
    traffic.push_back({at[b], at[a], 100});
  };
  for (unsigned row = 0; row < width; ++row)
    for (unsigned column = 0; column < width; ++column) {
      both_ways(row * width + column, row * width + (column + 1) % width);
      both_ways(row * width + column, (row + 1) % width * width + column);
    }
  return traffic;
}

TEST_CASE("division in order: runs of blocks, none further from the mean than the largest block") {
  for_seeds(1, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    const auto events = random_events(random, 1 + random.index(50));
    const auto count = static_cast<unsigned>(random.integer(1, 20));
    const Ranks ranks = divided_in_order(events, count);
    if (!std::is_sorted(ranks.begin(), ranks.end())) return "not in order";
    const auto all = static_cast<double>(std::accumulate(events.begin(), events.end(), std::uint64_t{0}));
    const auto largest = static_cast<double>(*std::max_element(events.begin(), events.end()));
    for (const std::uint64_t share : shares_of(ranks, events, count))
      if (std::abs(static_cast<double>(share) - all / count) > largest * (1 + 1e-9))
        return "a share of " + std::to_string(share);
    return "";
  });
  CHECK(divided_in_order({}, 3).empty());
  CHECK(divided_in_order({0, 0}, 3) == Ranks{0, 0});
}

TEST_CASE("division by traffic: about as even as in order, not more messages between ranks, the same each time") {
  for_seeds(5, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    const auto events = random_events(random, 1 + random.index(60));
    const auto count = static_cast<unsigned>(random.integer(1, 20));
    std::vector<Traffic> traffic;
    for (std::size_t left = random.index(300); left > 0; --left)
      traffic.push_back({static_cast<std::uint32_t>(random.index(events.size())),
                         static_cast<std::uint32_t>(random.index(events.size())),
                         static_cast<std::uint64_t>(random.integer(1, random.chance(0.1) ? 1'000'000'000'000 : 100))});
    const Ranks in_order = divided_in_order(events, count);
    const Ranks ranks = ranks::divided_by_traffic(events, traffic, count);
    if (ranks.size() != events.size()) return "not each block has a rank";
    if (between_ranks(ranks, traffic) > between_ranks(in_order, traffic)) return "more messages between ranks";
    const auto largest = static_cast<double>(largest_share_of(ranks, events, count));
    if (largest > 1.05 * static_cast<double>(largest_share_of(in_order, events, count))) return "less even";
    if (ranks::divided_by_traffic(events, traffic, count) != ranks) return "another one the second time";
    return "";
  });
}

TEST_CASE("division by traffic: of a torus with scattered numbers, neighbours come together") {
  constexpr unsigned width = 64;
  constexpr unsigned count = 64;
  std::vector<std::uint32_t> at(width * width);
  std::iota(at.begin(), at.end(), 0U);
  const std::vector<std::uint64_t> events(at.size(), 1000);
  Random random(1);
  for (std::size_t i = at.size(); i > 1; --i) std::swap(at[i - 1], at[random.index(i)]);
  const std::vector<Traffic> traffic = torus(width, at);
  const Ranks ranks = ranks::divided_by_traffic(events, traffic, count);
  if (!ranks::can_divide_by_traffic()) {
    CHECK(ranks == divided_in_order(events, count));
    return;
  }
  // Squares of 8 x 8 blocks, the best there are, have 32 of their 128 edges in common with others.
  const std::uint64_t of_squares = traffic.size() * 100 / 8;
  CHECK(ranks::divided_by_traffic(events, traffic, count) == ranks);
  CHECK(between_ranks(ranks, traffic) >= of_squares);
  CHECK(between_ranks(ranks, traffic) <= 2 * of_squares);
}

TEST_CASE("division by traffic: runs of blocks stay where few messages leave them") {
  constexpr unsigned count = 8;
  const std::vector<std::uint64_t> events(128, 1000);
  std::vector<Traffic> ring;
  for (std::uint32_t block = 0; block < events.size(); ++block)
    ring.push_back({block, static_cast<std::uint32_t>((block + 1) % events.size()), 10});
  CHECK(ranks::divided_by_traffic(events, ring, count) == divided_in_order(events, count));
}

}  // namespace
}  // namespace clc::test
