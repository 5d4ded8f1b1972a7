#include "clc/analysis.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/round_trips.hpp"

namespace clc {

namespace {

struct Left {
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
};

/// What was left over, as far as it is listed, by channel.
auto left_by_channel(const std::vector<Loss>& losses) {
  std::map<std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>, Left> left;
  for (const Loss& loss : losses) {
    Left& channel = left[{loss.sender, loss.receiver, loss.communicator, loss.tag}];
    ++(loss.send ? channel.receives : channel.sends);
  }
  return left;
}

}  // namespace

Ticks Analysis::smallest_delay() const noexcept {
  Ticks smallest = std::min(other_pairs_.smallest_delay, smallest_collective_delay_);
  for (const PairStatistics& pair : pairs_) smallest = std::min(smallest, pair.smallest_delay);
  return smallest;
}

Analysis::Unpaired Analysis::unpaired() const noexcept {
  Unpaired rest{messages_.edges - other_pairs_.messages, messages_.violated - other_pairs_.violated};
  for (const PairStatistics& pair : pairs_) {
    rest.messages -= pair.messages;
    rest.violated -= pair.violated;
  }
  return rest;
}

std::uint64_t Analysis::unresolved() const noexcept {
  std::uint64_t sum = 0;
  for (const CaseInfo& info : cases)
    if (info.severity == Severity::unresolved) sum += counted(info.which);
  return sum;
}

std::uint64_t Analysis::left_on_both_sides() const {
  const auto left = left_by_channel(losses_);
  return static_cast<std::uint64_t>(std::count_if(
      left.begin(), left.end(), [](const auto& each) { return each.second.sends > 0 && each.second.receives > 0; }));
}

bool Analysis::nothing_seems_missing() const {
  const std::uint64_t sends = counted(Case::send_without_receive);
  const std::uint64_t receives = lone_receives();
  if (receives == 0 || sends != receives || losses_.size() == most_losses) return false;
  // Sends that could bind nothing for long are not listed.
  std::uint64_t uneven = sends + receives - losses_.size();
  for (const auto& [channel, left] : left_by_channel(losses_)) {
    const std::uint64_t apart = std::max(left.sends, left.receives) - std::min(left.sends, left.receives);
    if (apart > uneven) return false;
    uneven -= apart;
  }
  return true;
}

std::uint64_t Analysis::exact_intervals() const noexcept {
  std::uint64_t exact = movement_.intervals[0] + movement_.intervals[1];
  for (const auto& kind : movement_.changed)
    for (const Changed& changed : kind) exact -= changed.count;
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

IntervalErrors Analysis::interval_errors(IntervalKind kind) const noexcept {
  IntervalErrors errors;
  const auto add = [&](std::size_t of) {
    errors.stretched_ties += movement_.changed[of][of_tie].count;
    for (const Changed& changed : movement_.changed[of]) {
      errors.sum += changed.sum;
      errors.largest = std::max(errors.largest, changed.largest);
      errors.relative_sum += changed.relative_sum;
      errors.relative_largest = std::max(errors.relative_largest, changed.relative_largest);
    }
  };
  if (kind == IntervalKind::at_receive || kind == IntervalKind::at_other) {
    const bool at_receive = kind == IntervalKind::at_receive;
    const std::uint64_t all = movement_.intervals[0] + movement_.intervals[1];
    errors.count = at_receive ? movement_.at_receives : all - movement_.at_receives;
    for (const bool raised : {false, true}) add(kind_of(at_receive, raised));
  } else {
    const bool raised = kind == IntervalKind::later;
    errors.count = movement_.intervals[raised ? 1 : 0];
    for (const bool at_receive : {false, true}) add(kind_of(at_receive, raised));
  }
  return errors;
}

IntervalErrors Analysis::all_intervals() const noexcept {
  IntervalErrors all = interval_errors(IntervalKind::until_raised);
  all.merge(interval_errors(IntervalKind::later));
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
    const double half = half_of_sum(there.smallest_delay, back.smallest_delay);
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
