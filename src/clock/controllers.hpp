// The controller of a run: that of the per-event rule, or that of the order-free rules (Parameters::Order).
//
// Place    In the lanes. The hot path of the per-event rule calls its controller directly.
#pragma once

#include <cstddef>
#include <memory>

#include "clc/parameters.hpp"
#include "clock/controller.hpp"
#include "clock/epochs.hpp"

namespace clc {

struct Controllers {
  /// Keeps references to distances, set_back and analysis.
  Controllers(const Parameters& p, const Distances& distances, SetBack& set_back, Recorder& analysis)
      : per_event(p, distances, set_back, analysis) {
    if (p.order == Parameters::Order::epochs)
      per_epoch = std::make_unique<ControllerOf<PerEpoch>>(p, distances, set_back, analysis);
  }

  void grow(std::size_t clocks) {
    per_event.grow(clocks);
    if (per_epoch) per_epoch->grow(clocks);
  }
  /// An event was read that is behind a step back.
  void set_back(ClockIndex clock) noexcept { per_epoch ? per_epoch->set_back(clock) : per_event.set_back(clock); }
  /// LC' of the last processed event, rounded down; earliest() before the first one.
  [[nodiscard]] Time newest(ClockIndex clock) const noexcept {
    return per_epoch ? per_epoch->newest(clock) : per_event.newest(clock);
  }

  Controller per_event;
  std::unique_ptr<ControllerOf<PerEpoch>> per_epoch;  ///< in place of per_event
};

}  // namespace clc
