// Backward amortization against the error analysis of the thesis [R 4.5, 5.2, 5.5].
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

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

TEST_CASE("theorems 9 and 17: the clock condition, and the bound on the errors of local intervals") {
  double closest = 0;
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
        closest = std::max(closest, error / bound);
      }
    }
  }
  CHECK(closest > 0.2);  // the bound is not out of sight
}

}  // namespace
}  // namespace clc::test
