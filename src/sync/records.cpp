#include "sync/records.hpp"

namespace clc::sync {

void Records::start(OfProcess& state, const Event& event) {
  if (definitions_.resolution != resolution_) {
    resolution_ = definitions_.resolution;
    quick_ = resolution_.ticks_of_microseconds(2);
  }
  state.last_ = event.time;
  state.clock_ = definitions_.processes()[event.process].clock;
  put(state.clock_, {event.time, event.time});
}

void Records::put(ClockIndex clock, const ClockSpan& span) {
  if (clock >= spans_.size()) spans_.resize(clock + std::size_t{1});
  std::optional<ClockSpan>& of_clock = spans_[clock];
  if (!of_clock) of_clock = span;
  of_clock->first = std::min(of_clock->first, span.first);
  of_clock->last = std::max(of_clock->last, span.last);
}

Ticks Records::coarsest_tick() const noexcept {
  constexpr std::uint32_t enough = 16;  // gaps, to be no coincidence
  Ticks coarsest = tick_;
  for (const OfProcess& state : states_)
    if (state.gaps_ >= enough) coarsest = std::max(coarsest, state.tick_);
  return coarsest;
}

}  // namespace clc::sync
