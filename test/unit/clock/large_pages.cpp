// Memory in large pages.
#include "trace/large_pages.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace clc {
namespace {

bool begins_with(const void* memory, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0;
}

TEST_CASE("a vector grows into large pages and keeps what it holds") {
  LargeVector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  CHECK(begins_with(numbers.data(), large_page));
  for (std::uint64_t i = 0; i < numbers.size(); ++i) REQUIRE(numbers[i] == i);
  numbers.resize(10);
  numbers.shrink_to_fit();
  CHECK(begins_with(numbers.data(), 64));
  CHECK(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}) == 45);
}

TEST_CASE("memory that cannot be had is an exception") {
  CHECK_THROWS_AS(take_large(std::size_t{1} << 62), std::bad_alloc);
  CHECK_THROWS_AS(LargePages<std::uint64_t>().allocate(std::numeric_limits<std::size_t>::max() / 8), std::bad_alloc);
}

TEST_CASE("an arena hands out memory that does not overlap") {
  Arena arena;
  std::vector<std::pair<unsigned char*, std::size_t>> taken;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t bytes = i % 50 == 49 ? large_page : 1 + i * 997;
    auto* memory = static_cast<unsigned char*>(arena.take(bytes));
    REQUIRE(begins_with(memory, 64));
    std::memset(memory, static_cast<int>(i), bytes);
    taken.emplace_back(memory, bytes);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const auto [memory, bytes] = taken[i];
    std::size_t own = 0;
    for (std::size_t at = 0; at < bytes; ++at) own += memory[at] == i;
    REQUIRE(own == bytes);
  }
}

}  // namespace
}  // namespace clc
