// The table of time and processes against plain counting.
#include "view/model/time_grid.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace clc::view {
namespace {

struct Count {
  std::uint64_t events = 0;
  double ticks = 0;
  void merge(const Count& other) {
    events += other.events;
    ticks += other.ticks;
  }
};

/// What is in the cells of a grid agrees with all that was added to it.
void compare(const TimeGrid<Count>& grid, const std::vector<std::pair<std::size_t, Time>>& added) {
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> expected;
  for (const auto& [item, time] : added) {
    const double column =
        std::floor((static_cast<double>(time.ticks()) - static_cast<double>(grid.start().ticks())) / grid.width());
    REQUIRE(column >= 0);
    REQUIRE(column < static_cast<double>(grid.columns()));
    ++expected[{item / grid.group(), static_cast<std::size_t>(column)}];
  }
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < grid.rows(); ++row)
    for (std::size_t column = 0; column < grid.columns(); ++column) {
      const auto entry = expected.find({row, column});
      REQUIRE(grid.cell(row, column).events == (entry == expected.end() ? 0 : entry->second));
      sum += grid.cell(row, column).events;
    }
  REQUIRE(sum == added.size());
}

TEST_CASE("cells hold what was added, however times and processes come", "[view]") {
  std::mt19937_64 random(1);
  for (int run = 0; run < 300; ++run) {
    TimeGrid<Count> grid(8, 16);
    std::vector<std::pair<std::size_t, Time>> added;
    const std::uint64_t processes = 1 + random() % 40;
    const std::uint64_t span = std::uint64_t{1} << (random() % 50);
    const auto origin = static_cast<std::int64_t>(random() % 2000) - 1000;
    const bool sorted = random() % 2 == 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const std::uint64_t at = sorted ? i * (1 + span / 200) : random() % span;
      added.emplace_back(random() % processes, Time(origin + static_cast<std::int64_t>(at)));
      ++grid.at(added.back().first, added.back().second).events;
    }
    REQUIRE(grid.rows() <= 8);
    REQUIRE(grid.columns() <= 16);
    compare(grid, added);
  }
}

TEST_CASE("with a limit of cells, more rows have fewer columns", "[view]") {
  std::mt19937_64 random(3);
  for (int run = 0; run < 300; ++run) {
    TimeGrid<Count> grid(TimeGrid<Count>::MostCells{1024}, 64);
    std::vector<std::pair<std::size_t, Time>> added;
    const std::uint64_t processes = 1 + random() % 100;
    const std::uint64_t span = std::uint64_t{1} << (random() % 50);
    for (std::uint64_t i = 0; i < 200; ++i) {
      added.emplace_back(random() % processes, Time(static_cast<std::int64_t>(random() % span)));
      ++grid.at(added.back().first, added.back().second).events;
    }
    REQUIRE(grid.group() == 1);
    REQUIRE((grid.rows() * grid.columns() <= 1024 || grid.columns() <= 16));
    compare(grid, added);
  }
}

TEST_CASE("times at both ends of 64 bits fit", "[view]") {
  TimeGrid<Count> grid(2, 16);
  ++grid.at(0, Time::latest()).events;
  ++grid.at(1, Time::earliest()).events;
  ++grid.at(5, Time(0)).events;
  REQUIRE(grid.columns() <= 16);
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < grid.rows(); ++row)
    for (std::size_t column = 0; column < grid.columns(); ++column) sum += grid.cell(row, column).events;
  REQUIRE(sum == 3);
}

TEST_CASE("a span is divided among the columns that it touches", "[view]") {
  std::mt19937_64 random(2);
  for (int run = 0; run < 300; ++run) {
    TimeGrid<Count> grid(4, 16);
    double sum = 0;
    Time at(static_cast<std::int64_t>(random() % 1000) - 500);
    for (int i = 0; i < 50; ++i) {
      const Time end = at + static_cast<Ticks>(random() % 1000);
      grid.spread(random() % 4, at, end, [](Count& cell, double ticks) { cell.ticks += ticks; });
      sum += static_cast<double>(end - at);
      at = end;
    }
    double found = 0;
    for (std::size_t row = 0; row < grid.rows(); ++row)
      for (std::size_t column = 0; column < grid.columns(); ++column) {
        REQUIRE(grid.cell(row, column).ticks <= grid.width());
        found += grid.cell(row, column).ticks;
      }
    REQUIRE(found == sum);
  }
}

}  // namespace
}  // namespace clc::view
