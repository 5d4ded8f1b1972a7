// The parts of the estimator, each by itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

#include "message.hpp"
#include "reference.hpp"
#include "sync/collector.hpp"
#include "sync/cycle.hpp"
#include "sync/estimate.hpp"
#include "sync/matcher.hpp"
#include "sync/median.hpp"
#include "sync/observations.hpp"
#include "sync/rates.hpp"
#include "sync/shift.hpp"
#include "sync/two_level.hpp"

namespace {

using namespace clc::sync;  // NOLINT
using clc::Event;
using clc::Role;
using clc::Time;

Sighting sighting(std::int64_t middle, std::int64_t delay) {
  return {Time(middle - delay / 2), Time(middle - delay / 2 + delay), false};
}

/// Delay less a slope, at the sighting's own middle.
double above_slope(const Sighting& one, double slope) {
  return static_cast<double>(one.delay()) - slope * static_cast<double>(one.middle().ticks());
}

/// The smallest of what lies above a slope.
double smallest(const std::vector<Sighting>& points, double slope) {
  double least = HUGE_VAL;
  for (const Sighting& one : points) least = std::min(least, above_slope(one, slope));
  return least;
}

TEST_CASE("hulls: the smallest delay in each window is that of all its points, for any slope") {
  std::mt19937_64 random(5);
  constexpr std::int64_t shortest = 50;
  for (int round = 0; round < 300; ++round) {
    Hulls hulls;
    std::vector<Sighting> all;
    std::int64_t length = shortest;
    const int points = round % 2 == 0 ? 40 : 200;
    for (int i = 0; i < points; ++i) {
      // As points come in a trace: nearly in the order of time; or in any order.
      const std::int64_t about = round % 3 == 0 ? 0 : std::int64_t{1000} * i / points;
      const auto time = about + static_cast<std::int64_t>(random() % (round % 3 == 0 ? 1000 : 60));
      all.push_back(sighting(time, static_cast<std::int64_t>(random() % 500)));
      hulls.add(all.back().middle().ticks() / length, all.back());
      if (random() % 30 != 0) continue;
      hulls.double_windows();
      length *= 2;
    }
    std::map<std::int64_t, std::vector<Sighting>> by_window;
    for (const Sighting& one : all) by_window[one.middle().ticks() / length].push_back(one);
    std::map<std::int64_t, std::vector<Sighting>> kept;
    const std::vector<Sighting>& vertices = hulls.vertices();
    REQUIRE(std::is_sorted(vertices.begin(), vertices.end(),
                           [](const Sighting& a, const Sighting& b) { return a.middle() < b.middle(); }));
    for (const Sighting& vertex : vertices) {
      REQUIRE(std::find(all.begin(), all.end(), vertex) != all.end());
      kept[vertex.middle().ticks() / length].push_back(vertex);
    }
    REQUIRE(kept.size() == by_window.size());
    for (const auto& [window, points_of] : by_window) {
      REQUIRE(kept[window].size() <= Hulls::most);
      for (const double slope : {-3.0, -1.0, -0.2, 0.0, 0.3, 1.0, 2.5})
        REQUIRE(smallest(kept[window], slope) == Approx(smallest(points_of, slope)).margin(1e-6));
    }
  }
}

TEST_CASE("hulls: windows that are joined have the hull of all their points") {
  std::mt19937_64 random(6);
  for (int round = 0; round < 100; ++round) {
    Hulls halves;
    Hulls whole;
    for (std::int64_t time = 0; time < 100; ++time) {
      const Sighting one = sighting(time, static_cast<std::int64_t>(random() % 50));
      halves.add(time / 50, one);
      whole.add(0, one);
    }
    halves.double_windows();
    REQUIRE(halves.vertices() == whole.vertices());
  }
}

TEST_CASE("hulls: where windows begin makes no difference") {
  std::mt19937_64 random(8);
  for (const std::int64_t begin : {std::int64_t{-3}, std::int64_t{1} << 58, -(std::int64_t{1} << 58)}) {
    Hulls here;
    Hulls there;
    for (int i = 0; i < 400; ++i) {
      const auto time = static_cast<std::int64_t>(random() % 1000);
      const Sighting one = sighting(time, static_cast<std::int64_t>(random() % 50));
      here.add(time / 20, one);
      there.add(begin * 4 + time / 20, one);
      if (i % 150 != 149) continue;
      here.double_windows();
      here.double_windows();
      there.double_windows();
      there.double_windows();
      REQUIRE(here.vertices() == there.vertices());
      here = there = {};
    }
    here.forget_before(25);
    there.forget_before(begin * 4 + 25);
    REQUIRE(here.vertices() == there.vertices());
  }
}

TEST_CASE("sightings: times, delay and wait are kept in 16 bytes") {
  for (const std::int64_t delay : {std::int64_t{-7}, std::int64_t{0}, std::int64_t{5}, std::int64_t{1} << 61})
    for (const bool waited : {false, true}) {
      const Sighting one(Time(1000), Time(1000) + delay, waited);
      CHECK(one.sent() == Time(1000));
      CHECK(one.received() == Time(1000) + delay);
      CHECK(one.delay() == delay);
      CHECK(one.waited() == waited);
      const clc::sync::Point point(0.1, static_cast<double>(delay) * 1e-9, waited);
      CHECK(point.delay() == Approx(static_cast<double>(delay) * 1e-9).epsilon(1e-15).margin(1e-300));
      CHECK(point.waited() == waited);
    }
  CHECK(Sighting(Time::earliest(), Time::latest()).delay() > std::int64_t{1} << 61);
  CHECK(Sighting(Time::latest(), Time::earliest(), true).delay() < -(std::int64_t{1} << 61));
}

TEST_CASE("hulls: at most sixteen vertices, all of them points") {
  for (const bool joined : {false, true}) {
    Hulls hulls;
    for (std::int64_t x = -100; x <= 100; ++x)  // every point is a corner
      hulls.add(joined && x >= 0 ? 1 : 0, sighting(x * 10, x * x));
    if (joined) hulls.double_windows();
    CHECK(hulls.vertices().size() == Hulls::most);
    for (const Sighting& vertex : hulls.vertices()) {
      const std::int64_t x = vertex.middle().ticks() / 10;
      CHECK(vertex.delay() == x * x);
    }
    CHECK(hulls.vertices().front().middle() == Time(-1000));
    CHECK(hulls.vertices().back().middle() == Time(1000));
  }
}

TEST_CASE("hulls: what is old is forgotten") {
  Hulls hulls;
  for (std::int64_t time = 0; time < 100; ++time) hulls.add(time / 10, sighting(time, time % 3));
  hulls.forget_before(7);
  CHECK(hulls.vertices().front().middle() == Time(70));
  hulls.add(9, sighting(99, -5));
  CHECK(hulls.vertices().back().delay() == -5);
  hulls.forget_before(100);
  CHECK(hulls.empty());
}

TEST_CASE("collector: what is kept does not grow with the trace") {
  Collector collector;
  std::mt19937_64 random(3);
  for (std::int64_t i = 0; i < 200'000; ++i) {
    const auto from = static_cast<ClockIndex>(random() % 4);
    const auto delay = static_cast<std::int64_t>(5000 + random() % 3000);
    collector.add({from, (from + 1) % 4, {Time(i * 1000), Time(i * 1000 + delay), false}});
  }
  CHECK(collector.edges() == 200'000);
  std::size_t kept = 0;
  for (const Track& track : collector.tracks()) {
    CHECK(std::is_sorted(track.points.begin(), track.points.end(),
                         [](const Sighting& a, const Sighting& b) { return a.middle() < b.middle(); }));
    kept += track.points.size();
  }
  CHECK(collector.tracks().size() == 4);
  CHECK(kept <= 4 * static_cast<std::size_t>(CollectorLimits().windows) * Hulls::most);
}

TEST_CASE("collector: a clock with another date takes no room from pairs of others") {
  constexpr std::int64_t day = 86'400'000'000'000;
  const auto points_kept = [](std::int64_t later) {
    std::mt19937_64 random(9);
    Collector collector;
    const clc::Resolution resolution(1'000'000'000);
    for (const ClockIndex clock : {0U, 1U, 2U}) collector.begin(clock, Time(1000), resolution);
    collector.begin(3, Time(1000 + later), resolution);
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t sent = 1000 + std::int64_t{1'000'000} * i;  // 20 s
      const auto delay = static_cast<std::int64_t>(random() % 1000);
      collector.add({0, 1, {Time(sent), Time(sent + delay)}});
      collector.add({2, 3, {Time(sent), Time(sent + delay + later)}});
    }
    std::size_t points = 0;
    for (const Track& track : collector.tracks()) points += track.points.size();
    return points;
  };
  const std::size_t as_usual = points_kept(0);
  CHECK(as_usual > 1000);
  CHECK(points_kept(day) == Approx(as_usual).epsilon(0.05));
  CHECK(points_kept(365 * day) == Approx(as_usual).epsilon(0.05));
}

/// Edges as the collector has them.
std::vector<Track> matched(const clc::Definitions& definitions, const std::vector<Event>& events) {
  Collector collector;
  Matcher matcher(definitions, collector);
  for (const Event& event : events) matcher.add(event);
  return collector.tracks();
}

Event message(Role role, std::int64_t time, clc::ProcessIndex process, clc::ProcessIndex peer,
              std::uint16_t overtakes = 0) {
  Event event = clc::test::message(role, Time(time), process, peer);
  event.overtakes = overtakes;
  return event;
}

clc::Definitions three() {
  clc::Definitions definitions;
  for (std::uint64_t p = 0; p < 3; ++p) definitions.add_process(p, "p");
  definitions.add_communicator(0, {0, 1, 2});
  return definitions;
}

TEST_CASE("violations: the rounding of the arithmetic is none") {
  constexpr double tick_us = 1e-3;
  Violations found;
  for (const double missing_us : {-1.0, 0.0, 1e-12, 1e-3 * tick_us}) found.add(missing_us, tick_us);
  CHECK(found.edges == 4);
  CHECK(found.violated == 0);
  CHECK(found.sum_us == 0);
  found.add(tick_us / 100, tick_us);
  CHECK(found.edges == 5);
  CHECK(found.violated == 1);
  CHECK(found.worst_us == tick_us / 100);
}

TEST_CASE("matcher: first in, first out, and a receive may stand before its send") {
  const auto tracks = matched(three(), {message(Role::receive, 5, 1, 0), message(Role::send, 10, 0, 1),
                                        message(Role::send, 20, 0, 1), message(Role::receive, 25, 1, 0)});
  REQUIRE(tracks.size() == 1);
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (const Sighting& one : tracks.front().points) times.emplace_back(one.sent().ticks(), one.received().ticks());
  CHECK(times == std::vector<std::pair<std::int64_t, std::int64_t>>{{10, 5}, {20, 25}});
}

TEST_CASE("matcher: a receive that overtakes leaves others their sends") {
  const auto tracks = matched(three(), {message(Role::send, 10, 0, 1), message(Role::send, 1000, 0, 1),
                                        message(Role::receive, 1100, 1, 0, 1), message(Role::receive, 3000, 1, 0)});
  REQUIRE(tracks.size() == 1);
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (const Sighting& one : tracks.front().points) times.emplace_back(one.sent().ticks(), one.received().ticks());
  CHECK(times == std::vector<std::pair<std::int64_t, std::int64_t>>{{1000, 1100}, {10, 3000}});
}

TEST_CASE("matcher: a receive waited when its process was idle before it") {
  std::vector<Event> events{message(Role::internal, 0, 1, 0)};
  for (const std::int64_t gap : {100, 150, 100, 900}) {
    const std::int64_t now = events.back().time.ticks() + gap;
    events.push_back(message(Role::send, now - 50, 0, 1));
    events.push_back(message(Role::receive, now, 1, 0));
  }
  std::vector<bool> waited;
  Collector collector;
  for (const Track& track : matched(three(), events))
    for (const Sighting& one : track.points) waited.push_back(one.waited());
  CHECK(std::count(waited.begin(), waited.end(), true) == 1);
  CHECK(waited.back());
}

TEST_CASE("cycle: the smallest mean is that of a search through all cycles") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 100; ++round) {
    std::vector<Arc> arcs;
    for (int i = 0; i < 12; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % 5);
      const auto to = static_cast<std::uint32_t>(random() % 5);
      if (from != to) arcs.push_back({from, to, static_cast<double>(random() % 100) - 20});
    }
    const auto found = smallest_mean_cycle(arcs, 5);
    const double best = clc::test::shortest_cycle_by_search(arcs, 5);
    REQUIRE(found.has_value() == std::isfinite(best));
    if (found) REQUIRE(*found == Approx(best).margin(1e-6));
  }
  CHECK(!smallest_mean_cycle({}, 3));
}

