#include "estimation/mapped.hpp"

#include <cmath>
#include <tuple>

namespace clc::tool {

namespace {

/// The mapped time of a point, relative to that of another one.
double mapped_since(const OffsetPoint& from, const OffsetPoint& point) {
  return static_cast<double>(subtract_saturating(point.time.ticks(), from.time.ticks())) +
         static_cast<double>(subtract_saturating(point.offset, from.offset));
}

}  // namespace

Ticks Unmapping::offset_at(ProcessIndex process, Time mapped) {
  for (std::size_t next = processes_.size(); next <= process; ++next)
    processes_.push_back({line_of_clock(maps_, definitions_, static_cast<ProcessIndex>(next)), 1});
  auto& [line, after] = processes_[process];
  if (line == nullptr) return 0;
  const std::vector<OffsetPoint>& points = line->points();
  if (points.size() == 1) return points.front().offset;
  const auto mapped_of = [](const OffsetPoint& point) { return point.time + point.offset; };
  after = line->point_behind(after, [&](const OffsetPoint& point) { return mapped_of(point) <= mapped; });
  const OffsetPoint& from = points[after - 1];
  const OffsetPoint& to = points[after];
  const double length = mapped_since(from, to);
  if (!(length > 0)) return from.offset;
  const auto since = static_cast<double>(subtract_saturating(mapped.ticks(), mapped_of(from).ticks()));
  const double rise = static_cast<double>(subtract_saturating(to.offset, from.offset));
  constexpr double most = 4e18;
  return add_saturating(from.offset,
                        static_cast<Ticks>(std::clamp(std::floor(rise * since / length + 0.5), -most, most)));
}

std::vector<MappedClock> mapped_clocks(const Offsets& maps, Resolution resolution) {
  std::vector<MappedClock> clocks;
  for (const auto& [process, line] : maps) {
    if (line.points().empty()) continue;
    const OffsetPoint& first = line.points().front();
    const OffsetPoint& last = line.points().back();
    const double change =
        static_cast<double>(subtract_saturating(last.offset, first.offset)) + (last.fraction - first.fraction);
    clocks.push_back({process, resolution.microseconds(change),
                      resolution.microseconds(static_cast<double>(last.time - first.time))});
  }
  return clocks;
}

std::vector<MappedClock> mapped_clocks(std::span<const EstimatedClock> clocks) {
  std::vector<MappedClock> mapped;
  for (const EstimatedClock& clock : clocks)
    if (const double change = clock.first_us - clock.last_us; std::isfinite(change) && clock.rate_ppm != 0)
      mapped.push_back({clock.process, change, std::abs(change / clock.rate_ppm) * 1e6});
  return mapped;
}

namespace {

/// The latest begin of all, and of those of another clock.
class LatestBegins {
 public:
  void add(ClockIndex clock, Time begin) noexcept {
    if (clock == clock_) {
      latest_ = std::max(latest_, begin);
    } else if (clock_ == no_process || begin > latest_) {
      of_another_ = std::exchange(latest_, begin);
      clock_ = clock;
    } else {
      of_another_ = std::max(of_another_, begin);
    }
  }
  /// earliest(): no other clock has any.
  [[nodiscard]] Time of_others(ClockIndex clock) const noexcept { return clock == clock_ ? of_another_ : latest_; }

 private:
  ClockIndex clock_ = no_process;
  Time latest_ = Time::earliest();
  Time of_another_ = Time::earliest();
};

void add_early(MapFigures::Early& sum, SmallestDelay delay, Resolution resolution, double slack_us) {
  const double mapped = -resolution.microseconds(static_cast<double>(delay.mapped));
  if (mapped > slack_us) sum.mapped_us += mapped;
  sum.largest_us = std::max(sum.largest_us, mapped);
  sum.recorded_us += std::max(0.0, -resolution.microseconds(static_cast<double>(delay.recorded)));
}

/// Whether the messages that a clock sends, or those that it receives, are all early by at least that much, and how
/// early those of the others are.
struct PairsOfClock {
  std::size_t sent = 0;
  std::size_t received = 0;
  std::size_t of_others = 0;
  bool all_sent = true;
  bool all_received = true;
  Ticks earliest_of_others = 0;  ///< delay

