#include "sync/sliding.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "clc/event.hpp"
#include "sync/groups.hpp"
#include "sync/median.hpp"
#include "sync/rounded.hpp"
#include "sync/steps.hpp"

namespace clc::sync {

namespace {

constexpr std::int64_t stretch = Sliding::behind + 1 + Sliding::ahead;
constexpr std::int64_t hulls = 128;  // of a pair in a stretch: two or more for each window
// Of a clock that takes part. One whose first knots are fixed, a window before its first record, has as many.
constexpr std::int64_t least_begun = Sliding::ahead - 2;
constexpr double least_messages = 1;  // from one process to another in a window: else most windows tell nothing

/// Of a group, those known at all moments.
std::vector<ClockIndex> known_throughout(const StretchEstimate& found, std::uint32_t group) {
  std::vector<ClockIndex> clocks;
  for (ClockIndex clock = 0; clock < found.groups.size(); ++clock)
    if (found.groups[clock] == group &&
        std::ranges::none_of(found.moments, [&](const Moment& moment) { return std::isnan(moment.offsets[clock]); }))
      clocks.push_back(clock);
  return clocks;
}

/// Does something come from another clock? An operation's first and last member stand for all.
bool is_from_others(const Event& event, const Definitions& definitions) {
  const auto& processes = definitions.processes();
  const auto is_other = [&](ProcessIndex process) {
    return process < processes.size() && processes[process].clock != processes[event.process].clock;
  };
  if (event.role == Role::receive) return event.other_end != OtherEnd::missing && is_other(event.peer);
  if (event.role != Role::collective_end || event.communicator >= definitions.communicators().size()) return false;
  const Members& members = definitions.communicators()[event.communicator].members;
  return !members.empty() && (is_other(members.front()) || is_other(members[members.size() - 1]));
}

/// The groups that clocks are in.
std::set<std::uint32_t> groups_in(const StretchEstimate& found) {
  std::set<std::uint32_t> groups(found.groups.begin(), found.groups.end());
  groups.erase(Groups::none);
  return groups;
}

}  // namespace

Sliding::Sliding(const Definitions& definitions, Ticks look_ahead, const Options& options)
    : definitions_(definitions),
      window_(std::max<Ticks>(1, look_ahead / ahead)),
      options_(options),
      collector_({.windows = hulls, .by_origins = false}),
      matcher_(definitions, collector_, Transfer(options.bandwidth_mb_s, definitions.resolution)) {}

double Sliding::seconds(std::int64_t window) const noexcept {
  return definitions_.resolution.seconds(static_cast<double>(window) * static_cast<double>(window_));
}

Time Sliding::begin_of(std::int64_t window) const noexcept { return *zero_ + window * window_; }

void Sliding::add(const Event& event) {
  if (!zero_) zero_ = newest_ = event.time;
  const std::int64_t window = (event.time - *zero_) / window_;
  if (window > complete_) {
    // Windows without records are complete at once; their knots lie between others.
    complete_ = window;
    edges_.push_back(collector_.edges());
    if (complete_ >= before_first) slide(complete_, complete_ - ahead + 1, least_begun);
    while (static_cast<std::int64_t>(edges_.size()) > stretch) edges_.pop_front();
    const Time oldest = begin_of(complete_ - stretch + 1);
    collector_.forget_before(oldest);
    matcher_.forget_before(oldest);
  }
  matcher_.add(event);
  received_ = received_ || is_from_others(event, definitions_);
  newest_ = std::max(newest_, event.time);
}

void Sliding::finish() {
  if (!zero_) return;
  if (estimates_ == 0) {
    // The trace is shorter than the windows of the first estimate: shorter windows, as many.
    window_ = (newest_ - *zero_) / before_first + 1;
    is_short_ = true;
    complete_ = before_first - 1;
    edges_.clear();
  }
  slide(complete_ + 1, complete_ + 2, 1);
  fixed_until_ = Time::latest();
}

void Sliding::slide(std::int64_t complete, std::int64_t knot, std::int64_t begun) {
  if (knot <= next_knot_) return;
  Stretch wanted;
  wanted.zero = *zero_;
  wanted.begun_by = begin_of(complete - begun);
  wanted.edges = collector_.edges() - (static_cast<std::int64_t>(edges_.size()) < stretch ? 0 : edges_.front());
  wanted.windows = static_cast<std::size_t>(std::min(complete, stretch));
  wanted.rates = rates_;
  wanted.trips = trips_;
  if (applied_) wanted.known.assign(known_.begin(), known_.end());
  // Where the last one was fixed, the new offsets join the old ones.
  if (!wanted.known.empty()) wanted.moments.push_back(wanted.known.back().time);
  // After a long silence a few knots suffice: the map is linear between them.
  const std::int64_t first = std::max(next_knot_, knot - stretch);
  for (std::int64_t next = first; next < knot; ++next) wanted.moments.push_back(seconds(next));
  StretchEstimate found = estimate(collector_, matcher_.records(), definitions_.processes().size(),
                                   definitions_.resolution, options_, wanted);
  ++estimates_;
  const double messages = count_messages(wanted.windows);
  messages_ += messages;
  const bool tells = is_short_ || messages == 0 || messages >= least_messages;
  rates_ |= found.rates;
  trips_ = std::move(found.trips);
  for (const ClockPair& pair : found.wrong.contradicting) wrong_.try_emplace(pair, begin_of(complete));
  for (const auto& [clock, time] : found.steps) steps_.try_emplace(clock, time);
  found.moments.resize(wanted.moments.size());
  for (std::size_t i = 0; i < found.moments.size(); ++i) {
    found.moments[i].time = wanted.moments[i];
    found.moments[i].offsets.resize(found.groups.size(), std::nan(""));
  }
  forget_before_first(found);
  forget_impossible(found);
  if (!applied_ && found.applied && tells) {
    applied_ = true;
    if (next_knot_ == 0) lift(found);
  }
  if (!wanted.known.empty()) join(found);
  for (Moment& moment : found.moments) fix(std::move(moment));
  next_knot_ = knot;
  fixed_until_ = begin_of(knot - 1);
  for (const Time last : last_points_)
    if (last != Time::earliest()) fixed_until_ = std::min(fixed_until_, last);
}

double Sliding::count_messages(std::size_t windows) const {
  std::vector<double> counts;
  collector_.for_each_track([&](ClockIndex /*from*/, ClockIndex /*to*/, const std::vector<Sighting>& points) {
    if (!points.empty()) counts.push_back(static_cast<double>(points.size()) / static_cast<double>(windows));
  });
  return counts.empty() ? 0 : median(std::move(counts));
}

void Sliding::forget_before_first(StretchEstimate& found) const {
  const double window = definitions_.resolution.seconds(static_cast<double>(window_));
  for (Moment& moment : found.moments)
    for (ClockIndex clock = 0; clock < moment.offsets.size(); ++clock)
      // As mapped at the first record: far from any message an offset may be anything.
      if (!matcher_.records().span(clock) || found.begins.empty() || moment.time < found.begins[clock] - window)
        moment.offsets[clock] = std::nan("");
}

void Sliding::forget_impossible(StretchEstimate& found) {
  for (const std::uint32_t group : groups_in(found)) {
    const std::vector<ClockIndex> others = known_throughout(found, group);
    std::vector<double> middles;
    for (const Moment& moment : found.moments) {
      std::vector<double> offsets;
      for (const ClockIndex clock : others) offsets.push_back(moment.offsets[clock]);
      middles.push_back(offsets.empty() ? 0 : median(std::move(offsets)));
    }
    for (ClockIndex clock = 0; clock < found.groups.size(); ++clock) {
      bool possible = true;
      for (std::size_t i = 1; i < found.moments.size() && found.groups[clock] == group; ++i) {
        const double changed =
            found.moments[i].offsets[clock] - middles[i] - (found.moments[i - 1].offsets[clock] - middles[i - 1]);
        possible &= !(std::abs(changed) > fastest_slew * (found.moments[i].time - found.moments[i - 1].time));
      }
      if (possible) continue;
      for (Moment& moment : found.moments) moment.offsets[clock] = std::nan("");
    }
  }
}

void Sliding::lift(const StretchEstimate& found) {
  for (ClockIndex clock = 0; clock < found.groups.size(); ++clock)
    if (const auto span = matcher_.records().span(clock); span && !std::isnan(found.moments.front().offsets[clock]))
      lift_ = std::max(lift_, found.moments.front().offsets[clock] -
                                  definitions_.resolution.seconds(static_cast<double>(span->first - *zero_)));
}

void Sliding::join(StretchEstimate& found) const {
  const Moment& before = known_.back();
  for (const std::uint32_t group : groups_in(found)) {
    std::vector<ClockIndex> going_on = known_throughout(found, group);
    std::erase_if(going_on, [&](ClockIndex clock) {
      return clock >= before.offsets.size() || std::isnan(before.offsets[clock]);
    });
    if (going_on.empty()) continue;
    for (Moment& moment : found.moments) {
      double sum = 0;
      for (const ClockIndex clock : going_on) sum += before.offsets[clock] - moment.offsets[clock];
      for (ClockIndex clock = 0; clock < found.groups.size(); ++clock)
        if (found.groups[clock] == group) moment.offsets[clock] += sum / static_cast<double>(going_on.size());
    }
  }
  found.moments.erase(found.moments.begin());
}

void Sliding::carry_on(Moment& moment) const {
  if (known_.empty()) return;
  const Moment& last = known_.back();
  const Moment& first = known_.front();
  for (ClockIndex clock = 0; clock < last.offsets.size(); ++clock) {
    double& offset = moment.offsets[clock];
    if (!std::isnan(offset) || std::isnan(last.offsets[clock])) continue;
    const double rate = clock < first.offsets.size() && !std::isnan(first.offsets[clock]) && last.time > first.time
                            ? (last.offsets[clock] - first.offsets[clock]) / (last.time - first.time)
                            : 0;
    offset = last.offsets[clock] + rate * (moment.time - last.time);
  }
}

void Sliding::fix(Moment moment) {
  if (applied_) carry_on(moment);
  const auto per_second = static_cast<double>(definitions_.resolution.per_second());
  last_points_.resize(moment.offsets.size(), Time::earliest());
  for (ClockIndex clock = 0; clock < moment.offsets.size(); ++clock) {
    // What is not mapped is told as well: a point says what holds before it, too.
    const bool mapped = applied_ && !std::isnan(moment.offsets[clock]);
    const auto span = matcher_.records().span(clock);
    if (!mapped && (!span || span->first > *zero_ + ticks_of(std::round(moment.time * per_second)))) continue;
    const double offset = mapped ? moment.offsets[clock] : 0;
    const Time at = *zero_ + ticks_of(std::round((moment.time + offset) * per_second));
    // A map that would run backwards keeps to the earlier point.
    if (at <= last_points_[clock]) continue;
    // Before its first point a map goes on as behind it: an unmapped clock keeps its times from its first record on.
    if (!mapped && last_points_[clock] == Time::earliest() && span->first < at)
      points_.push_back({clock, {span->first, 0, 0}});
    last_points_[clock] = at;
    points_.push_back({clock, rounded_point(at, 0, mapped ? (lift_ - offset) * per_second : 0)});
  }
  if (!applied_) return;
  known_.push_back(std::move(moment));
  while (static_cast<std::int64_t>(known_.size()) > behind) known_.pop_front();
}

std::vector<Sliding::Fixed> Sliding::take() { return std::exchange(points_, {}); }

}  // namespace clc::sync
