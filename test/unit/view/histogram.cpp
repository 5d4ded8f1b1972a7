#include "view/model/histogram.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace clc::view {
namespace {

TEST_CASE("a size is in the class that begins at most at it", "[view]") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-30, 60);
  for (int i = 0; i < 5000; ++i) {
    const double size = i < 100 ? i + 1 : std::exp2(exponent(random));
    Histogram histogram;
    histogram.add(size);
    REQUIRE(histogram.end() == histogram.first() + 1);
    REQUIRE(Histogram::lower(histogram.first()) <= size);
    REQUIRE(Histogram::lower(histogram.end()) > size);
  }
}

TEST_CASE("a histogram grows to both sides", "[view]") {
  Histogram histogram;
  for (const double size : {8.0, 1.0, 64.0, 8.5, 0.25}) histogram.add(size);
  REQUIRE(Histogram::lower(histogram.first()) == 0.25);
  REQUIRE(histogram.count(histogram.first()) == 1);
  REQUIRE(histogram.count(12) == 2);  // from 8 to 10
  REQUIRE(histogram.count(histogram.end() - 1) == 1);
  REQUIRE(histogram.count(histogram.end()) == 0);
  REQUIRE(histogram.count(histogram.first() - 1) == 0);
}

TEST_CASE("differences have a sign or none", "[view]") {
  SignedHistogram histogram;
  for (const double size : {-3.0, 0.0, 0.0, 5.0, 6.0}) histogram.add(size);
  REQUIRE(histogram.zero == 2);
  REQUIRE(histogram.negative.count(6) == 1);  // 3 to 3.5
  REQUIRE(histogram.positive.count(9) == 1);  // 5 to 6
  REQUIRE(histogram.positive.count(10) == 1);
}

}  // namespace
}  // namespace clc::view
