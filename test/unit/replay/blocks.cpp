// Blocks of bytes and packed numbers of a recording.
#include "replay/blocks.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace clc::replay {
namespace {

TEST_CASE("replay: blocks come back in any order, from memory and from the file") {
  for (const std::size_t in_memory : {std::size_t{0}, std::size_t{5}, std::size_t{1} << 20}) {
    CAPTURE(in_memory);
    Blocks blocks(in_memory);
    const std::vector<std::string> written{"abc", "", "de", std::string(10'000, 'x'), "f"};
    for (const std::string& block : written) blocks.append(block);
    REQUIRE(blocks.count() == written.size());
    std::string read = "something else";
    for (const std::size_t i : {4U, 0U, 3U, 1U, 2U, 3U}) {
      blocks.read(i, read);
      CHECK(read == written[i]);
    }
  }
}

TEST_CASE("replay: packed numbers, times and texts are exact") {
  Blocks blocks;
  Packer packer;
  const std::vector<std::int64_t> numbers{0, 1, -1, 63, 64, -65, ticks_max, ticks_min};
  const std::vector<Time> times{Time(5), Time::latest(), Time::earliest(), Time(0), Time(-1), Time::latest()};
  for (int block = 0; block < 2; ++block) {
    for (const std::int64_t number : numbers) packer.number_of_any_sign(number);
    packer.number(std::numeric_limits<std::uint64_t>::max());
    for (const Time time : times) packer.time(time);
    packer.text("");
    packer.text(std::string("a\0b", 3));
    packer.end(blocks);
    CHECK(packer.size() == 0);
  }
  packer.end(blocks);  // an empty one is dropped
  REQUIRE(blocks.count() == 2);
  std::string storage;
  for (std::size_t block = 0; block < 2; ++block) {
    blocks.read(block, storage);
    Unpacker unpacker(storage);
    for (const std::int64_t number : numbers) CHECK(unpacker.number_of_any_sign() == number);
    CHECK(unpacker.number() == std::numeric_limits<std::uint64_t>::max());
    for (const Time time : times) CHECK(unpacker.time() == time);
    CHECK(unpacker.text().empty());
    CHECK(unpacker.text() == std::string_view("a\0b", 3));
    CHECK_FALSE(unpacker.any());
  }
}

}  // namespace
}  // namespace clc::replay
