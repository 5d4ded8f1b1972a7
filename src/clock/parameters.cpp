#include "clc/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "clc/error.hpp"

namespace clc {

namespace {

void require(bool holds, const char* message) {
  if (!holds) throw UsageError(message);
}

bool delay(double us) { return std::isfinite(us) && us >= 0; }

}  // namespace

std::string Parameters::regulators() const {
  std::string letters;
  if (regulator_a) letters += 'A';
  if (regulator_b) letters += 'B';
  if (regulator_c) letters += 'C';
  if (regulator_d) letters += 'D';
  return letters;
}

Parameters::Bounds Parameters::bounds(bool quartz) const noexcept {
  Bounds values = quartz ? quartz_clock : any_clock;
  if (gamma_max) values.gamma_max = *gamma_max;
  // Whoever gives a smaller gamma_max expects larger drifts.
  if (quartz) values.gamma_min = std::min(values.gamma_min, values.gamma_max);
  if (gamma_min) values.gamma_min = *gamma_min;
  return {regulator_a ? values.gamma_max : 1.0, regulator_d ? values.gamma_min : 0.0};
}

void Parameters::validate() const {
  require(!min_delay_us || delay(*min_delay_us), "minimum message delay: expected microseconds, 0 or more");
  for (const PairDelay& pair : pair_delays)
    require(delay(pair.microseconds), "minimum message delay of a pair: expected microseconds, 0 or more");
  require(!node_delay_us || delay(*node_delay_us), "minimum message delay in a node: expected microseconds, 0 or more");
  require(!bandwidth_mb_s || (std::isfinite(*bandwidth_mb_s) && *bandwidth_mb_s > 0),
          "bandwidth: expected MB/s, more than 0");
  require(max_error_percent > 0 && max_error_percent <= 100,
          "amortization error: expected percent, more than 0 and at most 100");
  require(delay(clock_difference_us), "clock difference: expected microseconds, 0 or more");
  require(!gamma_max || (*gamma_max >= 0 && *gamma_max <= 1), "gamma-max: expected a number from 0 to 1");
  require(!gamma_min || (*gamma_min >= 0 && *gamma_min <= 1), "gamma-min: expected a number from 0 to 1");
  require(!delta_us || delay(*delta_us), "delta: expected microseconds, 0 or more");
  for (const ProcessDelta& own : process_deltas)
    require(delay(own.microseconds), "delta of a process: expected microseconds, 0 or more");
  require(!clock_error_us || (std::isfinite(*clock_error_us) && *clock_error_us >= 0),
          "clock error: expected microseconds, 0 or more");
  require(std::isfinite(wait_limit_s) && wait_limit_s >= 0, "wait limit: expected seconds, 0 or more");
  require(max_memory >= least_memory, "maximum memory: expected at least 1 MiB");
}

}  // namespace clc