/// Pairs of a random graph over clocks that wander.
std::vector<Pair> random_pairs(std::mt19937_64& random, std::size_t clocks, std::size_t windows, double wander) {
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> y(clocks, std::vector<double>(windows));
  for (auto& clock : y) {
    double offset = 0;
    double rate = 0;
    for (double& value : clock) value = offset += rate += wander * normal(random);
  }
  std::vector<Pair> pairs;
  for (ClockIndex high = 1; high < clocks; ++high)
    for (const ClockIndex low : {static_cast<ClockIndex>(random() % high), static_cast<ClockIndex>(high - 1)}) {
      if (!pairs.empty() && pairs.back().high == high && pairs.back().low == low) continue;
      Pair pair{low, high, Kind::both_ways, 1e-7, 1e-5, {}};
      const double bias = 1e-7 * normal(random);
      for (std::size_t w = 0; w < windows; ++w) {
        if (random() % 5 == 0) continue;
        const double sd = 5e-8 * (1 + static_cast<double>(random() % 10));
        const double part = w + 1 < windows ? static_cast<double>(random() % 100) / 100 : 0;
        const auto at = [&](ClockIndex clock) {
          return part == 0 ? y[clock][w] : (1 - part) * y[clock][w] + part * y[clock][w + 1];
        };
        pair.observations.push_back(
            {static_cast<double>(w) + part, at(high) - at(low) + bias + sd * normal(random), sd * sd, w});
      }
      pairs.push_back(std::move(pair));
    }
  return pairs;
}

