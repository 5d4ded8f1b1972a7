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
  if (own_.empty()) return;
  while (by_clock_.size() < processes) {
    const Process& process = definitions_.processes()[by_clock_.size()];
    by_clock_.push_back(automatic);
    const auto own = own_.find(process.number);
    Ticks& delta = by_clock_[process.clock];
    delta = std::max(delta, own == own_.end() ? common_ : own->second);
  }
}

}  // namespace clc
