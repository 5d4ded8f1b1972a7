// Short round trips, and what else the verdict takes from matched events: between neighbouring messages of two
// processes in opposite directions, and between members of a collective operation that orders all of them.
//
// Memory   In proportion to the pairs of processes that exchange messages, at most pair_limit of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "matching/edges.hpp"
#include "matching/violations.hpp"
#include "report/judge.hpp"
#include "trace/delay.hpp"
#include "trace/hash.hpp"
#include "trace/round_trips.hpp"

namespace clc::matching {

class Trips {
 public:
  static constexpr std::size_t pair_limit = std::size_t{1} << 20;

  /// In recorded times. Messages with a delay of their own tell nothing of the way between two processes.
  void message(const Message& message, Ticks mu) {
    if (message.own_delay > 0) return;
    const Time sent = message.sent.time[recorded];
    const Time received = message.received.time[recorded];
    const Ticks delay = received - sent;
    if (const auto back = newest_.find(key(message.receiver, message.sender)); back != newest_.end()) {
      const Last& last = back->second;
      RoundTripRecorder::add(statistics_, add_saturating(delay, last.delay), received - last.sent,
                             add_saturating(mu, last.mu));
    }
    const std::uint64_t own = key(message.sender, message.receiver);
    if (newest_.size() >= pair_limit && !newest_.contains(own)) return;
    Last& last = newest_[own];
    last.smallest = std::min(last.smallest, delay);
    last.sent = sent;
    last.delay = delay;
    last.mu = mu;
  }
  void collective(const Collective& operation, const DelayModel& delays) {
    if (!operation.agreed || operation.own_delay > 0 || info(operation.operation).kind != CollectiveClass::n_to_n)
      return;
    const bool barrier = operation.operation == Operation::barrier;
    Ticks shortest = ticks_max;
    Ticks second = ticks_max;
    for (const Member& member : operation.members) {
      if (!member.has_begin || (!barrier && (member.sent == 0 || member.received == 0))) continue;
      const Ticks duration = member.end.time[recorded] - member.begin.time[recorded];
      second = std::min(second, std::max(shortest, duration));
      shortest = std::min(shortest, duration);
    }
    if (second == ticks_max) return;
    RoundTripRecorder::add(statistics_, add_saturating(shortest, second), 0,
                           2 * std::min(delays.default_delay(), delays.node_delay()));
  }

  /// Where times are mapped: ClockMap::granularity.
  void recorded_granularity(std::uint64_t ticks) noexcept { RoundTripRecorder::recorded(statistics_, ticks); }
  [[nodiscard]] const RoundTripStatistics& statistics() const noexcept { return statistics_; }
  /// What recorded delays show.
  [[nodiscard]] ClockDifference clock_difference() const {
    ClockDifference difference;
    for (const auto& [pair, last] : newest_) {
      difference.smallest_delay(last.smallest);
      if (const auto back = newest_.find(pair << 32U | pair >> 32U); back != newest_.end())
        difference.both_ways(last.smallest, back->second.smallest);
    }
    return difference;
  }
  /// RunAhead::most. shifts: of the last event of each process; none: it has no event. some_are_unknown: other edges
  /// than messages connect processes, too.
  [[nodiscard]] Ticks run_ahead(const Definitions& definitions, const std::vector<std::optional<Ticks>>& shifts,
                                bool some_are_unknown) const {
    RunAhead groups(definitions, some_are_unknown || newest_.size() >= pair_limit);
    for (const auto& [pair, last] : newest_)
      groups.connect(static_cast<ProcessIndex>(pair >> 32U), static_cast<ProcessIndex>(pair));
    for (std::size_t process = 0; process < shifts.size(); ++process)
      if (shifts[process]) groups.moved(static_cast<ProcessIndex>(process), *shifts[process]);
    return groups.most();
  }

 private:
  struct Last {
    Time sent;
    Ticks delay = 0;
    Ticks mu = 0;
    Ticks smallest = ticks_max;
  };
  [[nodiscard]] static std::uint64_t key(ProcessIndex from, ProcessIndex to) noexcept {
    return std::uint64_t{from} << 32U | to;
  }

  HashMap<std::uint64_t, Last> newest_;
  RoundTripStatistics statistics_;
};

/// The edges of a trace, as recorded: of messages, of collective operations, and of those that others did not finish.
struct RecordedEdges {
  const EdgeFigures& messages;
  const EdgeFigures& collectives;
  const EdgeFigures& incomplete;
};
/// What a trace shows as it was recorded, whether it was corrected or not.
[[nodiscard]] inline VerdictFigures matching_figures(const Leftovers& leftovers, const RecordedEdges& edges,
                                                     std::uint64_t operations, const DelayModel& delays,
                                                     const Trips& trips, Resolution resolution) {
  const auto us = [&](auto ticks) { return resolution.microseconds(static_cast<double>(ticks)); };
  const std::uint64_t messages = edges.messages.edges;
  VerdictFigures figures;
  figures.missing.released = leftovers.receives;
  figures.missing.receives = messages + leftovers.receives;
  figures.missing.lost = leftovers.sends;
  figures.missing.sends = messages + leftovers.sends;
  figures.missing.incomplete = leftovers.incomplete;
  figures.missing.operations = operations + leftovers.incomplete;
  figures.missing.disagreeing = leftovers.disagreements;
  figures.edges = messages + edges.collectives.edges + edges.incomplete.edges;
  figures.unjudged_edges = edges.incomplete.edges;
  figures.in_effect.min_delay_us = us(delays.default_delay());
  figures.worst_violation_us = us(worst_violation(edges.messages, edges.collectives));
  figures.in_effect.one_min_delay = delays.uniform() && !delays.by_length();
  figures.in_effect.by_length = delays.by_length();
  figures.trips = trips.statistics();
  figures.tick_us = us(1);
  return figures;
}

}  // namespace clc::matching