TEST_CASE("smooth: as dense matrices solve it") {
  std::mt19937_64 random(23);
  for (const double q : {1e-16, 1e-14, 1e-12}) {
    const std::size_t clocks = 5;
    const std::size_t windows = 24;
    const auto pairs = random_pairs(random, clocks, windows, std::sqrt(q));
    const Groups groups = groups_of(pairs, clocks);
    const Knots knots = knots_for(pairs, {0, 1, windows}, q);
    const auto solved = solve_smooth(std::vector<Curve>(clocks), pairs, groups, knots);
    const auto dense = clc::test::dense_smooth(pairs, clocks, knots);
    for (std::size_t clock = 0; clock < clocks; ++clock)
      for (std::size_t knot = 0; knot < knots.grid.count; ++knot)
        REQUIRE(solved[clock][knot] == Approx(dense[clock][knot]).margin(1e-11));
  }
}

TEST_CASE("smooth: a large ring as dense matrices solve it") {
  std::mt19937_64 random(31);
  const std::size_t clocks = 40;
  std::vector<Pair> pairs;
  for (ClockIndex low = 0; low < clocks; ++low) {
    const ClockIndex high = low + 1 < clocks ? low + 1 : 0;
    pairs.push_back(random_pairs(random, 2, 12, 1e-6).front());
    pairs.back().low = std::min(low, high);
    pairs.back().high = std::max(low, high);
  }
  const Knots knots = knots_for(pairs, {0, 1, 12}, 1e-12);
  const auto solved = solve_smooth(std::vector<Curve>(clocks), pairs, groups_of(pairs, clocks), knots);
  const auto dense = clc::test::dense_smooth(pairs, clocks, knots);
  for (std::size_t clock = 0; clock < clocks; ++clock)
    for (std::size_t knot = 0; knot < knots.grid.count; ++knot)
      REQUIRE(solved[clock][knot] == Approx(dense[clock][knot]).margin(1e-11));
}

