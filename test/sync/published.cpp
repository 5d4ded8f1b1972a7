// The published methods: against plain references, laws, and the failures that the thesis shows.
#include "sync/published.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

#include "published_reference.hpp"
#include "sync/closure.hpp"
#include "sync/corridor.hpp"
#include "sync/intervals.hpp"
#include "sync/tree.hpp"
#include "world.hpp"

namespace {

using namespace clc::sync;  // NOLINT
using clc::test::plain_closure;
using clc::test::plain_duda;
using clc::test::plain_hofmann;
using clc::test::PlainLine;
using Cause = NoSolution::Cause;

/// Messages between clocks that are known, in seconds.
class Messages {
 public:
  explicit Messages(std::uint64_t seed) : random_(seed) {}

  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  bool chance(double share) { return real(0, 1) < share; }
  /// ahead(clock, time): of true time.
  template <class Ahead>
  void send(ClockIndex from, ClockIndex to, double time, double delay, Ahead ahead) {
    const double sent = time + ahead(from, time);
    const double received = time + delay + ahead(to, time + delay);
    series_[{from, to}].emplace_back(sent, received - sent, true);
  }
  [[nodiscard]] std::vector<Series> series() const {
    std::vector<Series> all;
    for (const auto& [pair, points] : series_) all.push_back({pair.first, pair.second, points});
    return all;
  }

 private:
  std::mt19937_64 random_;
  std::map<std::pair<ClockIndex, ClockIndex>, std::vector<clc::sync::Point>> series_;
};

Groups one_group(std::size_t clocks) {
  return {std::vector<std::uint32_t>(clocks, 0), {0}, {static_cast<std::uint32_t>(clocks)}};
}

/// Messages between all of n clocks with constant rates, each pair with the given probability; both ways.
std::vector<Series> linear(Messages& messages, std::size_t clocks, double drift, double share = 1) {
  std::vector<double> offset(clocks);
  std::vector<double> rate(clocks);
  for (std::size_t i = 0; i < clocks; ++i) {
    offset[i] = messages.real(-1e-5, 1e-5);
    rate[i] = messages.real(-drift, drift);
  }
  const auto ahead = [&](ClockIndex clock, double time) { return offset[clock] + rate[clock] * time; };
  for (ClockIndex from = 0; from < clocks; ++from)
    for (ClockIndex to = from + 1; to < clocks; ++to) {
      if (to != from + 1 && !messages.chance(share)) continue;
      for (int i = 0; i < 40; ++i) {
        messages.send(from, to, messages.real(0, 1), messages.real(5e-6, 2e-5), ahead);
        messages.send(to, from, messages.real(0, 1), messages.real(5e-6, 2e-5), ahead);
      }
    }
  return messages.series();
}

/// x(c) on the clock's own time as C - C_reference over the reference's time.
PlainLine line_of(const Curve& curve) { return {curve.offset / (1 - curve.rate), curve.rate / (1 - curve.rate)}; }

TEST_CASE("published: lines between hulls are those between all messages") {
  int impossible = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Messages both(seed);
    const double drift = seed % 2 == 0 ? 1e-5 : 0;
    const double bend = seed % 3 == 0 ? 4e-4 : 0;  // far beyond a round trip: no line
    const double offset = both.real(-1e-3, 1e-3);
    const auto ahead = [&](ClockIndex clock, double time) {
      return clock == 0 ? 0 : offset + drift * time + bend * time * time;
    };
    const int count = 2 + static_cast<int>(seed % 60);
    for (int i = 0; i < count; ++i) {
      both.send(0, 1, both.real(0, 1), both.real(5e-6, 2e-5), ahead);
      both.send(1, 0, both.real(0, 1), both.real(5e-6, 2e-5), ahead);
    }
    const std::vector<Series> series = both.series();
    const std::vector<Corridor> found = corridors_of(series);
    REQUIRE(found.size() == 1);
    if (!found[0].known) continue;
    const auto plain = plain_duda(series[0].points, series[1].points);
    REQUIRE(found[0].possible == plain.has_value());
    if (!plain) {
      ++impossible;
      continue;
    }
    const Line line = found[0].middle();
    CHECK(line.at(0) == Approx(plain->offset).margin(1e-11));
    CHECK(line.at(1) == Approx(plain->offset + plain->rate).margin(1e-11));
  }
  CHECK(impossible > 10);
}

