// Measures the offsets of simulated clocks: bursts of round trips, as a monitor records them before and after a
// program.
//
// Output   Lines "%sync PROCESS REFERENCE T1 T2 T3 T4", see clc-trace(5); the reference is process 0. In the trace with
//          true times they have the true times, so that the error of each sample is known.
// Model    Messages take the minimum delay plus an exponential part, as those of the program. One process is measured
//          after the other. The program does not notice.
#pragma once

#include <cstdint>
#include <vector>

#include "clock.hpp"
#include "random.hpp"
#include "recorder.hpp"
#include "settings.hpp"

namespace clc::tracegen {

class Bursts {
 public:
  /// truth: may be null.
  Bursts(const Settings& settings, std::vector<Clock> clocks, Output& recorded, Output* truth);
  /// A burst for each process, from true time `start` on, not before the end of earlier ones.
  void measure(Ticks start);

 private:
  [[nodiscard]] Ticks flight(ProcessIndex process);
  void write(Output& output, ProcessIndex process, const Ticks (&times)[4]) const;

  std::vector<Clock> clocks_;
  Output* recorded_;
  Output* truth_;
  Random random_;
  std::uint32_t count_;
  Ticks origin_;
  Ticks delay_;
  Ticks node_delay_;
  std::uint32_t per_node_;
  double jitter_;
  Ticks pause_;
  Ticks now_ = 0;
};

}  // namespace clc::tracegen
