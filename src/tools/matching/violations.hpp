// The clock condition C(r) >= C(s) + mu, judged edge by edge for messages, and counted for all ordered
// pairs of a collective operation at once.
//
// Cost     O(1) per message, O(m log m) per collective operation of m members, plus O(m) for each member
//          from which a pair has a minimum delay of its own; never senders times receivers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"
#include "matching/edges.hpp"
#include "trace/delay.hpp"
#include "trace/hash.hpp"

namespace clc::matching {

/// One ordered pair of events.
struct Edge {
  ProcessIndex from = no_process;
  ProcessIndex to = no_process;
  Stamp sent;
  Stamp received;
  Ticks mu = 1;

  [[nodiscard]] Ticks delay(Column column) const noexcept { return received.time[column] - sent.time[column]; }
};

/// Edges of one kind in one column.
struct EdgeFigures {
  std::uint64_t edges = 0;
  std::uint64_t backward = 0;        ///< received before it was sent
  std::uint64_t violated = 0;        ///< C(r) < C(s) + mu; includes backward messages
  Ticks smallest_delay = ticks_max;  ///< C(r) - C(s)
  Ticks worst_margin = ticks_max;    ///< smallest C(r) - C(s) - mu
  Edge worst;                        ///< that edge

  /// Judges and counts an edge. True if it is violated.
  bool add(const Edge& edge, Column column) noexcept {
    const Ticks delay = edge.delay(column);
    const bool broken = delay < edge.mu;
    ++edges;
    backward += delay < 0;
    violated += broken;
    note(edge, delay);
    return broken;
  }
  /// Updates the worst edge by one that is counted elsewhere.
  void note(const Edge& edge, Ticks delay) noexcept {
    if (delay < smallest_delay) smallest_delay = delay;
    const Ticks margin = subtract_saturating(delay, edge.mu);
    if (margin >= worst_margin) return;
    worst_margin = margin;
    worst = edge;
  }
  void add(const EdgeFigures& other) noexcept {
    edges += other.edges;
    backward += other.backward;
    violated += other.violated;
    if (other.smallest_delay < smallest_delay) smallest_delay = other.smallest_delay;
    if (other.worst_margin < worst_margin) {
      worst_margin = other.worst_margin;
      worst = other.worst;
    }
  }
};

/// By how many ticks the worst edge of both kinds is too early.
[[nodiscard]] inline double worst_violation(const EdgeFigures& messages, const EdgeFigures& operations) noexcept {
  return std::max(0.0, -static_cast<double>(std::min(messages.worst_margin, operations.worst_margin)));
}

/// The minimum delay of a message.
[[nodiscard]] inline Ticks min_delay_of(const Message& message, const DelayModel& delays) {
  if (message.within_clock) return ticks_min;
  if (message.own_delay > 0) return message.own_delay;
  return delays.message(DelayModel::Place{message.sender, message.sender_node},
                        DelayModel::Place{message.receiver, message.receiver_node}, message.bytes);
}

/// Counts the ordered pairs of collective operations [L 3.4].
class CollectiveJudge {
 public:
  CollectiveJudge(const Parameters& parameters, const Definitions& definitions, const DelayModel& delays);

  /// The figures of one operation. Members that are missing take part in no pair.
  [[nodiscard]] EdgeFigures judge(const Collective& operation, Column column);

 private:
  struct End {
    Time time;
    std::uint32_t group;  ///< pairs inside a group are left out: a clock, or a node
    bool both;            ///< head: the member's begin is a tail, too
    const Member* member;
  };
  struct Counts {
    std::uint64_t edges = 0;
    std::uint64_t backward = 0;
    std::uint64_t violated = 0;

    void add_to(EdgeFigures& figures) const noexcept {
      figures.edges += edges;
      figures.backward += backward;
      figures.violated += violated;
    }
    void operator-=(const Counts& other) noexcept {
      edges -= other.edges;
      backward -= other.backward;
      violated -= other.violated;
    }
  };
  /// Begins that others wait for are tails, ends that wait for them are heads.
  void gather_ends(const Collective& operation);
  /// Adds the pairs of the tails from which a pair has its own delay, one by one, and takes these tails away.
  void add_special_pairs(EdgeFigures& figures);
  void add_pairs_by_node(EdgeFigures& figures);
  /// Adds the pairs of tails and heads, all with the delay mu, to figures. Sorts both.
  void add_pairs(std::span<End> tails, std::span<End> heads, Ticks mu, EdgeFigures& figures);
  [[nodiscard]] Counts count(std::span<End> tails, std::span<End> heads, Ticks mu);
  /// The same without regard to clocks: without the pairs of a member with itself.
  [[nodiscard]] Counts count_all(std::span<End> tails, std::span<End> heads, Ticks mu);
  [[nodiscard]] Counts count_prefix(std::span<End> tails, std::span<End> heads, Ticks mu);
  void note_worst(std::span<const End> tails, std::span<const End> heads, Ticks mu, EdgeFigures& figures) const;

  const Definitions* definitions_;
  const DelayModel* delays_;
  HashSet<std::uint64_t> special_;  ///< numbers of processes from which a pair has its own delay
  // Of the operation at hand.
  Column column_ = recorded;
  bool prefix_ = false;
  std::vector<End> tails_;
  std::vector<End> heads_;
  std::vector<std::uint64_t> tree_;
  std::vector<std::uint32_t> entry_;
};

}  // namespace clc::matching
