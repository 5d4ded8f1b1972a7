// How far clocks go ahead, and what holds them [R 4.2, 4.4].
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "clc/event_sink.hpp"
#include "program.hpp"

namespace clc::test {
namespace {

/// Random messages, all slower than their minimum delay by 2 % or more.
void random_messages(Program& program, Random& random, double delay) {
  const auto count = static_cast<std::int64_t>(program.processes());
  std::vector<double> now(program.processes(), 0);
  for (int k = 0; k < 300; ++k) {
    const auto s = static_cast<ProcessIndex>(random.integer(0, count - 1));
    const auto r = static_cast<ProcessIndex>((s + random.integer(1, count - 1)) % count);
    now[s] += random.exponential(500);
    program.send(s, r, now[s]);
    if (random.chance(0.3)) program.internal(r, now[r] += random.exponential(100));
    now[r] = std::max(now[r], now[s] + delay * 1.02 + (random.chance(0.5) ? random.exponential(100) : 0));
    program.receive(r, s, now[r]);
  }
}

/// How far the corrected clock goes beyond the fastest recorded one, at worst, microseconds.
double beyond_fastest(Program& program, const Parameters& parameters) {
  program.record();
  const Program::Corrected result = program.corrected(parameters);
  double worst = -1e300;
  for (std::size_t e = 0; e < program.size(); ++e) {
    double fastest = -1e300;
    for (ProcessIndex p = 0; p < program.processes(); ++p)
      fastest = std::max(fastest, program.clock(p).at(program.true_time(e)));
    worst = std::max(worst, result.time[e] - fastest);
  }
  return worst;
}

// ---- theorem 5 [R 4.2] ------------------------------------------------------------------------------

TEST_CASE("theorem 5: the simple clock is never further ahead of true time than the recorded times") {
  std::size_t other_clock_beyond = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Program program(static_cast<std::size_t>(random.integer(2, 8)));
    for (ProcessIndex p = 0; p < program.processes(); ++p) {  // any clocks
      Clock& clock = program.clock(p);
      clock.offset = random.real(-1000, 1000);
      clock.drift = random.real(-0.1, 0.1);
      clock.wander = random.pick<double>({0, 100});
      clock.wander_period = 5000;
      clock.tick = random.pick<double>({0, 0, 300});
      if (random.chance(0.3)) clock.jumps.push_back({random.real(0, 50'000), random.real(-1000, 1000)});
    }
    random_messages(program, random, 10);
    program.record();
    const auto most_ahead = [&](auto time) {
      double most = -1e300;
      for (std::size_t e = 0; e < program.size(); ++e) most = std::max(most, time(e) - program.true_time(e));
      return most;
    };
    const double recorded = most_ahead([&](std::size_t e) { return program.recorded(e); });
    const auto corrected = [&](const Parameters& parameters) {
      const Program::Corrected result = program.corrected(parameters);
      return most_ahead([&](std::size_t e) { return result.time[e]; });
    };
    Parameters parameters = unregulated(forward());
    parameters.min_delay_us = 10;
    other_clock_beyond += corrected(parameters) > recorded + 1;  // gamma = 1: the theorem does not hold for LC'
    parameters.regulator_a = true;
    parameters.gamma_max = 0;  // LC' is LC
    CHECK(corrected(parameters) <= recorded + 1e-5);
  }
  CHECK(other_clock_beyond > 20);
}

// ---- theorem 7 [R 4.4.3] ----------------------------------------------------------------------------

TEST_CASE("theorem 7: while drifts are below (1 - gamma_max)/2 no clock goes beyond the fastest") {
  std::size_t unregulated_beyond = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Program program(static_cast<std::size_t>(random.integer(2, 8)));
    Parameters parameters = forward();
    parameters.min_delay_us = 10;
    parameters.gamma_max = random.pick<double>({0.98, 1 - 2e-4});
    parameters.regulator_b = parameters.regulator_c = random.chance(0.5);
    for (ProcessIndex p = 0; p < program.processes(); ++p) {
      program.clock(p).offset = random.real(-1000, 1000);
      program.clock(p).drift = random.real(-1, 1) * 0.999 * (1 - *parameters.gamma_max) / 2;
    }
    random_messages(program, random, 10);
    CHECK(beyond_fastest(program, parameters) < 1e-5);
    unregulated_beyond += beyond_fastest(program, unregulated(parameters)) > 1;
  }
  CHECK(unregulated_beyond > 20);
}

TEST_CASE("drifts below (1 - gamma_max)/2 never prove that clocks are no quartz") {
  constexpr double least = 1 - Parameters::quartz_clock.gamma_max;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Program program(static_cast<std::size_t>(random.integer(2, 8)));
    Parameters parameters = forward();
    parameters.min_delay_us = 10;
    parameters.regulator_b = random.chance(0.5);
    for (ProcessIndex p = 0; p < program.processes(); ++p) {
      program.clock(p).offset = random.real(-1, 1) * random.pick<double>({1, 30, 1000});
      program.clock(p).drift = random.real(-1, 1) * 0.999 * least / 2;
    }
    random_messages(program, random, 10);
    program.record();
    const Program::Corrected result = program.corrected(parameters);
    CHECK_FALSE(result.not_quartz);
    CHECK(result.lowest_gamma >= Parameters::quartz_clock.gamma_min);
  }
}

// ---- theorem 8, regulator B [R 4.4.4] ----------------------------------------------------------------

TEST_CASE("figure 4.4: where chains of messages take the minimum delay, LC' is the fastest clock") {
  constexpr double delay = 5;
  const std::vector<double> offsets{-120, 310, 45, -260, 80};
  Program program(offsets.size());
  for (ProcessIndex p = 0; p < offsets.size(); ++p) program.clock(p).offset = offsets[p];
  double t = 1000;
  for (int round = 0; round < 50; ++round)
    for (ProcessIndex p = 0; p < offsets.size(); ++p) {
      const ProcessIndex next = p + 1 < offsets.size() ? p + 1 : 0;
      program.send(p, next, t);
      program.receive(next, p, t + delay);
      t += delay + 100;
    }
  program.record();
  Parameters parameters = unregulated(forward());
  parameters.min_delay_us = delay;
  parameters.gamma_max = 1;
  const Program::Corrected result = program.corrected(parameters);
  std::size_t behind_the_first_round = 0;
  for (std::size_t e = 0; e < program.size(); ++e) {
    if (program.true_time(e) < 1000 + 2 * 5 * (delay + 100)) continue;
    ++behind_the_first_round;
    REQUIRE(result.time[e] - program.true_time(e) == Approx(310).margin(1e-5));
  }
  CHECK(behind_the_first_round > 400);
}

TEST_CASE("theorem 8: regulator B acts only if a clock is beyond the fastest") {
  std::size_t acted = 0;
  std::size_t idle = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Program program(static_cast<std::size_t>(random.integer(2, 8)));
    const double drift = random.pick<double>({1e-5, 1e-3});
    for (ProcessIndex p = 0; p < program.processes(); ++p) {
      program.clock(p).offset = p == 0 ? 0 : random.real(-1000, -300);  // process 0 stays the fastest
      program.clock(p).drift = random.real(-drift, drift);
    }
    // A message to itself orders nothing, but all have communicated before anything is corrected.
    for (ProcessIndex p = 0; p < program.processes(); ++p) program.send(p, p, -10'000);
    random_messages(program, random, 10);
    Parameters parameters = forward();
    parameters.min_delay_us = 10;
    parameters.gamma_max = 1 - 2e-5;
    parameters.regulator_c = parameters.regulator_d = false;
    const double beyond = beyond_fastest(program, parameters);
    if (program.corrected(parameters).by_b > 0) {
      ++acted;
      CHECK(beyond > 0);
      CHECK(drift > 1e-5);  // else theorem 7 holds
    } else {
      ++idle;
    }
  }
  CHECK(acted > 50);
  CHECK(idle > 50);
}

TEST_CASE("figure 4.9: regulator B slows all clocks while all are ahead, by figure 4.10") {
  // Clocks of the figure, 0 for 1: clock 0 leads, clock 3 is faster.
  constexpr double drift = 0.01;
  constexpr double step = 100;
  constexpr double delay = 10;
  Program program(4);
  program.clock(1).offset = -20;
  program.clock(2).offset = -35;
  program.clock(3).offset = -50;
  program.clock(3).drift = drift;
  const auto message = [&](ProcessIndex from, ProcessIndex to, double t) {
    program.send(from, to, t);
    return program.receive(to, from, t + delay);
  };
  std::size_t carried = 0;  // the end of the chain that raises process 3
  std::size_t returned = 0;
  for (int k = 0; k < 400; ++k) {
    const double t = step * k;
    for (ProcessIndex p = 0; p < 4; ++p) program.internal(p, t + 5.0 * p);
    if (k == 3 || k == 12) message(0, 1, t + 30);
    if (k == 6) message(0, 2, t + 30);
    if (k == 15) {
      message(0, 2, t + 30);
      carried = message(2, 3, t + 45);
    }
    if (k == 60) returned = message(3, 0, t + 30);
  }
  program.record();
  Parameters parameters = forward();
  parameters.min_delay_us = delay;
  parameters.gamma_max = 0.999;
  parameters.regulator_c = parameters.regulator_d = false;
  parameters.norm = GENERATE(Norm::maximum, Norm::sixteenth);
  const Program::Corrected result = program.corrected(parameters);
  const auto ahead = [&](std::size_t e) { return result.time[e] - program.recorded(e); };
  std::vector<std::size_t> order(program.size());
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return program.recorded(a) < program.recorded(b); });