  PairsOfClock(ClockIndex clock, std::span<const MappedPair> pairs, const Definitions& definitions, Ticks at_most) {
    for (const MappedPair& pair : pairs) {
      if (definitions.processes()[pair.sender].clock == clock) {
        ++sent;
        all_sent &= pair.delay.mapped <= at_most;
      } else if (definitions.processes()[pair.receiver].clock == clock) {
        ++received;
        all_received &= pair.delay.mapped <= at_most;
      } else {
        ++of_others;
        earliest_of_others = std::min(earliest_of_others, pair.delay.mapped);
      }
    }
  }
  [[nodiscard]] bool is_alone() const noexcept {
    constexpr std::size_t enough = 4;
    return of_others >= enough && ((all_sent && sent > 0) || (all_received && received > 0));
  }
};

}  // namespace

void RecordedDelays::note_ends(bool prefix, Ticks SmallestDelay::*smallest) {
  LatestBegins latest;
  if (!prefix)
    for (const Member& member : members_)
      if (member.tail) latest.add(member.clock, member.begin);
  for (const Member& member : members_) {
    if (const Time begin = latest.of_others(member.clock); member.head && begin != Time::earliest()) {
      Ticks& own = of_operations_[member.process].*smallest;
      own = std::min(own, member.end - begin);
    }
    if (prefix && member.tail) latest.add(member.clock, member.begin);
  }
}

void RecordedDelays::operation(CollectiveClass kind, Rank /*root*/, std::span<const CollectiveMember> members) {
  members_.clear();
  ProcessIndex last = 0;
  for (const CollectiveMember& member : members) {
    if (member.process == no_process) continue;
    last = std::max(last, member.process);
    if (backwards_)
      members_.push_back(
          {member.process, member.clock, member.head, member.tail, negated(member.end), negated(member.begin)});
    else
      members_.push_back({member.process, member.clock, member.tail, member.head, member.begin, member.end});
  }
  if (last >= of_operations_.size()) of_operations_.resize(last + std::size_t{1});
  const bool prefix = kind == CollectiveClass::prefix;
  if (prefix && backwards_) std::ranges::reverse(members_);
  note_ends(prefix, &SmallestDelay::mapped);
  for (Member& member : members_) {
    member.begin = unmapping_.recorded(member.process, member.begin);
    member.end = unmapping_.recorded(member.process, member.end);
  }
  note_ends(prefix, &SmallestDelay::recorded);
}

double slack_of_offsets(const RoundTripStatistics& trips, Resolution resolution, double min_delay_us) {
  return min_delay_us + 2 * resolution.microseconds(static_cast<double>(trips.granularity()));
}

void add_messages(MapFigures& figures, std::span<const MappedPair> pairs, const Definitions& definitions) {
  const MappedPair* worst = nullptr;
  for (const MappedPair& pair : pairs) {
    add_early(figures.messages, pair.delay, definitions.resolution, figures.slack_us);
    if (worst == nullptr || pair.delay.mapped < worst->delay.mapped) worst = &pair;
  }
  if (worst == nullptr || worst->delay.mapped >= 0) return;
  for (const ProcessIndex process : {worst->sender, worst->receiver}) {
    const auto& own = definitions.processes()[process];
    const PairsOfClock of(own.clock, pairs, definitions, worst->delay.mapped / 2);
    const double others_us = -definitions.resolution.microseconds(static_cast<double>(of.earliest_of_others));
    if (!of.is_alone() || (figures.alone && others_us >= figures.others_us)) continue;
    figures.alone = own.number;
    figures.others_us = others_us;
  }
}

void add_early(MapFigures& figures, const Analysis& analysis, const RecordedDelays& recorded,
               const Definitions& definitions, double min_delay_us) {
  std::vector<MappedPair> pairs;
  const std::span<const Ticks> smallest = recorded.smallest();
  const std::size_t known = std::min(smallest.size(), analysis.pairs().size());
  for (std::size_t pair = 0; pair < known; ++pair)
    if (const PairStatistics& of = analysis.pairs()[pair]; of.messages != 0)
      pairs.push_back({of.sender, of.receiver, {of.smallest_delay, smallest[pair]}});
  figures.slack_us = slack_of_offsets(analysis.short_trips(), definitions.resolution, min_delay_us);
  add_messages(figures, pairs, definitions);
  for (const SmallestDelay& end : recorded.of_operations())
    if (end.mapped != ticks_max) add_early(figures.operations, end, definitions.resolution, figures.slack_us);
}

void add_binding(MapFigures& figures, const sync::Estimate& estimate, double min_delay_us) {
  const auto& [mapped, recorded] = std::tie(estimate.mapped, estimate.recorded);
  if (!does_harm(mapped, recorded) || mapped.worst_us <= 2 * min_delay_us) return;
  const auto edges = static_cast<double>(mapped.edges);
  figures.below_mapped = static_cast<double>(mapped.violated) / edges;
  figures.below_recorded = static_cast<double>(recorded.violated) / edges;
  figures.below_worst_us = mapped.worst_us;
}

}  // namespace clc::tool