TEST_CASE("published: no line lies between messages that contradict each other at one time") {
  // Of clock 1 - clock 0: at most 1 s at 0 and 0 s at 5 s; at least -10 s at 0 and 10 s, and `least` at 5 s.
  for (const double least : {-0.5, 0.5}) {
    const std::vector<Series> series{{0, 1, {{-0.5, 1, true}, {5, 0, true}}},
                                     {1, 0, {{-5, 10, true}, {5 + least / 2, -least, true}, {5, 10, true}}}};
    const std::vector<Corridor> found = corridors_of(series);
    REQUIRE(found.size() == 1);
    CHECK(found[0].known);
    CHECK(found[0].possible == (least < 0));
  }
}

TEST_CASE("published: hofmann's line of a pair is that through the middles of its intervals") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Messages messages(seed);
    const std::vector<Series> series = linear(messages, 2, 2e-5);
    const Span span = span_of(series);
    const std::size_t intervals = 2 + seed % 20;
    const Solution found = solve_hofmann(series, one_group(2), intervals);
    REQUIRE(!found.failure);
    const PlainLine plain = plain_hofmann(series[0].points, series[1].points, span.begin, span.end, intervals);
    const PlainLine one = line_of(found.curves[1]);
    const PlainLine zero = line_of(found.curves[0]);
    CHECK(one.offset - zero.offset == Approx(plain.offset).margin(1e-13));
    CHECK(one.rate - zero.rate == Approx(plain.rate).margin(1e-13));
  }
}

TEST_CASE("published: bounds are all shortest paths, or contradict each other") {
  std::mt19937_64 random(5);
  int contradictions = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random() % 6;
    const double slack = round % 3 == 0 ? 3e-6 : 2e-5;
    std::vector<std::vector<double>> upper(n, std::vector<double>(n, HUGE_VAL));
    Bounds bounds(n);
    std::vector<ClockIndex> members;
    for (ClockIndex i = 0; i < n; ++i) {
      members.push_back(i);
      upper[i][i] = 0;
      for (ClockIndex k = 0; k < n; ++k) {
        if (i == k || random() % 3 == 0) continue;
        upper[i][k] = slack + static_cast<double>(random() % 2000) * 1e-8 - 1e-5;
        bounds.limit(i, k, upper[i][k]);
      }
    }
    const auto plain = plain_closure(upper);
    const auto pair = bounds.close(members);
    REQUIRE(pair.has_value() == !plain.has_value());
    contradictions += pair.has_value();
    if (pair) {
      CHECK(pair->first < pair->second);
      continue;
    }
    for (ClockIndex i = 0; i < n; ++i)
      for (ClockIndex k = 0; k < n; ++k)
        if (std::isinf((*plain)[i][k]))
          CHECK(std::isinf(bounds.upper(i, k)));
        else
          CHECK(bounds.upper(i, k) == Approx((*plain)[i][k]).margin(1e-14));
  }
  CHECK(contradictions > 20);
  CHECK(contradictions < 280);
}

/// Bounds in each interval from all messages, by their middles or by both ends.
std::vector<std::vector<std::vector<double>>> plain_bounds(const std::vector<Series>& series, std::size_t clocks,
                                                           std::size_t intervals, bool both_ends) {
  const Span span = span_of(series);
  std::vector<std::vector<std::vector<double>>> upper(
      intervals, std::vector<std::vector<double>>(clocks, std::vector<double>(clocks, HUGE_VAL)));
  for (auto& interval : upper)
    for (std::size_t i = 0; i < clocks; ++i) interval[i][i] = 0;
  const auto interval_of = [&](double time) {
    const double share = (time - span.begin) / (span.end - span.begin) * static_cast<double>(intervals);
    return std::min(intervals - 1, static_cast<std::size_t>(share));
  };
  for (const Series& one : series)
    for (const clc::sync::Point& point : one.points) {
      std::vector<double> times{(point.sent() + point.received()) / 2};
      if (both_ends) times = {point.sent(), point.received()};
      for (const double time : times) {
        double& bound = upper[interval_of(time)][one.to][one.from];
        bound = std::min(bound, point.delay());
      }
    }
  return upper;
}