TEST_CASE("law: smooth: clocks that hang on one observation change nothing for the others") {
  std::mt19937_64 random(61);
  for (int round = 0; round < 20; ++round) {
    const ClockIndex clocks = 6;
    const std::size_t windows = 12;
    auto pairs = random_pairs(random, clocks, windows, 1e-6);
    const Knots knots = knots_for(pairs, {0, 1, windows}, 1e-12);
    const auto before = solve_smooth(std::vector<Curve>(clocks), pairs, groups_of(pairs, clocks), knots);
    // Two clocks that see each other often, and the others once; their rates are unknown. Exact, or hardly so.
    const double sd = round % 2 == 0 ? 1e-12 : 1e-5;
    pairs.push_back({2, clocks, Kind::both_ways, 1e-7, 1e-5, {{4.5, 3e-6, sd * sd, 4}}});
    pairs.push_back(random_pairs(random, 2, windows, 1e-6).front());
    pairs.back().low = clocks;
    pairs.back().high = clocks + 1;
    const auto after = solve_smooth(std::vector<Curve>(clocks + 2), pairs, groups_of(pairs, clocks + 2), knots);
    for (ClockIndex clock = 1; clock < clocks; ++clock)
      for (std::size_t knot = 0; knot < knots.grid.count; ++knot)
        REQUIRE(after[clock][knot] - after[0][knot] == Approx(before[clock][knot] - before[0][knot]).margin(1e-11));
    const Place place = place_of(knots.grid, 4.5);
    const auto at = [&](ClockIndex clock) {
      return (1 - place.part) * after[clock][place.knot] + place.part * after[clock][place.knot + 1];
    };
    REQUIRE(at(clocks) - at(2) == Approx(3e-6).margin(1e-11));
  }
}

