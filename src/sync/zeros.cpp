#include "sync/zeros.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "sync/records.hpp"
#include "trace/connected.hpp"

namespace clc::sync {

namespace {

// A double is exact to 15 ps at the longest.
constexpr double shortest_near_s = 0.01;
constexpr double longest_near_s = 1e5;

/// visit(from, to, delay as recorded) of all that was kept: in an operation one member stands for the others.
template <class Visit>
void for_each_delay(const Collector& collector, const std::vector<Sample>& samples, Visit visit) {
  collector.for_each_track([&](ClockIndex from, ClockIndex to, const std::vector<Sighting>& points) {
    for (const Sighting& point : points) visit(from, to, point.delay());
  });
  for (const Gathering& gathering : collector.gatherings()) {
    const Gathering::Member* tail = nullptr;
    const Gathering::Member* head = nullptr;
    for (const Gathering::Member& member : gathering.members) {
      if (tail == nullptr && member.tail) tail = &member;
      if (head == nullptr && member.head) head = &member;
    }
    if (tail == nullptr || head == nullptr) continue;
    for (const Gathering::Member& member : gathering.members) {
      if (member.head && member.clock != tail->clock) visit(tail->clock, member.clock, member.end - tail->begin);
      if (member.tail && member.clock != head->clock) visit(member.clock, head->clock, head->end - member.begin);
    }
  }
  for (const Sample& sample : samples) {
    if (!sample.usable() || sample.clock == sample.reference) continue;
    visit(sample.reference, sample.clock, sample.t2 - sample.t1);
    visit(sample.clock, sample.reference, sample.t4 - sample.t3);
  }
}

/// What messages between two clocks say of how far the one with the higher index is ahead.
struct Ahead {
  std::optional<Ticks> most;   ///< the shortest delay to it
  std::optional<Ticks> least;  ///< from it, negative

  void add(bool up, Ticks delay) noexcept {
    if (up)
      most = std::min(most.value_or(delay), delay);
    else
      least = std::max(least.value_or(-delay), -delay);
  }
  /// As little as possible; as recorded, where messages go one way only.
  [[nodiscard]] Ticks ticks() const noexcept {
    const Ticks a = most ? *most : *least;
    const Ticks b = least ? *least : *most;
    return std::clamp<Ticks>(0, std::min(a, b), std::max(a, b));
  }
};

/// How far clocks are ahead of the first one that messages connect them with; 0 if they are near it.
std::vector<Ticks> ahead_of_first(const Collector& collector, const std::vector<Sample>& samples, std::size_t clocks,
                                  Ticks near) {
  std::map<std::pair<ClockIndex, ClockIndex>, Ahead> pairs;
  for_each_delay(collector, samples, [&](ClockIndex from, ClockIndex to, Ticks delay) {
    pairs[std::minmax(from, to)].add(from < to, delay);
  });
  std::vector<std::vector<std::pair<ClockIndex, Ticks>>> partners(clocks);
  for (const auto& [ends, of] : pairs) {
    const Ticks ahead = of.ticks();
    const Ticks apart = ahead < near && ahead > -near ? 0 : ahead;
    partners[ends.first].emplace_back(ends.second, apart);
    partners[ends.second].emplace_back(ends.first, -apart);
  }
  std::vector<std::optional<Ticks>> found(clocks);
  std::vector<ClockIndex> reached;
  for (ClockIndex first = 0; first < clocks; ++first) {
    if (found[first]) continue;
    found[first] = 0;
    reached.assign(1, first);
    for (std::size_t next = 0; next < reached.size(); ++next)
      for (const auto& [partner, apart] : partners[reached[next]]) {
        if (found[partner]) continue;
        found[partner] = add_saturating(*found[reached[next]], apart);
        reached.push_back(partner);
      }
  }
  std::vector<Ticks> result;
  for (const std::optional<Ticks>& of : found) result.push_back(*of);
  return result;
}

}  // namespace

Ticks near_ticks(const Records& records, std::size_t clocks, Resolution resolution) {
  Ticks longest = 0;
  for (ClockIndex clock = 0; clock < clocks; ++clock)
    if (const auto span = records.span(clock)) longest = std::max(longest, span->last - span->first);
  return std::clamp(longest / 2, resolution.ticks_of_seconds(shortest_near_s),
                    resolution.ticks_of_seconds(longest_near_s));
}

std::vector<Time> zeros_of(const Collector& collector, const Records& records, std::size_t clocks,
                           Resolution resolution, const std::vector<Sample>& samples) {
  const Ticks near = near_ticks(records, clocks, resolution);
  Connected connected(clocks);
  bool any_far = false;
  for_each_delay(collector, samples, [&](ClockIndex from, ClockIndex to, Ticks delay) {
    connected.join(from, to);
    any_far = any_far || delay >= near || delay <= -near;
  });
  std::vector<Ticks> ahead(clocks, 0);
  if (any_far) ahead = ahead_of_first(collector, samples, clocks, near);
  // By the first clock of each group, on the time of that clock.
  std::map<ClockIndex, ClockSpan> groups;
  for (ClockIndex clock = 0; clock < clocks; ++clock) {
    const auto span = records.span(clock);
    if (!span) continue;
    const ClockSpan moved{span->first - ahead[clock], span->last - ahead[clock]};
    ClockSpan& group = groups.try_emplace(connected.first_of(clock), moved).first->second;
    group = {std::min(group.first, moved.first), std::max(group.last, moved.last)};
  }
  Time begin = Time::latest();
  Time end = Time::earliest();
  Ticks longest = near;
  for (const auto& [first, span] : groups) {
    begin = std::min(begin, span.first);
    end = std::max(end, span.last);
    longest = std::max(longest, span.last - span.first);
  }
  const bool apart = !groups.empty() && (end - begin) / 2 > longest;
  std::vector<Time> zeros;
  for (ClockIndex clock = 0; clock < clocks; ++clock) {
    const auto group = groups.find(connected.first_of(clock));
    zeros.push_back((apart && group != groups.end() ? group->second.first : begin) + ahead[clock]);
  }
  return zeros;
}

}  // namespace clc::sync