TEST_CASE("published: hofmann-hilgers is shortest paths in each interval, and lines") {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Messages messages(seed);
    const std::size_t clocks = 2 + seed % 5;
    const std::size_t intervals = 2 + seed % 4;
    const std::vector<Series> series = linear(messages, clocks, seed % 3 == 0 ? 1e-4 : 5e-6, 0.5);
    const Solution found = solve_hofmann_hilgers(series, one_group(clocks), intervals);
    const auto upper = plain_bounds(series, clocks, intervals, false);
    std::vector<std::vector<std::vector<double>>> closed;
    for (const auto& interval : upper)
      if (const auto plain = plain_closure(interval)) closed.push_back(*plain);
    if (closed.size() != intervals) {
      REQUIRE(found.failure);
      CHECK(found.failure->cause == Cause::contradicts);
      CHECK(found.failure->intervals == intervals);
      continue;
    }
    REQUIRE(!found.failure);
    ++solved;
    const std::size_t reference = found.references[0];
    const Span span = span_of(series);
    for (std::size_t clock = 0; clock < clocks; ++clock) {
      // Least squares: the residuals have no mean and no slope.
      const PlainLine line = line_of(found.curves[clock]);
      double sum = 0;
      double moment = 0;
      for (std::size_t v = 0; v < intervals; ++v) {
        const double time =
            span.begin + (static_cast<double>(v) + 0.5) * (span.end - span.begin) / static_cast<double>(intervals);
        const double middle = (closed[v][clock][reference] - closed[v][reference][clock]) / 2;
        sum += middle - line.offset - line.rate * time;
        moment += time * (middle - line.offset - line.rate * time);
      }
      CHECK(sum == Approx(0).margin(1e-12));
      CHECK(moment == Approx(0).margin(1e-12));
    }
    // No other reference would have been better.
    std::vector<double> widths(clocks, 0.0);
    for (const auto& interval : closed)
      for (std::size_t i = 0; i < clocks; ++i)
        for (std::size_t k = 0; k < clocks; ++k) widths[i] += interval[i][k] + interval[k][i];
    for (const double width : widths) CHECK(widths[reference] <= width + 1e-12);
  }
  CHECK(solved > 20);
}

TEST_CASE("published: variable has bounds at the borders, and is linear in between") {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Messages messages(seed);
    const std::size_t clocks = 2 + seed % 4;
    const std::size_t intervals = 1 + seed % 4;
    // All pairs have messages in all intervals, so nothing is invented.
    const std::vector<Series> series = linear(messages, clocks, seed % 3 == 0 ? 1e-4 : 5e-6);
    const Solution found = solve_variable(series, one_group(clocks), intervals);
    const auto upper = plain_bounds(series, clocks, intervals, true);
    std::vector<std::optional<std::vector<std::vector<double>>>> borders;
    for (std::size_t border = 0; border <= intervals; ++border) {
      auto both = upper[border == 0 ? 0 : border - 1];
      const auto& right = upper[std::min(border, intervals - 1)];
      for (std::size_t i = 0; i < clocks; ++i)
        for (std::size_t k = 0; k < clocks; ++k) both[i][k] = std::min(both[i][k], right[i][k]);
      borders.push_back(plain_closure(both));
    }
    const auto feasible = static_cast<std::size_t>(
        std::count_if(borders.begin(), borders.end(), [](const auto& border) { return border.has_value(); }));
    if (feasible == 0) {
      REQUIRE(found.failure);
      CHECK(found.failure->cause == Cause::contradicts);
      continue;
    }
    REQUIRE(!found.failure);
    ++solved;
    CHECK(found.unsolved == borders.size() - feasible);
    CHECK(found.invented == 0);
    REQUIRE(found.grid.count == borders.size());
    const std::size_t reference = found.references[0];
    const Span span = span_of(series);
    for (std::size_t clock = 0; clock < clocks; ++clock) {
      const std::vector<double>& knots = found.curves[clock].knots;
      std::optional<double> first;
      for (std::size_t border = 0; border < borders.size(); ++border) {
        CHECK(found.grid.centre(border) == Approx(span.begin + static_cast<double>(border) * (span.end - span.begin) /
                                                                   static_cast<double>(intervals))
                                               .margin(1e-9));
        if (!borders[border]) continue;
        const double middle = ((*borders[border])[clock][reference] - (*borders[border])[reference][clock]) / 2;
        CHECK(knots[border] == Approx(middle).margin(1e-13));
        // What has no solution is constant before the first that has one.
        if (!first)
          for (std::size_t before = 0; before < border; ++before) CHECK(knots[before] == Approx(middle).margin(1e-13));
        first = middle;
      }
    }
  }
  CHECK(solved > 30);
}