TEST_CASE("modes: orthogonal, from the straight ones to the stiffest") {
  std::mt19937_64 random(37);
  for (const Eigen::Index knots : {3, 10, 65, 200}) {
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(knots, knots);
    double sum = 0;
    for (int i = 0; i < 20 * knots; ++i) {
      const auto knot = static_cast<Eigen::Index>(random() % static_cast<std::uint64_t>(knots - 1));
      const double part = static_cast<double>(random() % 1000) / 1000;
      mass(knot, knot) += (1 - part) * (1 - part);
      mass(knot, knot + 1) += part * (1 - part);
      mass(knot + 1, knot) += part * (1 - part);
      mass(knot + 1, knot + 1) += part * part;
      ++sum;
    }
    mass /= sum;
    const double most = 1e3;
    const Modes modes = modes_of(mass, 1e-3, most);
    REQUIRE(modes.shapes.cols() == modes.stiffness.size());
    REQUIRE(modes.shapes.cols() >= 2);
    REQUIRE(modes.shapes.cols() <= knots);
    const Eigen::MatrixXd product = modes.shapes.transpose() * mass * modes.shapes;
    // A thousandth is added to the mass.
    CHECK((product - Eigen::MatrixXd::Identity(product.rows(), product.cols())).norm() <
          0.01 * static_cast<double>(product.rows()));
    CHECK(modes.stiffness.head(2).norm() == 0);
    for (Eigen::Index mode = 0; mode < modes.stiffness.size(); ++mode) {
      CHECK((mode < 6 || modes.stiffness[mode] <= most));
      double bent = 0;
      for (Eigen::Index knot = 1; knot + 1 < knots; ++knot)
        bent += std::pow(modes.shapes(knot - 1, mode) - 2 * modes.shapes(knot, mode) + modes.shapes(knot + 1, mode), 2);
      if (mode < 2)
        CHECK(bent < 1e-20 * modes.shapes.col(mode).squaredNorm());
      else if (knots <= 65)
        CHECK(bent / 1e-3 == Approx(modes.stiffness[mode]).epsilon(0.01));
    }
  }
}

TEST_CASE("observations: a window in which one side waited says as much as those in which both did") {
  constexpr double delay = 5e-6;
  constexpr double jitter = 0.2e-6;
  constexpr double offset = 3e-6;  // of clock 1
  std::mt19937_64 random(41);
  const auto share = [&] { return static_cast<double>(random() % 1000) / 1000; };
  Direction up{0, 1, {}};
  Direction down{1, 0, {}};
  for (std::uint32_t w = 0; w < 60; ++w) {
    const double late = w < 20 ? 0 : (50 + 450 * share()) * 1e-6;
    const bool up_waits = w < 40;
    const auto time = static_cast<double>(w);
    up.minima.push_back({time, delay + offset + jitter * share() + (up_waits ? 0 : late), w, up_waits});
    down.minima.push_back({time, delay - offset + jitter * share() + (up_waits ? late : 0), w, w < 20 || w >= 40});
  }
  Seen seen;
  seen.clocks = 2;
  const std::vector<Pair> pairs = observe({up, down}, {}, seen);
  REQUIRE(pairs.size() == 1);
  REQUIRE(pairs[0].observations.size() == 60);
  for (const Observation& one : pairs[0].observations) {
    INFO("window " << one.window);
    CHECK(std::abs(one.value - offset) <= 2 * jitter);
    CHECK(one.variance <= 4 * jitter * jitter);
  }
}

