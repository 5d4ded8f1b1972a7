// Deviations from true time against a second pass over all of them.
#include "offset_errors.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

using clc::Ticks;
using clc::Time;
using clc::check::OffsetErrors;

namespace {

/// Residuals of the least squares line, by two passes.
std::pair<double, double> plain(const std::vector<std::pair<double, double>>& points) {
  const auto n = static_cast<double>(points.size());
  double time = 0;
  double value = 0;
  for (const auto& [t, v] : points) {
    time += t / n;
    value += v / n;
  }
  double tt = 0;
  double tv = 0;
  for (const auto& [t, v] : points) {
    tt += (t - time) * (t - time);
    tv += (t - time) * (v - value);
  }
  const double slope = tt > 0 ? tv / tt : 0;
  double squares = 0;
  double largest = 0;
  for (const auto& [t, v] : points) {
    const double left = v - value - slope * (t - time);
    squares += left * left / n;
    largest = std::max(largest, std::abs(left));
  }
  return {std::sqrt(squares), largest};
}

}  // namespace

TEST_CASE("errors of offsets are those that a second pass finds, in any order") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    INFO("round " << round);
    const Ticks start = round % 3 == 0 ? Ticks{1} << 60 : 0;
    const Ticks zero = round % 4 == 0 ? -(Ticks{1} << 59) : 0;
    const double rate = round % 2 == 0 ? 1e-5 : 0;
    const int count = 1 + static_cast<int>(random() % 300);
    OffsetErrors errors;
    std::vector<std::pair<double, double>> points;
    for (int i = 0; i < count; ++i) {
      // Nearly in the order of time, some at the same time.
      const auto t = static_cast<Ticks>(i / 2) * 1'000'000 + static_cast<Ticks>(random() % 3) * 1'000'000;
      auto deviation =
          static_cast<Ticks>(random() % 2000) + static_cast<Ticks>(std::llround(rate * static_cast<double>(t)));
      if (round % 5 == 0) deviation += (t / 1'000'000 - 50) * (t / 1'000'000 - 50);  // a curve
      errors.add(Time(start + t), Time(start + t) + (zero + deviation));
      points.emplace_back(static_cast<double>(t), static_cast<double>(deviation));
    }
    const auto [rms, largest] = plain(points);
    CHECK(errors.count() == static_cast<std::uint64_t>(count));
    CHECK(errors.rms() == Approx(rms).margin(1e-6));
    CHECK(errors.largest() == Approx(largest).margin(1e-6));
  }
}

TEST_CASE("a common offset and a common rate are no errors of offsets") {
  OffsetErrors errors;
  CHECK(errors.rms() == 0);
  CHECK(errors.largest() == 0);
  for (Ticks t = 0; t < 100; ++t) errors.add(Time(t * 1000), Time(t * 1001 + 5'000'000));
  CHECK(errors.rms() == Approx(0).margin(1e-6));
  CHECK(errors.largest() == Approx(0).margin(1e-6));
}