TEST_CASE("published: jezequel adds up the lines of a minimum spanning tree") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Messages messages(seed);
    const std::size_t clocks = 3 + seed % 4;
    const std::vector<Series> series = linear(messages, clocks, 2e-5, 0.6);
    const Solution found = solve_jezequel(series, one_group(clocks));
    REQUIRE(!found.failure);
    // Prim: always the lightest pair that leads out of the tree.
    const Span span = span_of(series);
    const std::vector<Corridor> pairs = corridors_of(series);
    std::vector<bool> inside(clocks, false);
    std::vector<PlainLine> lines(clocks);
    inside[0] = true;
    for (std::size_t steps = 1; steps < clocks; ++steps) {
      const Corridor* best = nullptr;
      double least = HUGE_VAL;
      for (const Corridor& pair : pairs) {
        if (inside[pair.low] == inside[pair.high] || !pair.possible) continue;
        const double weight = std::abs(pair.steepest.at(span.begin) - pair.flattest.at(span.begin)) +
                              std::abs(pair.steepest.rate - pair.flattest.rate) * (span.end - span.begin);
        if (weight >= least) continue;
        least = weight;
        best = &pair;
      }
      REQUIRE(best != nullptr);
      const double sign = inside[best->low] ? 1 : -1;
      const ClockIndex from = inside[best->low] ? best->low : best->high;
      const ClockIndex to = inside[best->low] ? best->high : best->low;
      lines[to] = {lines[from].offset + sign * best->middle().offset, lines[from].rate + sign * best->middle().rate};
      inside[to] = true;
    }
    const std::size_t reference = found.references[0];
    for (std::size_t clock = 0; clock < clocks; ++clock) {
      const PlainLine line = line_of(found.curves[clock]);
      CHECK(line.offset == Approx(lines[clock].offset - lines[reference].offset).margin(1e-13));
      CHECK(line.rate == Approx(lines[clock].rate - lines[reference].rate).margin(1e-13));
    }
  }
}

TEST_CASE("published: duda bounds sums of lines by sums of bounds at both ends") {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Messages messages(seed);
    const std::size_t clocks = 2 + seed % 5;
    const std::vector<Series> series = linear(messages, clocks, 2e-5, 0.5);
    const Solution found = solve_duda(series, one_group(clocks));
    REQUIRE(!found.failure);
    ++solved;
    const Span span = span_of(series);
    const std::size_t reference = found.references[0];
    for (const double end : {span.begin, span.end}) {
      std::vector<std::vector<double>> upper(clocks, std::vector<double>(clocks, HUGE_VAL));
      for (std::size_t i = 0; i < clocks; ++i) upper[i][i] = 0;
      for (const Corridor& pair : corridors_of(series)) {
        upper[pair.high][pair.low] = std::max(pair.steepest.at(end), pair.flattest.at(end));
        upper[pair.low][pair.high] = -std::min(pair.steepest.at(end), pair.flattest.at(end));
      }
      const auto closed = plain_closure(upper);
      REQUIRE(closed);
      for (std::size_t clock = 0; clock < clocks; ++clock) {
        const PlainLine line = line_of(found.curves[clock]);
        CHECK(line.offset + line.rate * end ==
              Approx(((*closed)[clock][reference] - (*closed)[reference][clock]) / 2).margin(1e-13));
      }
    }
  }
  CHECK(solved == 60);
}

/// [R fig. 7.4]: two clocks, in thirds C_2 - C_1 = -1, +2, -1 ms. Messages both ways, none across the thirds.
std::vector<Series> figure_7_4(double delay) {
  Messages messages(1);
  const auto ahead = [](ClockIndex clock, double time) {
    if (clock == 0) return 0.0;
    return time < 1 || time >= 2 ? -1e-3 : 2e-3;
  };
  for (int third = 0; third < 3; ++third)
    for (int i = 0; i < 20; ++i) {
      messages.send(0, 1, third + 0.01 + 0.045 * i, delay, ahead);
      messages.send(1, 0, third + 0.03 + 0.045 * i, delay, ahead);
    }
  return messages.series();
}