  constexpr double tick = 1e-6;
  bool hatched = false;  // process 3 is beyond clock 0, and B cannot see it
  bool shaded = false;   // all are ahead
  bool over = false;     // the leading clock was reached again
  std::vector<double> newest(4, 0);
  std::vector<double> newest_recorded(4, 0);
  for (const std::size_t e : order) {
    const ProcessIndex p = program.event(e).process;
    const double recorded = program.recorded(e);
    if (program.true_time(e) > program.true_time(returned) + step) {
      double gamma = *parameters.gamma_max;
      const double least = *std::min_element(newest.begin(), newest.end());
      if (least > 0) {
        double norm = *std::max_element(newest.begin(), newest.end());
        if (parameters.norm == Norm::sixteenth) {
          double sum = 0;
          for (const double d : newest) sum += std::pow(d, 16);
          norm = std::pow(sum, 1.0 / 16);
        }
        gamma *= 1 - (least / norm) * (least / norm);  // [R fig. 4.10]
        shaded = true;
        REQUIRE_FALSE(over);
      } else {
        over = true;
      }
      const double expected = std::max(0.0, newest[p] - (1 - gamma) * (recorded - newest_recorded[p]));
      INFO("process " << p << " at " << program.true_time(e) << ", gamma " << gamma);
      REQUIRE(std::abs(ahead(e) - expected) < 3 * tick);
    } else if (p == 3 && program.true_time(e) > program.true_time(carried)) {
      hatched = hatched || result.time[e] > program.true_time(e) + 10;
      const double slowed = newest[p] - (1 - *parameters.gamma_max) * (recorded - newest_recorded[p]);
      if (program.true_time(e) < program.true_time(returned)) REQUIRE(std::abs(ahead(e) - slowed) < 3 * tick);
    }
    newest[p] = ahead(e);
    newest_recorded[p] = recorded;
  }
  CHECK(hatched);
  CHECK(shaded);
  CHECK(over);
}

