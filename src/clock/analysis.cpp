#include "clc/analysis.hpp"

#include <algorithm>

namespace clc {

Ticks Analysis::smallest_delay() const noexcept {
  Ticks smallest = std::min(other_pairs_.smallest_delay, smallest_collective_delay_);
  for (const PairStatistics& pair : pairs_) smallest = std::min(smallest, pair.smallest_delay);
  return smallest;
}

std::uint64_t Analysis::unresolved() const noexcept {
  std::uint64_t sum = 0;
  for (const CaseInfo& info : cases)
    if (info.severity == Severity::unresolved) sum += counted(info.which);
  return sum;
}

Analysis::RoundTrips Analysis::round_trips() const {
  RoundTrips trips;
  double sum = 0;
  for (const PairStatistics& there : pairs_) {
    if (there.sender >= there.receiver || there.messages == 0) continue;
    if (there.reverse == no_pair) continue;
    const PairStatistics& back = pairs_[there.reverse];
    if (back.messages == 0) continue;
    const double half = (static_cast<double>(there.smallest_delay) + static_cast<double>(back.smallest_delay)) / 2;
    if (trips.pairs == 0 || half < trips.smallest) trips.smallest = half;
    if (trips.pairs == 0 || half > trips.largest) trips.largest = half;
    ++trips.pairs;
    sum += half;
  }
  if (trips.pairs != 0) trips.average = sum / static_cast<double>(trips.pairs);
  return trips;
}

}  // namespace clc
