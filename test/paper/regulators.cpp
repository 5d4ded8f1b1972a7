// Regulators B, C and D against the error analysis of the thesis [R 5.3, 5.4].
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "program.hpp"

namespace clc::test {
namespace {

struct Scenario {
  double rho = 1e-8;
  double one_minus_gamma = 2e-9;
  double behind = 1e6;  // D, microseconds
  double kappa = 1;     // every other interval is so much shorter
  double gamma_d = 0;   // 0: without regulator D

  [[nodiscard]] double gamma_max() const { return 1 - one_minus_gamma; }
  [[nodiscard]] double gain() const { return gamma_max() * (1 + rho); }                 // R [R eq. 5.24]
  [[nodiscard]] double excess() const { return rho - one_minus_gamma * (1 + rho); }     // R - 1
  [[nodiscard]] double limit() const { return behind * std::sqrt(excess() / gain()); }  // O_inf [R eq. 5.50]
  [[nodiscard]] double period(double f) const { return f * behind / std::sqrt(excess() * gain()); }  // [R eq. 5.28]

  /// LC'(j) - C_0(j) for j = 0 .. rounds, in parts of O_inf, and LC'(j) of process 1 - C_0(j) in microseconds.
  struct Course {
    std::vector<double> relative;
    std::vector<double> second;
    double lowest_gamma;
    std::vector<double> time;  // true time, microseconds

