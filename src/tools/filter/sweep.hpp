// The correction with a range of minimum message delays, side by side: a filter for each, fed from one reading of the
// trace.
//
//     Sweep sweep(parameters, definitions, delays, sink);
//     sweep.push(events, bodies);    // ..., finish: as a Filter
//     sweep.write(std::cout);
//
// Place    In place of the filter, for --sweep-mmd; clc-check, which may not use the clock, runs clc-filter for it.
// Cost     Time of as many filters; together they have the memory of one, but at least `least_memory` each.
#pragma once

#include <cstdint>
#include <deque>
#include <iosfwd>
#include <span>

#include "clc/event_sink.hpp"
#include "clc/filter.hpp"
#include "common/nowhere.hpp"
#include "filter/options.hpp"

namespace clc::filter {

class Sweep {
 public:
  /// sink: gets the events of the first filter. Keeps references to definitions and sink.
  Sweep(Parameters parameters, const Definitions& definitions, const SweptDelays& delays, EventSink& sink);

  void push(std::span<const Event> events, std::span<const Body> bodies) {
    for (Run& run : runs_) run.filter.push(events, bodies);
  }
  void recorded_granularity(std::uint64_t ticks) {
    for (Run& run : runs_) run.filter.recorded_granularity(ticks);
  }
  void note(Body /*line*/) {}
  void finish() {
    for (Run& run : runs_) run.filter.finish();
  }
  [[nodiscard]] std::uint64_t definition_memory() const noexcept { return definitions_.memory(); }
  /// A table with a line for each delay.
  void write(std::ostream& out) const;

 private:
  struct Run {
    Run(const Parameters& with, const Definitions& definitions, EventSink& sink)
        : parameters(with), filter(parameters, definitions, sink) {}
    Parameters parameters;
    Filter filter;
  };
  const Definitions& definitions_;
  tool::Nowhere nowhere_;
  std::deque<Run> runs_;
};

}  // namespace clc::filter