TEST_CASE("median: half of the weight") {
  CHECK(median(std::vector<Weighted>{}) == 0);
  CHECK(median(std::vector<Weighted>{{7, 2}}) == 7);
  CHECK(median(std::vector<Weighted>{{3, 1}, {1, 1}, {2, 1}}) == 2);
  CHECK(median(std::vector<Weighted>{{3, 1}, {1, 1}, {2, 1}, {9, 4}}) == 9);
  CHECK(median(std::vector<Weighted>{{3, 1}, {1, 8}, {2, 1}}) == 1);
}

TEST_CASE("smooth: more knots where rates change faster, never more than windows ask for") {
  std::mt19937_64 random(29);
  const auto pairs = random_pairs(random, 4, 100, 0);
  std::size_t before = 0;
  for (const double q : {0.0, 1e-22, 1e-18, 1e-14, 1e-8}) {
    const Knots knots = knots_for(pairs, {0, 1, 100}, q);
    CHECK(knots.grid.count >= std::max<std::size_t>(3, before));
    CHECK(knots.grid.count <= 101);
    CHECK(knots.grid.centre(0) == Approx(0).margin(1e-9));
    CHECK(knots.grid.centre(knots.grid.count - 1) == Approx(100));
    before = knots.grid.count;
  }
  CHECK(before == 101);
}

TEST_CASE("rates: the change of rates is found within a factor of ten") {
  std::mt19937_64 random(31);
  for (const double q : {1e-14, 1e-12}) {
    const double found = rate_variance(random_pairs(random, 8, 200, std::sqrt(q)));
    CHECK(found > q / 10);
    CHECK(found < q * 10);
  }
}

TEST_CASE("law: lines that messages permit are found, and no permitted line is further from them than before") {
  std::mt19937_64 random(71);
  std::uniform_real_distribution<double> within(-1, 1);
  for (int round = 0; round < 50; ++round) {
    const ClockIndex clocks = 4;
    std::vector<LineShift> truth(clocks);
    for (LineShift& line : truth) line = {within(random), within(random)};
    const auto taken = [](const Binding& one, const std::vector<LineShift>& lines) {
      const auto at = [&](ClockIndex clock, double time) { return lines[clock].offset + lines[clock].change * time; };
      return at(one.to, one.time) - at(one.from, one.time);
    };
    std::vector<Binding> messages;
    for (int i = 0; i < 40; ++i) {
      Binding one{static_cast<ClockIndex>(random() % clocks), static_cast<ClockIndex>(random() % clocks),
                  within(random)};
      if (one.from == one.to) continue;
      one.room = taken(one, truth) + (random() % 2 == 0 ? 1e-3 : 1) * std::abs(within(random));
      messages.push_back(one);
    }
    const std::vector<LineShift> found = lines_into_bounds(messages, clocks);
    double before = 0;
    double after = 0;
    for (ClockIndex clock = 0; clock < clocks; ++clock) {
      const auto square = [](double offset, double change) { return offset * offset + change * change / 3; };
      before += square(truth[clock].offset, truth[clock].change);
      after += square(truth[clock].offset - found[clock].offset, truth[clock].change - found[clock].change);
    }
    CHECK(after <= before + 1e-6);
    // 300 sweeps leave that much in a few of a hundred rounds.
    for (const Binding& one : messages) CHECK(taken(one, found) <= one.room + 0.05);
    // Messages say nothing of all clocks together.
    LineShift sum;
    for (const LineShift& line : found) sum = {sum.offset + line.offset, sum.change + line.change};
    CHECK(std::abs(sum.offset) < 1e-12);
    CHECK(std::abs(sum.change) < 1e-12);
  }
}

TEST_CASE("shift: constants that contradict no message where there are some") {
  std::mt19937_64 random(37);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> truth(5);
    for (double& one : truth) one = static_cast<double>(random() % 1000) * 1e-6;
    std::vector<Direction> directions;
    for (ClockIndex from = 0; from < 5; ++from)
      for (ClockIndex to = 0; to < 5; ++to)
        if (from != to)
          directions.push_back(
              {from, to, {{0, truth[to] - truth[from] + static_cast<double>(random() % 300) * 1e-6, 0, true}}});
    const std::vector<double> shift = shift_into_bounds(directions, 5, 0);
    for (const Direction& one : directions) CHECK(shift[one.to] - shift[one.from] <= one.minima.front().delay + 2e-6);
  }
}

}  // namespace