/// Messages that go backwards after mapping, by their direction: 0 -> 1, 1 -> 0.
std::pair<int, int> backward(const std::vector<Series>& series, const Solution& solution) {
  std::pair<int, int> counts{0, 0};
  for (const Series& one : series)
    for (const clc::sync::Point& point : one.points)
      if (mapped_delay(point, solution.curves[one.from], solution.curves[one.to], solution.grid) < 0)
        ++(one.from == 0 ? counts.first : counts.second);
  return counts;
}

TEST_CASE("thesis: figure 7.4, a line through intervals breaks the clock condition that a constant keeps") {
  const std::vector<Series> series = figure_7_4(1.6e-3);
  const Solution line = solve_hofmann_hilgers(series, one_group(2), 3);
  REQUIRE(!line.failure);
  // The middles -1, 2, -1 have the constant 0 as their line.
  const double apart = line.curves[1].offset - line.curves[0].offset;
  CHECK(apart == Approx(0).margin(1e-5));
  CHECK(backward(series, line) == std::pair(0, 20));  // 2 -> 1 in the middle third, all of them

  const Solution one = solve_hofmann_hilgers(series, one_group(2), 1);
  REQUIRE(!one.failure);
  CHECK(one.curves[1].offset - one.curves[0].offset == Approx(0.5e-3).margin(1e-12));
  CHECK(backward(series, one) == std::pair(0, 0));

  const Solution variable = solve_variable(series, one_group(2), 3);
  REQUIRE(!variable.failure);
  CHECK(variable.unsolved == 0);
  CHECK(backward(series, variable) == std::pair(0, 0));
}

TEST_CASE("thesis: figure 7.4, with delays below 1.5 ms one interval has no solution") {
  const Solution found = solve_hofmann_hilgers(figure_7_4(1.4e-3), one_group(2), 1);
  REQUIRE(found.failure);
  CHECK(found.failure->cause == Cause::contradicts);
  CHECK(std::pair(found.failure->first, found.failure->second) == std::pair(ClockIndex{0}, ClockIndex{1}));
}

TEST_CASE("thesis: figure 7.3, differences that contradict each other round a ring have no solution") {
  // C1 - C2, C2 - C3, C3 - C4 = -2 ms, but C1 - C4 = +2 ms.
  const double apart[4][4] = {{0, -2, 0, 2}, {2, 0, -2, 0}, {0, 2, 0, -2}, {-2, 0, 2, 0}};
  std::vector<Series> series;
  for (ClockIndex from = 0; from < 4; ++from)
    for (ClockIndex to = 0; to < 4; ++to) {
      if (apart[from][to] == 0) continue;
      Series one{from, to, {}};
      for (int i = 0; i < 10; ++i) one.points.emplace_back(0.1 * i, apart[to][from] * 1e-3 + 1e-6, true);
      series.push_back(one);
    }
  for (const std::size_t intervals : {1U, 2U, 4U}) {
    const Solution hilgers = solve_hofmann_hilgers(series, one_group(4), intervals);
    const Solution variable = solve_variable(series, one_group(4), intervals);
    for (const Solution* solution : {&hilgers, &variable}) {
      REQUIRE(solution->failure);
      CHECK(solution->failure->cause == Cause::contradicts);
      CHECK(solution->failure->first < solution->failure->second);
      CHECK(solution->failure->intervals == intervals);
    }
  }
  const Solution lines = solve_duda(series, one_group(4));
  REQUIRE(lines.failure);
  CHECK(lines.failure->cause == Cause::contradicts);
}

constexpr Method published[] = {Method::duda, Method::jezequel, Method::hofmann, Method::hofmann_hilgers,
                                Method::variable};

double length_of(const clc::test::World& world) {
  std::uint64_t last = 0;
  for (const clc::Event& event : world.events) last = std::max(last, event.bytes);
  return static_cast<double>(last);
}

TEST_CASE("law: published methods find straight clocks with constant delays to some ticks") {
  for (const Method method : published)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO(static_cast<int>(method) << ", seed " << seed);
      clc::test::WorldOptions options;
      options.seed = seed;
      options.allreduce = seed % 2 == 0;
      const clc::test::World world = clc::test::make_world(options);
      const Estimate found = clc::test::estimate(world, method);
      REQUIRE(!found.failure);
      REQUIRE(found.applied);
      // A constant is all that method variable needs where clocks drift by less than a round trip.
      const double drift = method == Method::variable ? 2 * options.drift * length_of(world) : 0;
      CHECK(clc::test::worst_error(world, found) <= 120 + drift);
    }
}

