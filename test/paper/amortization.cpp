// Backward amortization against the error analysis of the thesis [R 4.5, 5.2, 5.5].
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "clc/event_sink.hpp"
#include "clc/report.hpp"
#include "program.hpp"

namespace clc::test {
namespace {

// ---- scenario 1 [R 5.2] -----------------------------------------------------------------------------

TEST_CASE("scenario 1: jumps, slopes and errors under regulator A") {
  constexpr double behind = 900;
  constexpr double delay = 50;
  for (const double rho : {-1e-4, 0.0, 1e-5}) {
    INFO("rho = " << rho);
    Random random(7);
    Program program(2);
    program.clock(1).offset = -behind;
    program.clock(1).drift = rho;
    struct Got {
      std::size_t event;
      double delay;
    };
    std::vector<Got> received;
    double t = 1000;
    for (int k = 0; k < 400; ++k) {
      t += random.real(50, 5000);
      program.internal(1, t);
      t += 500;
      program.send(0, 1, t);
      const double m = delay + (random.chance(0.3) ? 0 : random.exponential(20));
      t += m;
      received.push_back({program.receive(1, 0, t), m});
    }
    program.record();
    Parameters parameters;
    parameters.min_delay_us = delay;
    parameters.gamma_max = 1 - 2e-5;
    parameters.amortization = false;
    const Program::Corrected forward = program.corrected(parameters);
    std::size_t raised = 0;
    for (const auto& [e, m] : received) {  // [R eq. 5.3]
      const double ahead = forward.time[e] - program.true_time(e);
      REQUIRE(ahead > delay - m - 1e-5);
      raised += ahead < delay - m + 1e-5;
    }
    CHECK(raised > 50);
    const std::vector<std::size_t> own = program.of(1);
    for (std::size_t k = 1; k < own.size(); ++k) {  // [R eq. 5.5]
      if (program.event(own[k]).role == Role::receive) continue;
      const double true_interval = program.true_time(own[k]) - program.true_time(own[k - 1]);
      const double slope = (forward.time[own[k]] - forward.time[own[k - 1]]) / true_interval - 1;
      if (k > 1) REQUIRE(slope == Approx(*parameters.gamma_max * (1 + rho) - 1).margin(1e-7));
    }

    parameters.amortization = true;
    parameters.clock_difference_us = 1000;
    const Program::Corrected amortized = program.corrected(parameters);
    // Nothing is sent by process 1, so that the gradient stays at A_def.
    const double bound = 0.005 * (1 + std::abs(rho)) + (1 - *parameters.gamma_max) + std::abs(rho);
    for (std::size_t k = 1; k < own.size(); ++k) {
      const double true_interval = program.true_time(own[k]) - program.true_time(own[k - 1]);
      const double slope = (amortized.time[own[k]] - amortized.time[own[k - 1]]) / true_interval - 1;
      REQUIRE(std::abs(slope) <= bound + 1e-7);
    }
  }
}

/// Process 0 is right; process 1 is slower by rho and receives from it. Regulator A alone.
Parameters scenario_1(double minimum, double gamma_max, double clock_difference) {
  Parameters parameters = forward();
  parameters.min_delay_us = minimum;
  parameters.gamma_max = gamma_max;
  parameters.regulator_b = parameters.regulator_c = parameters.regulator_d = false;
  parameters.clock_difference_us = clock_difference;
  return parameters;
}

TEST_CASE("scenario 1: equations 5.4 and 5.6, every receive is raised") {
  constexpr double delay = 50;
  constexpr double difference = 1.5;               // no jump is larger
  constexpr double interval = difference / 0.005;  // L_A
  for (const double rho : {-1e-4, -1e-5, 0.0}) {
    INFO("rho = " << rho);
    Random random(11);
    Parameters parameters = scenario_1(delay, 1 - 2e-5, difference);
    const double speed = *parameters.gamma_max * (1 + rho);
    Program program(2);
    program.clock(1).offset = -0.5;
    program.clock(1).drift = rho;
    std::vector<std::pair<std::size_t, double>> received;
    for (int k = 1; k <= 100; ++k) {
      const double t = 5000.0 * k;
      for (int i = -20; i < 0; ++i) program.internal(1, t + 20 * i);
      // LC' falls by 5000 (1 - speed) until the next message: no delay keeps it from being raised.
      const double m = delay + random.real() * 5000 * (1 - speed) * 0.9;
      program.send(0, 1, t - m);
      received.emplace_back(program.receive(1, 0, t), m);
    }
    program.record();
    const Program::Corrected forward_only = program.corrected(parameters);
    for (const auto& [e, m] : received)  // [R eq. 5.3, 5.4]
      REQUIRE(std::abs(forward_only.time[e] - program.true_time(e) - (delay - m)) < 3e-6);

    parameters.amortization = true;
    const Program::Corrected amortized = program.corrected(parameters);
    const std::vector<std::size_t> own = program.of(1);
    std::size_t steeper = 0;
    for (std::size_t n = 1; n < received.size(); ++n) {
      const std::size_t end = received[n].first;
      const auto last = static_cast<std::size_t>(std::find(own.begin(), own.end(), end) - own.begin());
      const double jump = forward_only.time[end] - forward_only.time[own[last - 1]] - 20 * speed;
      REQUIRE(jump > 0);
      const double gradient = jump / interval;
      for (std::size_t k = last - 19; k <= last; ++k) {
        const bool inside = program.true_time(own[k - 1]) > program.true_time(end) - interval / speed;
        const bool outside = program.true_time(own[k]) < program.true_time(end) - interval / speed;
        if (!inside && !outside) continue;
        const double slope = (amortized.time[own[k]] - amortized.time[own[k - 1]]) / 20;
        INFO("message " << n << ", interval " << k << ", A = " << gradient);
        REQUIRE(std::abs(slope - speed * (inside ? 1 + gradient : 1)) < 3e-6 / 20);  // [R eq. 5.5, 5.6]
        steeper += inside ? 1 : 0;
      }
    }
    CHECK(steeper > 500);
  }
}

TEST_CASE("scenario 1: equation 5.7, the error without amortization, is reached") {
  constexpr double delay = 50;
  for (const double gamma_max : {1 - 2e-5, 1 - 1e-3}) {
    for (const double rho : {-1e-4, -1e-5}) {
      INFO("gamma_max = " << gamma_max << ", rho = " << rho);
      const double fall = (1 - gamma_max) + gamma_max * -rho;
      constexpr double apart = 1e6;              // of receives
      constexpr double shortest = 500;           // of events
      const double varies = 0.9 * apart * fall;  // delays; no receive is left out
      Program program(2);
      program.clock(1).offset = -3 * apart * fall;  // LC' never falls back to it
      program.clock(1).drift = rho;
      for (int k = 1; k <= 40; ++k) {
        const double t = apart * k;
        program.internal(1, t - shortest);
        program.send(0, 1, t - delay - (k % 2 == 0 ? 0 : varies));
        program.receive(1, 0, t);
        program.internal(1, t + shortest);
      }
      program.record();
      const Program::Corrected result = program.corrected(scenario_1(delay, gamma_max, 1000));
      const double bound = varies / shortest + apart / shortest * fall + fall;
      double largest = 0;
      const std::vector<std::size_t> own = program.of(1);
      for (std::size_t k = 3; k < own.size(); ++k) {  // not the first jump
        const double length = program.true_time(own[k]) - program.true_time(own[k - 1]);
        largest = std::max(largest, std::abs((result.time[own[k]] - result.time[own[k - 1]]) / length - 1));
      }
      CHECK(largest <= bound + 1e-8);
      // The last summand is of the length after the jump, and the second counts the length before it twice.
      CHECK(largest >= bound - 2 * fall - 1e-8);
    }
  }
}

/// Examples 1 and 2 of [R 5.2]: receives at most `apart` apart, sends to a third process that cannot give way.
struct Example {
  double minimum;          // least delay, microseconds
  double turn;             // shortest time from a send to a later receive
  double apart;            // longest time between receives of delays up to (1 + epsilon/2) minimum
  double one_minus_gamma;  // gamma_max
  double rho_max;

