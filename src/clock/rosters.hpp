// Lists of members, each shared by all communicators that have it and by their open instances.
//
// Place    Part of Collectives.
// Memory   What depends on the list alone is kept once, as long as a communicator or an instance has it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "clc/definitions.hpp"
#include "trace/flat_map.hpp"
#include "trace/hash.hpp"
#include "trace/heap.hpp"

namespace clc {

/// Processes that were presumed ended until another of their records was read.
struct Revived {
  std::vector<ProcessIndex> processes;  ///< in this round
  std::uint64_t round = 1;
};

/// A member that is not known to be presumed ended.
struct Living {
  std::uint64_t last_read;  // or earlier
  Rank rank;
  [[nodiscard]] static bool later(const Living& a, const Living& b) noexcept { return a.last_read > b.last_read; }
};

/// A list of members, shared by all communicators that have it and by their instances.
struct Roster {
  Members members;
  FlatMap<ProcessIndex, Rank> ranks;
  std::vector<ClockIndex> clocks;   // by rank
  std::vector<Rank> clock_ends;     // by rank: end of the run of ranks on the same clock; empty: no clock is shared
  std::uint32_t communicators = 0;  // that have it; 0: only instances keep it
  std::uint64_t counted = 0;        // bytes, when they were last counted
  // Made when it is first asked who is still alive.
  std::vector<Living> living;       // a heap, the least recently read first; some may be presumed ended by now
  std::vector<bool> lives;          // by rank: in it
  std::uint64_t revived_round = 0;  // of what is known of revived processes
  std::size_t revived_seen = 0;

  [[nodiscard]] bool shared() const noexcept { return !clock_ends.empty(); }
  /// Bytes; the list itself counts with the definitions as long as a communicator has it.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    constexpr std::uint64_t aligned = 128;  // what the two arrays of ranks take more: each begins with a cache line
    constexpr std::uint64_t shared_pointer = 6 * sizeof(void*);
    return on_heap(sizeof *this) + on_heap(shared_pointer) + aligned + ranks.memory() + on_heap(clocks) +
           on_heap(clock_ends) + on_heap(living) + on_heap(lives.capacity() / 8) +
           (communicators > 0 ? 0 : on_heap(members.size() * sizeof(ProcessIndex)));
  }

  /// Brings `living` up to date. ended(process): it is presumed ended; last_read(process): position of its newest
  /// record.
  template <class Ended, class LastRead>
  void follow(const Revived& revived, Ended ended, LastRead last_read) {
    const std::size_t size = members.size();
    const bool known =
        lives.size() == size && revived_round == revived.round && revived.processes.size() - revived_seen <= size;
    if (!known) {
      living.clear();
      lives.assign(size, false);
      for (Rank rank = 0; rank < size; ++rank) {
        if (ended(members[rank])) continue;
        living.push_back({last_read(members[rank]), rank});
        lives[rank] = true;
      }
      std::make_heap(living.begin(), living.end(), Living::later);
    } else {
      for (std::size_t i = revived_seen; i < revived.processes.size(); ++i) {
        const Rank* const rank = ranks.find(revived.processes[i]);
        if (rank == nullptr || lives[*rank] || ended(revived.processes[i])) continue;
        living.push_back({last_read(revived.processes[i]), *rank});
        std::push_heap(living.begin(), living.end(), Living::later);
        lives[*rank] = true;
      }
    }
    revived_round = revived.round;
    revived_seen = revived.processes.size();
  }
  /// Removes members presumed ended if they are many.
  template <class Ended>
  void forget_ended(Ended ended) {
    const auto is_ended = [&](const Living& member) { return ended(members[member.rank]); };
    const auto count = std::count_if(living.begin(), living.end(), is_ended);
    if (static_cast<std::size_t>(count) * 2 <= living.size()) return;
    std::erase_if(living, [&](const Living& member) {
      if (!is_ended(member)) return false;
      lives[member.rank] = false;
      return true;
    });
    std::make_heap(living.begin(), living.end(), Living::later);
  }
};

class Rosters {
 public:
  explicit Rosters(const Definitions& definitions) : definitions_(definitions) {}
  Rosters(const Rosters&) = delete;
  Rosters& operator=(const Rosters&) = delete;

  /// That of the members, which may be in use by other communicators. Must not outlive this object.
  [[nodiscard]] std::shared_ptr<Roster> of(const Members& members);
  /// So many communicators have it now.
  void count(Roster& roster, std::uint32_t communicators) noexcept;
  /// Bytes of those that communicators have, and of those that only instances keep.
  [[nodiscard]] std::uint64_t memory() const noexcept { return memory_ + on_heap(known_); }
  [[nodiscard]] std::uint64_t replaced_memory() const noexcept { return replaced_memory_; }

 private:
  [[nodiscard]] bool shares_clocks(const Roster& roster);

  const Definitions& definitions_;
  /// By the address of the list, which the roster keeps in place.
  HashMap<std::uintptr_t, std::weak_ptr<Roster>> known_;
  std::uint64_t memory_ = 0;
  std::uint64_t replaced_memory_ = 0;
  std::vector<std::uint64_t> clock_rounds_;  // by clock: the round in which it was last met
  std::uint64_t clock_round_ = 0;
};

}  // namespace clc