    /// |(LC'(j) - LC'(j - 1)) / (C_0(j) - C_0(j - 1)) - 1| of process 1, of the first cycle.
    [[nodiscard]] double largest_error() const {
      double largest = 0;
      for (std::size_t j = 1; j < second.size(); ++j) {
        largest = std::max(largest, std::abs(second[j] - second[j - 1]) / (time[j] - time[j - 1]));
        if (second[j] < 0) break;
      }
      return largest;
    }
  };
  [[nodiscard]] Course run(double f, int rounds, bool both_ways) const {
    const double tau = period(f);
    Program program(2);
    program.clock(1).offset = -behind;
    program.clock(1).drift = rho;
    std::vector<std::size_t> first;
    std::vector<std::size_t> second;
    Course course;
    double t = 0;
    for (int j = 0; j <= rounds; ++j) {
      if (j > 0) t += j % 2 == 1 ? tau : tau / kappa;
      course.time.push_back(t);
      // One after the other at the same instant, so that the regulator sees the state of round j - 1.
      const std::size_t sent = program.send(1, 0, t);
      const std::size_t received = program.receive(0, 1, t);
      if (both_ways || j == 0) {
        first.push_back(program.send(0, 1, t));
        second.push_back(program.receive(1, 0, t));
      } else {
        first.push_back(received);
        second.push_back(sent);
      }
    }
    program.record();
    Parameters parameters = forward();
    parameters.gamma_max = gamma_max();
    parameters.regulator_c = false;
    parameters.regulator_d = gamma_d > 0;
    parameters.gamma_min = gamma_d;
    const Program::Corrected result = program.corrected(parameters);
    for (int j = 0; j <= rounds; ++j) {
      const auto k = static_cast<std::size_t>(j);
      course.relative.push_back((result.time[first[k]] - program.recorded(first[k])) / limit());
      course.second.push_back(result.time[second[k]] - program.true_time(second[k]));
    }
    course.lowest_gamma = result.lowest_gamma;
    return course;
  }
};

int rounds_for(double f) { return std::clamp(static_cast<int>(20 / f), 20, 60); }

TEST_CASE("scenario 2: regulator B follows the recursion of theorem 10") {
  const Scenario scenario;
  for (int tenth = 1; tenth <= 20; ++tenth) {
    for (const double shift : {0.0, 0.03}) {
      const double f = 0.1 * tenth + shift;
      INFO("f = " << f);
      const std::vector<double> o = scenario.run(f, rounds_for(f), true).relative;
      double expected = 0;
      for (std::size_t j = 0; j < o.size(); ++j) {
        INFO("j = " << j);
        CHECK(o[j] == Approx(expected).margin(0.03));
        expected = std::max(expected + f - f * expected * expected, 0.0);
      }
    }
  }
}

TEST_CASE("scenario 2: theorems 11 and 12") {
  const Scenario scenario;
  const double slack = 0.02;  // the theory divides by D where the regulator divides by LC' - C_1
  for (double f = 0.1; f <= 2.0001; f += 0.05) {
    INFO("f = " << f);
    const std::vector<double> o = scenario.run(f, rounds_for(f), true).relative;
    double highest = f <= 1 ? 1.08867 : f <= 1.224635 ? 1.41276 : f < std::sqrt(2.0) ? 1.51338 : f;
    if (f <= 0.5) highest = 1;
    for (std::size_t j = 0; j < o.size(); ++j) {
      INFO("j = " << j);
      CHECK(o[j] > -1e-6);
      CHECK(o[j] < highest + slack);
      if (j > 0 && f <= 0.5) CHECK(o[j] > o[j - 1] - 1e-3);
      if (f >= std::sqrt(2.0)) CHECK(o[j] == Approx(j % 2 == 0 ? 0.0 : f).margin(slack));
    }
    if (f < 0.9) CHECK(o.back() == Approx(1).margin(slack));
  }
}

TEST_CASE("scenario 2: theorems 13 and 14, errors of local intervals") {
  const Scenario scenario;
  for (double f = 0.1; f <= 2.0001; f += 0.05) {
    INFO("f = " << f);
    const double tau = scenario.period(f);
    const std::vector<double> o = scenario.run(f, rounds_for(f), true).relative;
    const double unit = scenario.rho - scenario.one_minus_gamma;
    for (std::size_t n = 1; n <= 5; ++n) {
      const auto intervals = static_cast<double>(n);
      double bound = 1;
      if (f > 0.5 && f <= 1) bound = std::min(1.0, 2.17734 / intervals);
      if (f > 1 && f <= 1.224635) bound = 1.41276 / intervals;
      if (f > 1.224635 && f < std::sqrt(2.0)) bound = 1.2358 / intervals;
      bound = std::min(bound, 1.41276);
      for (std::size_t j = 0; j + n < o.size(); ++j) {
        INFO("n = " << n << ", j = " << j);
        const double error = (o[j + n] - o[j]) * scenario.limit() / (intervals * tau);
        CHECK(std::abs(error) <= bound * unit * 1.02);
      }
    }
  }
}

/// The bound of the error for equal intervals: [R 5.3, scenario 3].
double one_way_bound(const Scenario& scenario, double f) {
  const double unit = scenario.rho - scenario.one_minus_gamma;
  return f < std::sqrt(2.0) ? 2.03 * unit : std::max(2.03 * unit, unit + std::cbrt(unit * unit));
}

TEST_CASE("scenario 3: messages one way only") {
  const Scenario scenario;
  double largest = 0;
  for (double f = 0.1; f < 120; f *= 1.1) {
    INFO("f = " << f);
    const double error = scenario.run(f, f < 2 ? rounds_for(f) : 4, false).largest_error();
    CHECK(error <= one_way_bound(scenario, f) * 1.02);
    largest = std::max(largest, error / one_way_bound(scenario, f));
  }
  CHECK(largest > 0.9);  // the bound is reached where f is about the sixth root of 1/rho
}

TEST_CASE("scenario 4: theorem 15, messages one way only, at unequal distances") {
  for (const double kappa : {3.0, 30.0, 300.0}) {
    Scenario scenario;
    scenario.kappa = kappa;
    double largest = 0;
    for (double f = 0.1; f < 120; f *= 1.1) {  // f of the longer intervals
      INFO("kappa = " << kappa << ", f = " << f);
      const double steeper = f > std::pow(scenario.rho, -1.0 / 6) ? kappa : 1;
      const double error = scenario.run(f, f < 2 ? rounds_for(f) : 6, false).largest_error();
      CHECK(error <= steeper * one_way_bound(scenario, f) * 1.02);
      largest = std::max(largest, error / one_way_bound(scenario, f));
    }
    CHECK(largest > 1.5);
  }
}

TEST_CASE("scenario 4: theorem 16, regulator D bounds the error") {
  Scenario scenario;
  scenario.rho = 1e-4;
  scenario.one_minus_gamma = 2e-5;
  for (const double gamma_d : {0.98, 0.999}) {
    double unbounded = 0;
    for (const double kappa : {30.0, 1e4}) {
      scenario.kappa = kappa;
      for (double f = 0.1; f < 300; f *= 1.2) {
        INFO("gamma_D = " << gamma_d << ", kappa = " << kappa << ", f = " << f);
        scenario.gamma_d = gamma_d;
        CHECK(scenario.run(f, 6, false).largest_error() <= 1 - gamma_d);
        scenario.gamma_d = 0;
        unbounded = std::max(unbounded, scenario.run(f, 6, false).largest_error());
      }
    }
    CHECK(unbounded > 1 - gamma_d);
  }
}

}  // namespace
}  // namespace clc::test
