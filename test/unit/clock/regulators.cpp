// The regulators against their formulas, computed anew for each event.
#include "clock/regulators.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "clc/parameters.hpp"
#include "for_seeds.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

constexpr Parameters::Bounds bounds{1 - 2e-5, 0.98};

std::string differ(const char* what, int event, double found, double expected) {
  if (std::abs(found - expected) <= 1e-12) return {};
  return std::string(what) + " at event " + std::to_string(event) + ": " + std::to_string(found) + ", expected " +
         std::to_string(expected);
}

/// x = min_i D_i / |D| over the processes that have communicated, gamma = gamma_max (1 - x^2) [R fig. 4.10].
std::string regulator_b(std::uint64_t seed, Norm norm) {
  Random random(seed);
  Parameters parameters;
  parameters.norm = norm;
  RegulatorB b(parameters, bounds);
  const std::size_t processes = 1 + random.index(9);
  b.grow(processes);
  std::vector<double> offsets(processes, -1);  // -1: has not communicated
  for (int event = 0; event < 200; ++event) {
    const auto process = static_cast<ProcessIndex>(random.index(processes));
    const bool communicates = random.chance(0.5);
    const double offset = random.chance(0.1) ? 0 : random.real(0, 100);
    b.observe(process, offset, communicates);
    if (communicates || offsets[process] >= 0) offsets[process] = offset;
    double least = HUGE_VAL;
    double largest = 0;
    double powers = 0;
    for (const double d : offsets) {
      if (d < 0) continue;
      least = std::min(least, d);
      largest = std::max(largest, d);
      powers += std::pow(d, 16);
    }
    const double size = norm == Norm::maximum ? largest : std::pow(powers, 1.0 / 16);
    const double x = size > 0 ? least / size : 0;
    if (b.idle() != (x == 0)) return "idle at event " + std::to_string(event);
    const std::string fault = differ("gamma_B", event, b.gamma(), bounds.gamma_max * (1 - x * x));
    if (!fault.empty()) return fault;
  }
  return {};
}

/// m decays with slope (1 - gamma_max)/2 of LC from E at its last raise; q = D/m; a cubic from 1.2 to 3.0 with level
/// ends [R alg. 4, fig. 4.11].
std::string regulator_c(std::uint64_t seed) {
  Random random(seed);
  // So that m falls to nothing within the trace now and then.
  const Parameters::Bounds fast{1 - random.pick({2e-5, 1e-3, 1e-1}), 0};
  RegulatorC c(Parameters{}, fast, false);
  Time now(random.integer(-1000, 1000));
  double raised = 0;
  double raised_at = 0;  // on LC
  for (int event = 0; event < 200; ++event) {
    now = now + random.integer(0, 200);
    const double simple = random.chance(0.7) ? 0 : random.real(0, 50);
    c.observe(now, simple);
    const double lc = static_cast<double>(now.ticks()) + simple;
    const auto m = [&] { return std::max(0.0, raised - 0.5 * (1 - fast.gamma_max) * std::max(0.0, lc - raised_at)); };
    if (simple > m()) {
      raised = simple;
      raised_at = lc;
    }
    const double offset = random.real(0, 4) * raised;
    double expected = fast.gamma_max;
    if (m() <= 0) {
      expected = offset > 0 ? 0 : fast.gamma_max;
    } else if (const double q = offset / m(); q >= 3) {
      expected = 0;
    } else if (q > 1.2) {
      const double t = (q - 1.2) / 1.8;
      expected *= 1 - 3 * t * t + 2 * t * t * t;
    }
    const std::string fault = differ("gamma_C", event, c.gamma(offset), expected);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace

TEST_CASE("regulator B: by the norm of the offsets of all that have communicated") {
  for_seeds(4, [](std::uint64_t seed) { return regulator_b(seed, Norm::maximum); });
  for_seeds(4, [](std::uint64_t seed) { return regulator_b(seed, Norm::sixteenth); });
}

TEST_CASE("regulator C: by the offset in units of the estimated clock difference") { for_seeds(1, regulator_c); }

TEST_CASE(
    "regulator C: while clocks count as quartz clocks, a chain explains as many hops as processes were advanced") {
  RegulatorC c(Parameters{}, bounds, true);
  c.another_hop();
  c.another_hop();
  c.observe(Time(0), 10);
  CHECK_FALSE(c.beyond_chains(1.2 * 2 * 10));
  CHECK(c.beyond_chains(1.2 * 2 * 10 + 1));
  c.observe(Time(1'000'000'000), 0);  // m does not decay
  CHECK_FALSE(c.beyond_chains(1.2 * 2 * 10));
  CHECK(c.far_ahead(3));
  CHECK_FALSE(c.far_ahead(2.5));
}

TEST_CASE("regulators B and C: nothing if they are switched off") {
  Parameters parameters;
  parameters.regulator_b = parameters.regulator_c = false;
  RegulatorB b(parameters, bounds);
  b.grow(1);
  b.observe(0, 5, true);
  CHECK(b.idle());
  RegulatorC c(parameters, bounds, false);
  c.observe(Time(0), 1);
  CHECK(c.gamma(100) == bounds.gamma_max);
}

TEST_CASE("regulators A and D: constants") {
  CHECK(RegulatorA(bounds).gamma() == bounds.gamma_max);
  CHECK(RegulatorD(bounds).gamma() == bounds.gamma_min);
}

}  // namespace clc::test
