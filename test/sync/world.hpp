// Programs on clocks that are known: what the estimator is to find.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/event.hpp"
#include "sync/estimate.hpp"
#include "trace/delay.hpp"

namespace clc::test {

struct WorldOptions {
  std::uint32_t processes = 6;
  int rounds = 400;
  double jitter = 0;    ///< mean of the exponential part of delays, ns
  double offset = 3e6;  ///< within +- so many ns
  double drift = 2e-5;  ///< within +-
  double wave = 0;      ///< clocks swing by so many ns, once in the run
  double slew = 0;      ///< rates change by within +- so much, each clock at times of its own, 20 times in the run
  std::uint32_t slewed = UINT32_MAX;  ///< of so many processes; of the others they are constant
  double rest = 20'000;               ///< shortest time between rounds, ns
  bool allreduce = false;             ///< after each round
  bool one_way = false;               ///< round a ring, one token
  double uneven = 0;                  ///< up to so many ns more from each process, one way
  std::uint64_t seed = 1;
};

/// Messages between neighbours of a ring and across it, one tick a nanosecond, every delay at least 5 us; receivers
/// wait.
struct World {
  static constexpr double delay = 5000;
  Definitions definitions;
  std::vector<Event> events;    ///< sorted by recorded time
  std::vector<double> offsets;  ///< C = (1 + rate) t + offset + wave sin(2 pi t/last + process) + slewed(t)
  std::vector<double> rates;
  std::vector<sync::Sample> samples;     ///< none, unless a test measures some
  std::vector<sync::GivenPoint> points;  ///< the same
  double wave = 0;
  std::vector<std::vector<double>> slews;  ///< of each clock: rates of successive spans of last/20, the first shorter
  double last = 0;                         ///< true time of the last record

  [[nodiscard]] Time reading(ProcessIndex process, double t) const;
};

[[nodiscard]] World make_world(const WorldOptions& options);

/// Renumbers the processes, and shifts and stretches their clocks.
struct Change {
  std::vector<ProcessIndex> place;  ///< where each process goes; empty: stays
  std::vector<double> offset;
  std::vector<double> rate;
};
[[nodiscard]] World changed(const World& world, const Change& change);

/// Checks that the estimate has changed by the offsets and rates, within 0.5 us and 5 ppm.
void check_added(const sync::Estimate& before, const sync::Estimate& after, const Change& change);

/// min_delay_us: that is known; 0: none. transfer: what lengths add to delays.
[[nodiscard]] sync::Estimate estimate(const World& world, sync::Method method, double min_delay_us = 0,
                                      Transfer transfer = {});

/// Root mean square of the deviations of mapped clocks from their mean, over the run, ns.
[[nodiscard]] double rms_error(const World& world, const sync::Estimate& estimate);

/// The same of one process.
[[nodiscard]] double rms_error_of(const World& world, const sync::Estimate& estimate, ProcessIndex process);

/// Largest difference to the reference beyond the bound, ns.
[[nodiscard]] double beyond_bounds(const World& world, const sync::Estimate& estimate);

/// Largest difference of two processes' mapped clocks at one true time, over the run.
[[nodiscard]] double worst_error(const World& world, const sync::Estimate& estimate);

}  // namespace clc::test
