// Teams of threads, and the parallel regions that they went through.
//
// Place    An archive names the largest team that a thread ever forked. How many of its members took part in which
//          parallel region, and whether all of them recorded the same barriers there, is told by their events, which
//          are read ahead.
// Assumes  A parallel region of n threads has the first n members of the team, the forking thread first.
// Uneven   Who belongs to which region is told by counting. Where a member has other regions than the forks tell, the
//          whole team orders nothing; where it only has other barriers in one region, the barriers of that region.
// Cost     8 bytes a fork.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "trace/hash.hpp"

namespace clc::otf2 {

class Teams {
 public:
  struct Region {
    static constexpr std::uint32_t unknown = 0xffff'fffe;  ///< no member was read to the end of the region
    static constexpr std::uint32_t uneven = 0xffff'ffff;   ///< members have different numbers of them
    std::uint32_t size;                                    ///< threads
    std::uint32_t barriers = unknown;                      ///< of each thread

    void note_barriers(std::uint32_t found) noexcept {
      barriers = barriers == unknown || barriers == found ? found : uneven;
    }
  };
  struct Team {
    Members members;
    OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
    std::vector<Region> regions;  ///< in the order of their forks
    std::uint64_t entered = 0;    ///< times that a member entered one of them
    bool even = true;             ///< members have the regions that the forks tell
  };

  void define(OTF2_CommRef ref, Members members, OTF2_Paradigm paradigm) {
    Team& team = teams_[ref];
    team.members = std::move(members);
    team.paradigm = paradigm;
  }
  [[nodiscard]] bool empty() const noexcept { return teams_.empty(); }
  [[nodiscard]] Team* find(OTF2_CommRef ref) noexcept {
    const auto found = teams_.find(ref);
    return found == teams_.end() ? nullptr : &found->second;
  }
  /// Locations that fork, and all locations of teams; each once. of: by location, only teams with one of these; empty:
  /// all teams.
  [[nodiscard]] std::vector<ProcessIndex> masters(const std::vector<bool>& of) const;
  [[nodiscard]] std::vector<ProcessIndex> members(const std::vector<bool>& of) const;
  /// All members were read to their end: who was too seldom in a region is missed.
  void compare() noexcept;

  /// One location in one team: the regions that it takes part in.
  class Member {
   public:
    Member() = default;
    Member(Team& team, ProcessIndex location);
    /// The forking thread has 0; no_rank: it is no member.
    [[nodiscard]] Rank rank() const noexcept { return rank_; }
    /// The next one; null: there is none.
    [[nodiscard]] Region* next() noexcept {
      if (team_ == nullptr) return nullptr;
      while (at_ < team_->regions.size())
        if (Region& region = team_->regions[at_++]; region.size > rank_) return &region;
      return nullptr;
    }

   private:
    Team* team_ = nullptr;
    Rank rank_ = no_rank;
    std::size_t at_ = 0;
  };

 private:
  HashMap<OTF2_CommRef, Team> teams_;
};

}  // namespace clc::otf2
