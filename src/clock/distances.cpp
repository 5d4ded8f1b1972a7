#include "clock/distances.hpp"

namespace clc {

Distances::Distances(const Parameters& parameters, const Definitions& definitions)
    : definitions_(definitions),
      common_(parameters.delta_us ? definitions.resolution.ticks_of_microseconds(*parameters.delta_us) : automatic) {
  for (const ProcessDelta& own : parameters.process_deltas)
    own_[own.process] = definitions.resolution.ticks_of_microseconds(own.microseconds);
  all_automatic_ = own_.empty() && common_ == automatic;
}

void Distances::grow(std::size_t processes) {
  for (; grown_ < processes; ++grown_) {
    const Process& process = definitions_.processes()[grown_];
    add(process.clock, process);
  }
}

void Distances::add(ClockIndex clock, const Process& process) {
  if (own_.empty()) return;
  if (clock >= by_clock_.size()) by_clock_.resize(clock + std::size_t{1}, automatic);
  const auto own = own_.find(process.number);
  Ticks& delta = by_clock_[clock];
  delta = std::max(delta, own == own_.end() ? common_ : own->second);
}

}  // namespace clc
