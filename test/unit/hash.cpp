// The hash of all tables: spread for keys in any steps, whatever the secret.
#include "trace/hash.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace clc {
namespace {

constexpr std::size_t keys = 4096;
constexpr std::size_t places = 4 * keys;

/// In how many of the places at least one key lies; in the mean of a random function 0.885 * keys.
template <class HashOf>
std::size_t taken(HashOf hash_of) {
  std::vector<bool> place(places);
  std::size_t count = 0;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::uint64_t at = hash_of(i) % places;
    count += !place[at];
    place[at] = true;
  }
  return count;
}

/// Seven standard deviations below the mean.
constexpr std::size_t least = 3500;

}  // namespace

TEST_CASE("keys in steps of any size are spread over a table, whatever the secret", "[long]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const hash_detail::Secret secret{random(), random(), random() | 1U};
    for (unsigned shift = 0; shift <= 52; ++shift) {
      CAPTURE(i, shift);
      REQUIRE(taken([&](std::uint64_t k) { return hash_detail::mix(secret, k << shift, 0, 0); }) > least);
      REQUIRE(taken([&](std::uint64_t k) { return hash_detail::mix(secret, 1, k << shift, 0); }) > least);
      REQUIRE(taken([&](std::uint64_t k) { return hash_detail::mix(secret, 1, 2, k << shift); }) > least);
    }
  }
}

TEST_CASE("numbers that clash in a table without a secret are spread") {
  // The low halves of their products with the golden ratio are equal, and so are those of their folds.
  std::uint64_t inverse = 0x9e3779b97f4a7c15U;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15U * inverse;
  REQUIRE(taken([&](std::uint64_t k) { return hash((k << 32U | k) * inverse); }) > least);
  REQUIRE(taken([](std::uint64_t k) { return hash(k * 20753 * 42043); }) > least);
  REQUIRE(taken([](std::uint64_t k) { return hash("region " + std::to_string(k)); }) > least);
}

}  // namespace clc
