// Which teams of threads were forked how large, in order.
//
// Place    An archive names the largest team that a thread ever forked, not how many of its members took part in
//          which parallel region. The forks tell: they are read ahead from the locations that fork.
// Assumes  A team of n threads consists of the first n members of its communicator, the forking thread first.
// Cost     Forks of one size in a row are one entry.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/hash.hpp"

namespace clc::otf2 {

class Teams {
 public:
  struct Forks {
    std::uint32_t size;
    std::uint64_t times;
  };
  struct Team {
    Members members;
    std::vector<Forks> forks;
  };

  void define(OTF2_CommRef ref, Members members) { teams_[ref].members = std::move(members); }
  [[nodiscard]] bool empty() const noexcept { return teams_.empty(); }
  [[nodiscard]] const Team* find(OTF2_CommRef ref) const noexcept {
    const auto found = teams_.find(ref);
    return found == teams_.end() ? nullptr : &found->second;
  }
  /// Locations that fork, each once.
  [[nodiscard]] std::vector<ProcessIndex> masters() const;
  void add_fork(OTF2_CommRef ref, std::uint32_t requested);

  /// One member of one team: the sizes of the parallel regions that it takes part in.
  class Member {
   public:
    Member() = default;
    Member(const Team& team, Rank rank) : team_(&team), rank_(rank) {}
    [[nodiscard]] Rank rank() const noexcept { return rank_; }
    /// Size of the next one; 0: none is known.
    std::uint32_t next() noexcept {
      if (team_ == nullptr) return 0;
      for (; at_ < team_->forks.size(); ++at_, used_ = 0) {
        const Forks& forks = team_->forks[at_];
        if (forks.size <= rank_ || used_ == forks.times) continue;
        ++used_;
        return forks.size;
      }
      return 0;
    }

   private:
    const Team* team_ = nullptr;
    Rank rank_ = 0;
    std::size_t at_ = 0;
    std::uint64_t used_ = 0;
  };

 private:
  HashMap<OTF2_CommRef, Team> teams_;
};

}  // namespace clc::otf2
