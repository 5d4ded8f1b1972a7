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

std::uint64_t Analysis::exact_intervals() const noexcept {
  std::uint64_t exact = 0;
  for (std::size_t kind = 0; kind < interval_kinds; ++kind) {
    exact += movement_.intervals[kind];
    for (const Changed& changed : movement_.changed[kind]) exact -= changed.count;
  }
  return exact;
}

IntervalClass Analysis::errors_of(ErrorClass of) const noexcept {
  IntervalClass all;
  for (const auto& kind : movement_.changed) {
    all.count += kind[of].count;
    all.sum += kind[of].relative_sum;
    all.largest = std::max(all.largest, kind[of].relative_largest);
  }
  return all;
}

IntervalErrors Analysis::interval_errors(bool at_receive, bool raised) const noexcept {
  const std::size_t kind = kind_of(at_receive, raised);
  IntervalErrors errors;
  errors.count = movement_.intervals[kind];
  errors.stretched_ties = movement_.changed[kind][of_tie].count;
  for (const Changed& changed : movement_.changed[kind]) {
    errors.sum += changed.sum;
    errors.largest = std::max(errors.largest, changed.largest);
    errors.relative_sum += changed.relative_sum;
    errors.relative_largest = std::max(errors.relative_largest, changed.relative_largest);
  }
  return errors;
}

IntervalErrors Analysis::all_intervals() const noexcept {
  IntervalErrors all;
  for (const bool at_receive : {false, true})
    for (const bool raised : {false, true}) all.merge(interval_errors(at_receive, raised));
  return all;
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

GammaCourse GammaCourse::reversed() const noexcept {
  GammaCourse course = *this;
  if (!started_) return course;
  const std::array<Span, most_spans> all = spans();
  std::size_t used = most_spans;
  while (used > 1 && all[used - 1].events == 0) --used;
  course.spans_ = {};
  std::reverse_copy(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(used), course.spans_.begin());
  course.events_ = 0;
  const double length = static_cast<double>(used) * this->length();
  const Time last(~start_.ticks());
  course.start_ = length < 9e18 ? last - static_cast<Ticks>(length) : Time::earliest();
  return course;
}

}  // namespace clc
