// Which of the tails of a collective operation binds a head most, and which of its heads limits a tail most.
//
// Place    Part of Collectives.
// Cost     O(1) to add an entry and O(nodes) memory; a search takes O(1), or looks at all entries for a process that
//          has minimum delays of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clock/bound.hpp"
#include "trace/delay.hpp"
#include "trace/flat_map.hpp"
#include "trace/heap.hpp"

namespace clc {

/// One end of edges: a begin (tail) or an end (head).
struct Entry {
  Moment moment;
  ProcessIndex process = no_process;
  ClockIndex clock = no_process;
  NodeIndex node = no_node;
  Rank rank = no_rank;
};

struct Found {
  Rank rank = no_rank;
  Ticks delay = 0;
};

/// Of a growing set of entries, the one that binds a given process most: for tails the latest moment + mu, for
/// heads the earliest moment - mu, never one of its own clock. Keeps the best two clocks of all and of each node; only
/// for a process with delays of its own in some pair does it look at all entries.
template <bool tails>
class Extremes {
 public:
  explicit Extremes(const DelayModel& delays) : delays_(delays) {}

  void insert(const Entry& entry) {
    if (delays_.has_pairs()) all_.push_back(entry);
    if (entry.node == no_node) {
      insert(across_, entry, false);
      return;
    }
    insert(across_, entry, true);
    insert(*of_node_.insert(entry.node).first, entry, false);
  }

  [[nodiscard]] Found find(const DelayModel::Place& place, ClockIndex clock) const {
    const auto [process, node] = place;
    if (delays_.has_pairs() && (tails ? delays_.is_pair_to(process) : delays_.is_pair_from(process)))
      return look_at_all(place, clock);
    Found found;
    Moment best;
    for (const Entry& entry : across_) {
      if (entry.clock == clock || (node != no_node && entry.node == node)) continue;
      consider(entry, delays_.default_delay(), found, best);
      break;
    }
    if (const Best* here = of_node_.find(node)) {
      for (const Entry& entry : *here) {
        if (entry.clock == clock) continue;
        consider(entry, delays_.node_delay(), found, best);
        break;
      }
    }
    return found;
  }

  /// Number of nodes of the entries.
  [[nodiscard]] std::size_t nodes() const noexcept { return of_node_.size(); }
  /// Bytes, without this object.
  [[nodiscard]] std::uint64_t memory() const noexcept { return of_node_.memory() + on_heap(all_); }

 private:
  struct Best {
    std::array<Entry, 3> entries;  // the best two, best first; a third place to insert
    std::size_t size = 0;
    [[nodiscard]] const Entry* begin() const noexcept { return entries.data(); }
    [[nodiscard]] const Entry* end() const noexcept { return entries.data() + size; }
  };

  [[nodiscard]] static bool better(const Moment& a, const Moment& b) noexcept { return tails ? a > b : a < b; }

  /// Of each clock only the best entry counts; by_node: of each node.
  static void insert(Best& best, const Entry& entry, bool by_node) {
    auto& entries = best.entries;
    const auto same = std::find_if(entries.begin(), entries.begin() + best.size, [&](const Entry& other) {
      return by_node ? other.node == entry.node : other.clock == entry.clock;
    });
    if (same != entries.begin() + best.size) {
      if (!better(entry.moment, same->moment)) return;
      std::move(same + 1, entries.begin() + best.size, same);
      --best.size;
    }
    std::size_t place = 0;
    while (place < best.size && !better(entry.moment, entries[place].moment)) ++place;
    std::move_backward(entries.begin() + place, entries.begin() + best.size, entries.begin() + best.size + 1);
    entries[place] = entry;
    best.size = std::min<std::size_t>(best.size + 1, 2);
  }

  void consider(const Entry& entry, Ticks delay, Found& found, Moment& best) const {
    const Moment bound{
        tails ? add_saturating(entry.moment.ticks, delay) : subtract_saturating(entry.moment.ticks, delay),
        entry.moment.fraction};
    if (found.rank != no_rank && !better(bound, best)) return;
    found = {entry.rank, delay};
    best = bound;
  }

  [[nodiscard]] Found look_at_all(const DelayModel::Place& place, ClockIndex clock) const {
    Found found;
    Moment best;
    for (const Entry& entry : all_) {
      if (entry.clock == clock) continue;
      const DelayModel::Place other{entry.process, entry.node};
      consider(entry, tails ? delays_.between(other, place) : delays_.between(place, other), found, best);
    }
    return found;
  }

  const DelayModel& delays_;
  Best across_;
  FlatMap<NodeIndex, Best> of_node_;
  std::vector<Entry> all_;
};

}  // namespace clc
