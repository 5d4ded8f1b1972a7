// Clocks that tick more slowly than messages take [R 6.3.2].
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "clc/event_sink.hpp"
#include "program.hpp"

namespace clc::test {
namespace {

struct Chain {
  Program program{20, Resolution(1'000'000'000)};
  std::vector<std::size_t> out;        // sends of process 0 to 1
  std::vector<std::size_t> out_there;  // their receives
  std::vector<std::size_t> back_from;  // sends of process 1 to 0
  std::vector<std::size_t> back;       // their receives

  /// A token 0 -> 19 -> 0 in hops of 250 us, once each 10 ms. The clocks tick each 10 ms, each process right
  /// before it sends the token on and right after it received it.
  explicit Chain(int rounds) {
    for (int n = 1; n <= rounds; ++n) {
      const double start = 10'000.0 * n + 250;
      const auto tick = [&](ProcessIndex p) { return start + 250.0 * p; };
      for (ProcessIndex p = 0; p < 19; ++p) {
        const std::size_t s = program.send(p, p + 1, tick(p));
        program.shown(s, tick(p));
        const std::size_t r = program.receive(p + 1, p, tick(p + 1));
        program.shown(r, tick(p + 1) - 10'000);
        if (p == 0) {
          out.push_back(s);
          out_there.push_back(r);
        }
      }
      for (ProcessIndex p = 19; p > 0; --p) {
        const double t = tick(19) + 250.0 * (19 - p);
        const std::size_t s = program.send(p, p - 1, t);
        program.shown(s, tick(p));
        const std::size_t r = program.receive(p - 1, p, t + 250);
        program.shown(r, tick(p - 1));
        if (p == 1) {
          back_from.push_back(s);
          back.push_back(r);
        }
      }
    }
    program.record();
  }
};

Parameters for_chain() {
  Parameters parameters = forward();
  parameters.min_delay_us = 250;
  parameters.gamma_min = 0;
  return parameters;
}

/// How far LC' goes beyond a recorded time, at most, in milliseconds.
double ahead(const Chain& chain, const Parameters& parameters) {
  const Program::Corrected result = chain.program.corrected(parameters);
  double most = 0;
  for (std::size_t e = 0; e < chain.program.size(); ++e)
    most = std::max(most, result.time[e] - chain.program.recorded(e));
  return most / 1000;
}

TEST_CASE("coarse clocks: apparent delays are those of the text") {
  const Chain chain(3);
  for (const auto& [s, r] : chain.program.messages()) {
    const double delay = chain.program.recorded(r) - chain.program.recorded(s);
    const bool onward = chain.program.event(r).process > chain.program.event(s).process;
    CHECK(delay == Approx(onward ? -9750 : -250));
  }
  CHECK(chain.program.recorded(chain.out[1]) == 20250);
}

TEST_CASE("coarse clocks: held by the regulators, growing without them") {
  const Chain hundred(100);
  const Chain thousand(1000);
  const double bound = ahead(hundred, for_chain());
  CHECK(bound < 30);  // regulator C: 3 times the clock difference of 10 ms
  CHECK(ahead(thousand, for_chain()) < bound * 1.001);

  CHECK(ahead(hundred, unregulated(for_chain())) > 190 * 99);
  CHECK(ahead(thousand, unregulated(for_chain())) > 190 * 999);
}

TEST_CASE("coarse clocks: held by the order-free rules, whatever the length of an epoch") {
  const Chain hundred(100);
  Parameters parameters = for_chain();
  parameters.order = Parameters::Order::epochs;
  for (const double us : {1.0, 30.0, 1'000.0, 30'000.0, 1'000'000.0}) {  // a 16th of 200 times as long
    INFO("cldiff " << us << " us");
    parameters.clock_difference_us = us;
    CHECK(ahead(hundred, parameters) < 30);
  }
}

TEST_CASE("coarse clocks: the regulators go down to a mean gamma of about 0.17") {
  // What the text calls about 0.17 is the mean of gamma over all events that have one.
  for (const int rounds : {10, 19, 53}) {
    INFO(rounds << " rounds");
    const Chain chain(rounds);
    Parameters parameters = for_chain();
    CHECK(chain.program.corrected(parameters).mean_gamma == Approx(0.17).margin(0.01));
    parameters.norm = Norm::sixteenth;
    CHECK(chain.program.corrected(parameters).mean_gamma > 0.2);
    parameters.norm = Norm::maximum;
    parameters.regulator_b = false;
    CHECK(chain.program.corrected(parameters).mean_gamma > 0.25);
  }
}

TEST_CASE("coarse clocks: clocks that stand for 10 ms are no quartz") {
  const Chain chain(2);
  Parameters parameters = for_chain();
  parameters.gamma_min.reset();
  CHECK(chain.program.corrected(parameters).not_quartz);
  parameters.rule = Parameters::Rule::thesis;
  CHECK_FALSE(chain.program.corrected(parameters).not_quartz);
}

TEST_CASE("coarse clocks: the times in the text") {
  const Chain chain(30);
  for (const bool amortization : {false, true}) {
    Parameters parameters = for_chain();
    parameters.amortization = amortization;
    const Program::Corrected result = chain.program.corrected(parameters);
    // The second message of process 0 and the one that comes back, in microseconds; beside each, by how much the
    // filter differs. Details of regulator C decide on it that the thesis does not give.
    const auto differs = [&](std::size_t event, double text) { return std::round(result.time[event] - text); };
    CHECK(differs(chain.out[1], 39'368) == -43);
    CHECK(differs(chain.out_there[1], 39'618) == -43);
    CHECK(differs(chain.back_from[1], 49'036) == 119);
    CHECK(differs(chain.back[1], 49'286) == 119);
    for (const auto& [s, r] : chain.program.messages()) REQUIRE(result.time[r] - result.time[s] > 250 - 1e-6);
  }
}

TEST_CASE("coarse clocks: figure 6.4, below, with a minimum delay of 150 us") {
  const Chain thousand(1000);
  Parameters parameters = for_chain();
  parameters.min_delay_us = 150;
  CHECK(ahead(thousand, parameters) < 30);                      // as with 250 us
  CHECK(ahead(thousand, unregulated(parameters)) > 188 * 999);  // 19 hops of 9750 + 150 us a round
  // The program's course can be seen, but less correctly.
  const auto error = [&](double minimum) {
    parameters.min_delay_us = minimum;
    const Program::Corrected result = thousand.program.corrected(parameters);
    double sum = 0;
    const auto messages = thousand.program.messages();
    for (const auto& [s, r] : messages) {
      REQUIRE(result.time[r] - result.time[s] > minimum - 1e-6);
      sum += std::abs(result.time[r] - result.time[s] - 250);
    }
    return sum / static_cast<double>(messages.size());
  };
  CHECK(error(150) > error(250));
}

}  // namespace
}  // namespace clc::test