TEST_CASE("law: published methods add offsets and rates of clocks to the estimate") {
  for (const Method method : published) {
    INFO(static_cast<int>(method));
    clc::test::WorldOptions options;
    options.jitter = 500;
    const clc::test::World world = clc::test::make_world(options);
    const Estimate before = clc::test::estimate(world, method);
    clc::test::Change change;
    change.offset = {100'000, -200'000, 300'000, 0, -400'000, 200'000};
    const Estimate moved = clc::test::estimate(changed(world, change), method);
    REQUIRE(moved.clocks.size() == before.clocks.size());
    for (std::size_t i = 1; i < before.clocks.size(); ++i) {
      const double apart = before.clocks[i].first_us - before.clocks[0].first_us;
      const double now = moved.clocks[i].first_us - moved.clocks[0].first_us;
      CHECK(now - apart == Approx((change.offset[i] - change.offset[0]) / 1000).margin(0.15));
    }
    if (method == Method::variable) continue;
    clc::test::Change faster;
    faster.rate = {1e-5, -2e-5, 3e-5, 0, -4e-5, 2e-5};
    const Estimate after = clc::test::estimate(changed(world, faster), method);
    const bool of_hulls = method == Method::duda || method == Method::jezequel;
    for (std::size_t i = 1; i < before.clocks.size(); ++i) {
      const double apart = before.clocks[i].rate_ppm - before.clocks[0].rate_ppm;
      const double now = after.clocks[i].rate_ppm - after.clocks[0].rate_ppm;
      // Hulls turn with their clocks; smallest delays are those of other messages then.
      CHECK(now - apart == Approx((faster.rate[i] - faster.rate[0]) * 1e6).margin(of_hulls ? 0.5 : 5));
    }
  }
}

TEST_CASE("law: numbers of processes mean nothing to published methods") {
  for (const Method method : published) {
    INFO(static_cast<int>(method));
    clc::test::WorldOptions options;
    options.jitter = 500;
    options.allreduce = true;
    const clc::test::World world = clc::test::make_world(options);
    clc::test::Change change;
    change.place = {3, 5, 0, 2, 1, 4};
    const Estimate before = clc::test::estimate(world, method);
    const Estimate after = clc::test::estimate(changed(world, change), method);
    REQUIRE(!before.failure);
    // Two clocks may be equally good references: compare with one clock.
    const auto apart = [&](const Estimate& estimate, std::size_t i, std::size_t zero, double ClockEstimate::*figure) {
      return estimate.clocks[i].*figure - estimate.clocks[zero].*figure;
    };
    for (std::size_t i = 1; i < before.clocks.size(); ++i)
      for (const auto figure : {&ClockEstimate::first_us, &ClockEstimate::last_us})
        CHECK(apart(after, change.place[i], change.place[0], figure) ==
              Approx(apart(before, i, 0, figure)).margin(0.01));
  }
}

TEST_CASE("law: published methods name a pair where messages go one way only") {
  clc::test::WorldOptions options;
  options.one_way = true;
  const clc::test::World world = clc::test::make_world(options);
  for (const Method method : {Method::duda, Method::jezequel, Method::hofmann}) {
    const Estimate found = clc::test::estimate(world, method);
    REQUIRE(found.failure);
    CHECK(found.failure->cause == Cause::one_way);
    CHECK(!found.applied);
    for (const auto& clock : found.clocks) CHECK(clock.map.points().empty());
  }
  // Round the ring every pair has bounds on both sides.
  for (const Method method : {Method::hofmann_hilgers, Method::variable})
    CHECK(!clc::test::estimate(world, method).failure);
}

TEST_CASE("law: published methods leave a trace without messages alone") {
  clc::test::World world = clc::test::make_world({});
  std::erase_if(world.events, [](const clc::Event& event) { return event.role != clc::Role::send; });
  for (const Method method : published) {
    const Estimate found = clc::test::estimate(world, method);
    CHECK(!found.failure);
    CHECK(!found.applied);
  }
}

}  // namespace
