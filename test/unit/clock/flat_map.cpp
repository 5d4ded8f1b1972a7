// The hash map against std::map.
#include "trace/flat_map.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace clc {
namespace {

/// Many keys of one hash, so that every search probes.
struct FewHashes {
  std::uint64_t operator()(std::uint64_t key) const noexcept { return key % 3; }
};

using Pairs = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

template <class HashOf>
void compare(std::uint64_t seed, std::uint64_t keys) {
  std::mt19937_64 random(seed);
  FlatMap<std::uint64_t, std::uint32_t, HashOf> map;
  std::map<std::uint64_t, std::uint32_t> known;
  Pairs order;
  for (std::uint32_t step = 0; step < 3000; ++step) {
    const std::uint64_t key = random() % keys;
    if (step % 1000 == 999) {
      const auto keep = [&](std::uint64_t k, std::uint32_t v) { return (k + v) % 4 == seed % 4; };
      map.retain(keep);
      std::erase_if(known, [&](const auto& entry) { return !keep(entry.first, entry.second); });
      std::erase_if(order, [&](const auto& entry) { return !keep(entry.first, entry.second); });
    }
    REQUIRE((map.find(key) != nullptr) == known.contains(key));
    const bool grows = map.full();
    const std::size_t before = map.memory();
    const auto [value, made] = map.insert(key, step);
    REQUIRE(made == known.try_emplace(key, step).second);
    REQUIRE(*value == known.at(key));
    if (made) order.emplace_back(key, step);
    if (made && grows) REQUIRE(map.memory() > before);
    REQUIRE(map.size() == known.size());
  }
  Pairs seen;
  map.for_each([&](std::uint64_t key, std::uint32_t value) { seen.emplace_back(key, value); });
  REQUIRE(seen == order);
  for (std::uint64_t key = 0; key < keys; ++key) {
    const std::uint32_t* value = map.find(key);
    REQUIRE((value != nullptr) == known.contains(key));
    if (value != nullptr) REQUIRE(*value == known.at(key));
  }
}

}  // namespace

TEST_CASE("a hash map finds what was inserted and is not dropped, in the order of insertion") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  compare<Hash>(seed, 500);
  compare<Hash>(seed, 100'000);
  compare<FewHashes>(seed, 50);
}

TEST_CASE("a hash map gives memory back when few entries are left") {
  FlatMap<std::uint64_t, std::uint64_t> map;
  REQUIRE(map.find(1) == nullptr);
  for (std::uint64_t key = 0; key < 100'000; ++key) map.insert(key, key);
  const std::size_t many = map.memory();
  map.retain([](std::uint64_t key, std::uint64_t) { return key % 1000 == 0; });
  REQUIRE(map.size() == 100);
  REQUIRE(map.memory() * 100 < many);
  REQUIRE(*map.find(99'000) == 99'000);
  map.retain([](std::uint64_t, std::uint64_t) { return false; });
  REQUIRE(map.empty());
  REQUIRE(map.find(99'000) == nullptr);
}

}  // namespace clc