  static constexpr double epsilon = 0.05;
  [[nodiscard]] double slower() const { return epsilon / 2 * minimum; }
  [[nodiscard]] double fall() const { return one_minus_gamma + rho_max * (1 - one_minus_gamma); }
  [[nodiscard]] double kappa_a() const { return minimum / turn; }                            // [R eq. 5.13]
  [[nodiscard]] double kappa_b() const { return apart / minimum * fall() / (epsilon / 2); }  // [R eq. 5.14]
  [[nodiscard]] double bound() const {                                                       // [R eq. 5.12]
    return std::max(0.005, epsilon / 2 * kappa_a() * (1 + kappa_b()));
  }
  /// The largest slope that amortization adds to an interval of process 1.
  [[nodiscard]] double largest_gradient(std::uint64_t seed) const {
    Random random(seed);
    Program program(3);
    const double most = slower() + apart * fall();  // the largest jump
    program.clock(1).offset = -most;
    program.clock(1).drift = -rho_max;
    program.clock(2).offset = -2 * most;
    program.clock(2).drift = -rho_max;
    const auto to_third = [&](double t) {
      program.send(1, 2, t);
      program.receive(2, 1, t + minimum);
    };
    double t = 0;
    for (int k = 0; k < 300; ++k) {
      double m = minimum;
      if (seed == 0) {  // the worst: fast, slow, slow
        t += apart;
        m += k % 3 == 0 ? 0 : slower();
      } else {
        t += random.real(0.5, 1) * apart;
        m += random.chance(0.3) ? 0 : random.real() * slower();
      }
      const double turn_now = seed == 0 ? turn : random.real(1, 3) * turn;
      if (k % 3 == 0 || random.chance(0.3)) to_third(t - turn_now);
      program.send(0, 1, t - m);
      program.receive(1, 0, t);
    }
    program.record();
    Parameters parameters = scenario_1(minimum, 1 - one_minus_gamma, 1.2 * most);
    parameters.amortization = true;
    const Program::Corrected result = program.corrected(parameters);
    double largest = 0;
    const std::vector<std::size_t> own = program.of(1);
    for (std::size_t k = 1; k < own.size(); ++k) {
      if (program.true_time(own[k - 1]) < 2 * apart) continue;  // the first phase [R eq. 5.15]
      const double length = program.true_time(own[k]) - program.true_time(own[k - 1]);
      const double slope = (result.time[own[k]] - result.time[own[k - 1]]) / length;
      largest = std::max(largest, slope - (1 - one_minus_gamma) * (1 - rho_max));
    }
    return largest;
  }
};

TEST_CASE("equations 5.11 to 5.14: examples 1 and 2, gradients of 6.7 %") {
  const Example first{5000, 3000, 2.5e6, 2e-5, 1e-5};
  const Example second{500, 300, 25'000, 2e-4, 1e-4};
  for (const Example& example : {first, second}) {
    CHECK(std::round(example.kappa_a() * 100) == 167);
    CHECK(std::round(example.kappa_b() * 10) == 6);
    CHECK(std::round(example.bound() * 1000) == 67);
    // The worst trace reaches the bound, others stay below.
    CHECK(std::abs(example.largest_gradient(0) - example.bound()) < 1e-6);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      INFO("seed " << seed);
      CHECK(example.largest_gradient(seed) <= example.bound() + 1e-6);
    }
  }
}

// ---- theorems 9 and 17 ------------------------------------------------------------------------------

double largest_difference(Program& program) {
  double largest = 0;
  for (std::size_t e = 0; e < program.size(); ++e) {
    double lowest = 1e300;
    double highest = -1e300;
    for (ProcessIndex p = 0; p < program.processes(); ++p) {
      const double shown = program.clock(p).at(program.true_time(e));
      lowest = std::min(lowest, shown);
      highest = std::max(highest, shown);
    }
    largest = std::max(largest, highest - lowest);
  }
  return largest;
}

/// Shortest true time from a send to a later receive of a process [R eq. 5.17].
double shortest_turn(const Program& program, ProcessIndex process) {
  double shortest = 1e300;
  double sent = -1e300;
  for (const std::size_t e : program.of(process)) {
    if (program.event(e).role == Role::send) sent = program.true_time(e);
    if (program.event(e).role == Role::receive) shortest = std::min(shortest, program.true_time(e) - sent);
  }
  return shortest;
}

TEST_CASE("figure 4.12: lines through the latest times that two sends allow") {
  Program program(3);
  std::vector<std::size_t> own;
  for (const double time : {0, 800, 900}) own.push_back(program.internal(1, time));
  own.push_back(program.send(1, 2, 1000));
  program.receive(2, 1, 1030);
  own.push_back(program.internal(1, 1100));
  own.push_back(program.send(1, 2, 1200));
  program.receive(2, 1, 1300);
  own.push_back(program.internal(1, 1300));
  const std::size_t late = program.send(0, 1, 1390);
  program.shown(late, 1590);
  own.push_back(program.receive(1, 0, 1400));
  program.record();
  Parameters parameters = unregulated(forward());
  parameters.amortization = true;
  parameters.min_delay_us = 10;
  parameters.max_error_percent = 20;
  parameters.clock_difference_us = 200;
  const Program::Corrected result = program.corrected(parameters);
  // A jump of 200 us; its lines rise from (400, 0) to (1000, 20) and (1200, 90), by 20 and 90 us that are left of the
  // delays of both messages, and to (1400, 200).
  const std::vector<double> expected{0, 800 + 40.0 / 3, 900 + 50.0 / 3, 1020, 1155, 1290, 1445, 1600};
  for (std::size_t k = 0; k < own.size(); ++k) {
    INFO("event " << k);
    CHECK(result.time[own[k]] == Approx(expected[k]).margin(1e-4));
  }
}

TEST_CASE("theorems 9 and 17: the clock condition, and the bound on the errors of local intervals") {
  double closest = 0;
  double closest_reported = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    FiniteElements elements;
    elements.columns = static_cast<std::size_t>(random.integer(1, 4));
    elements.rows = static_cast<std::size_t>(random.integer(2, 4));
    elements.steps = 40;
    elements.inside = random.real(300, 3000);
    elements.delay = random.real(10, 100);
    elements.jitter = random.real(0, 100);
    elements.unequal = random.real(0, 1);
    elements.seed = seed;
    Program program(elements.columns * elements.rows);
    Parameters parameters;
    parameters.min_delay_us = elements.delay * 0.999;
    const double largest_drift = random.pick<double>({1e-5, 1e-4, 1e-3}) * 0.49;
    parameters.gamma_max = 1 - 2 * largest_drift / 0.98;
    if (random.chance(0.7)) parameters.gamma_min = parameters.gamma_max;
    for (ProcessIndex p = 0; p < program.processes(); ++p) {
      program.clock(p).offset = random.real(-1, 1) * random.pick<double>({5, 50});
      program.clock(p).drift = random.real(-1, 1) * largest_drift;
    }
    run(elements, program);
    program.record();
    const double difference = largest_difference(program);
    parameters.clock_difference_us = difference;
    const Program::Corrected result = program.corrected(parameters);

    for (const auto& [s, r] : program.messages())
      REQUIRE(result.time[r] - result.time[s] > *parameters.min_delay_us - 2e-6);

    // What the report says: eq. 5.9 with the steepest piece, and theorem 17 with recorded times.
    const Report report(result.analysis, program.definitions(), parameters, {});
    const double reported = std::min(report.interval_error_bound().value(), report.theorem_17_bound().value());

    for (ProcessIndex p = 0; p < program.processes(); ++p) {
      const double gradient = std::max(parameters.max_error_percent / 100, difference / shortest_turn(program, p));
      const double below = 1 - parameters.bounds(false).gamma_min;
      const double bound = gradient * (1 + largest_drift) + (1 - *parameters.gamma_max) + largest_drift + below +
                           largest_drift + below * largest_drift;
      const std::vector<std::size_t> own = program.of(p);
      for (std::size_t k = 1; k < own.size(); ++k) {
        const double interval = program.true_time(own[k]) - program.true_time(own[k - 1]);
        if (interval < 0.5) continue;  // ticks of a picosecond count
        const double error = std::abs((result.time[own[k]] - result.time[own[k - 1]]) / interval - 1);
        INFO("process " << p << ", interval " << k << ", error " << error << ", bound " << bound);
        REQUIRE(error <= bound + 1e-5);
        INFO("reported bounds " << *report.interval_error_bound() << ", " << *report.theorem_17_bound());
        REQUIRE(error <= reported + 1e-5);
        closest_reported = std::max(closest_reported, error / *report.interval_error_bound());
        closest = std::max(closest, error / bound);
      }
    }
  }
  CHECK(closest > 0.2);  // the bound is not out of sight
  CHECK(closest_reported > 0.9);
}

}  // namespace
}  // namespace clc::test
