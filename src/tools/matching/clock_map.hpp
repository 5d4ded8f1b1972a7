// The map of the clocks that stood in front of the correction: the laws hold relative to mapped times.
//
// Rule     clc-sync(1): processes that share a clock share its points; the offset is linear between these, and goes on
//          so before the first and after the last; mapped time = recorded time + offset, rounded to the nearest tick,
//          halves up. What comes later in a process stays later, by a tick at least where it was; a clock that is set
//          back stays so, by a tick at least. Written from there, not from the filter.
// Units    Ticks of the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "trace/offsets.hpp"

namespace clc::matching {

class ClockMap {
 public:
  /// definitions: of the recorded trace; must outlive it.
  ClockMap(Offsets offsets, const Definitions& definitions) : offsets_(std::move(offsets)), definitions_(definitions) {}
  [[nodiscard]] bool any() const noexcept { return !offsets_.empty(); }
  /// Of the next event of the process.
  [[nodiscard]] Time next(ProcessIndex process, Time recorded);
  /// Of a time, whatever came before it.
  [[nodiscard]] Time at(ProcessIndex process, Time recorded);
  /// Greatest common divisor of all durations in a process as recorded, so far; 0: nothing is mapped. Mapped times are
  /// no multiples of a coarse tick.
  [[nodiscard]] std::uint64_t granularity() const noexcept { return granularity_; }

 private:
  struct OfProcess {
    const std::vector<OffsetPoint>* points = nullptr;  ///< null: times stay
    bool any = false;
    Time recorded;  ///< of the last event
    Time mapped;
  };
  [[nodiscard]] OfProcess& of(ProcessIndex process);

  Offsets offsets_;
  const Definitions& definitions_;
  std::vector<OfProcess> processes_;
  std::uint64_t granularity_ = 0;
};

}  // namespace clc::matching