// ---- figure 4.5, right, and regulator D [R 4.4.1, 4.4.6] --------------------------------------------

TEST_CASE("figure 4.5: alternating drifts run away without regulators and are held with them") {
  constexpr double period = 1e6;
  constexpr double drift = 0.009;
  constexpr double amplitude = drift * period / (2 * 3.14159265358979);
  const auto program = [&](std::size_t periods) {
    Program both(2);
    both.clock(0).wander = amplitude;
    both.clock(1).wander = -amplitude;
    both.clock(0).wander_period = both.clock(1).wander_period = period;
    for (std::size_t k = 0; k < 20 * periods; ++k) {
      const double t = static_cast<double>(k) * period / 20;
      both.send(0, 1, t);
      both.receive(1, 0, t + 11);
      both.send(1, 0, t + 12);
      both.receive(0, 1, t + 23);
    }
    return both;
  };
  Program once = program(20);
  Program longer = program(80);
  Parameters parameters = forward();
  parameters.min_delay_us = 10;

  // The leading clock is the one that runs faster just then: all its gains are kept.
  const Parameters free = unregulated(parameters);
  CHECK(beyond_fastest(once, free) > 20 * amplitude);
  CHECK(beyond_fastest(longer, free) > 80 * amplitude);

  SECTION("regulators A to D, gamma_D below 1 - 2 max|rho|") {
    const double bound = beyond_fastest(once, parameters);
    CHECK(bound < 2 * amplitude);
    CHECK(beyond_fastest(longer, parameters) < bound + 0.1 * amplitude);
    once.record();
    CHECK(once.corrected(parameters).lowest_gamma >= 0.98);
  }
  SECTION("regulator C alone, as when another group of processes keeps B quiet") {
    parameters.regulator_b = false;
    CHECK(beyond_fastest(longer, parameters) < 3.0 * 2 * amplitude);
    CHECK(longer.corrected(parameters).not_quartz);
  }
  SECTION("gamma_D too high for such clocks") {
    parameters.gamma_min = 0.9999;
    CHECK(beyond_fastest(longer, parameters) > 3.5 * beyond_fastest(once, parameters));
  }
}

}  // namespace
}  // namespace clc::test
