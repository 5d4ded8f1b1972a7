#include "clc/parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "clc/error.hpp"

namespace clc {

namespace {

std::string shown(double value) {
  std::array<char, 32> digits;
  return {digits.begin(), std::to_chars(digits.begin(), digits.end(), value).ptr};
}

void require(bool holds, const std::string& member, const char* expected, double found) {
  if (!holds) throw UsageError("Parameters::" + member + ": expected " + expected + ", found " + shown(found));
}

/// Of at least 0.
void require(const std::string& member, const char* unit, double found) {
  if (!(std::isfinite(found) && found >= 0)) require(false, member, (unit + std::string(", 0 or more")).c_str(), found);
}

void require_fraction(const char* member, const std::optional<double>& found) {
  if (found) require(*found >= 0 && *found <= 1, member, "a number from 0 to 1", *found);
}

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
  if (min_delay_us) require("min_delay_us", "microseconds", *min_delay_us);
  for (const PairDelay& pair : pair_delays)
    require("pair_delays from " + std::to_string(pair.from) + " to " + std::to_string(pair.to), "microseconds",
            pair.microseconds);
  if (node_delay_us) require("node_delay_us", "microseconds", *node_delay_us);
  if (bandwidth_mb_s)
    require(std::isfinite(*bandwidth_mb_s) && *bandwidth_mb_s > 0, "bandwidth_mb_s", "MB/s, more than 0",
            *bandwidth_mb_s);
  require(max_error_percent > 0 && max_error_percent <= 100, "max_error_percent",
          "percent, more than 0 and at most 100", max_error_percent);
  require("clock_difference_us", "microseconds", clock_difference_us);
  require_fraction("gamma_max", gamma_max);
  require_fraction("gamma_min", gamma_min);
  if (gamma_min && gamma_max)
    require(*gamma_min <= *gamma_max, "gamma_min", "at most Parameters::gamma_max", *gamma_min);
  if (delta_us) require("delta_us", "microseconds", *delta_us);
  for (const ProcessDelta& own : process_deltas)
    require("process_deltas of " + std::to_string(own.process), "microseconds", own.microseconds);
  if (clock_error_us) require("clock_error_us", "microseconds", *clock_error_us);
  require("wait_limit_s", "seconds", wait_limit_s);
  require(max_memory >= least_memory, "max_memory", "at least 1 MiB", static_cast<double>(max_memory));
}

}  // namespace clc
