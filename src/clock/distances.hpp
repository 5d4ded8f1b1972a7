// The minimum distance delta of two successive events [R eq. 4.4], by clock.
//
// Place    Asked by the controller for each event, and by the merge for the least distance of written times.
// Formula  delta of a clock is the largest delta of its processes: the process's own, else the common one. Without any,
//          delta = min(1 tick, dC).
// Units    Ticks.
// Cost     O(1) per event; no memory unless a process has a delta of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"

namespace clc {

class Distances {
 public:
  /// Keeps a reference to the definitions.
  Distances(const Parameters& parameters, const Definitions& definitions);

  /// So many processes are defined.
  void grow(std::size_t processes);
  /// Instead, where clocks have other numbers than in the definitions: one process of a clock.
  void add(ClockIndex clock, const Process& process);

  /// delta between successive events of a clock that were recorded `advance` apart.
  [[nodiscard, gnu::always_inline]] Ticks between(ClockIndex clock, Ticks advance) const noexcept {
    if (all_automatic_) [[likely]]
      return std::min<Ticks>(1, advance);
    const Ticks delta = of(clock);
    return delta < 0 ? std::min<Ticks>(1, advance) : delta;
  }
  /// Least distance in which events of a clock with different recorded times are written: 1; 0 if delta is 0.
  [[nodiscard]] Ticks written(ClockIndex clock) const noexcept { return of(clock) == 0 ? 0 : 1; }

 private:
  static constexpr Ticks automatic = -1;

  [[nodiscard]] Ticks of(ClockIndex clock) const noexcept {
    if (own_.empty()) [[likely]]
      return common_;
    return by_clock_[clock];
  }

  const Definitions& definitions_;
  Ticks common_;                        // or automatic
  std::map<std::uint64_t, Ticks> own_;  // by number of the process
  bool all_automatic_ = false;          // no delta was chosen
  std::vector<Ticks> by_clock_;         // if own_ has entries
  std::size_t grown_ = 0;               // so many processes are defined
};

}  // namespace clc
