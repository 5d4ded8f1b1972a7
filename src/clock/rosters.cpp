#include "clock/rosters.hpp"

#include <utility>

namespace clc {

std::shared_ptr<Roster> Rosters::of(const Members& members) {
  const auto address = reinterpret_cast<std::uintptr_t>(members.list().data());
  std::weak_ptr<Roster>& known = known_[address];
  if (std::shared_ptr<Roster> roster = known.lock()) return roster;
  std::shared_ptr<Roster> roster(new Roster, [this, address](const Roster* gone) {
    replaced_memory_ -= gone->counted;
    known_.erase(address);
    delete gone;
  });
  known = roster;
  roster->members = members;
  const auto size = static_cast<Rank>(members.size());
  roster->clocks.reserve(size);
  for (Rank rank = 0; rank < size; ++rank) {
    roster->ranks.insert(members[rank], rank);
    roster->clocks.push_back(definitions_.processes()[members[rank]].clock);
  }
  if (definitions_.shares_clocks() && shares_clocks(*roster)) {
    roster->clock_ends.resize(size);
    Rank end = size;
    for (Rank rank = size; rank-- > 0;) {
      if (rank + 1 < end && roster->clocks[rank] != roster->clocks[rank + 1]) end = rank + 1;
      roster->clock_ends[rank] = end;
    }
  }
  return roster;
}

void Rosters::count(Roster& roster, std::uint32_t communicators) noexcept {
  const auto sum = [&]() -> std::uint64_t& { return roster.communicators > 0 ? memory_ : replaced_memory_; };
  sum() -= roster.counted;
  roster.communicators = communicators;
  roster.counted = roster.memory();
  sum() += roster.counted;
}

bool Rosters::shares_clocks(const Roster& roster) {
  ++clock_round_;
  for (const ClockIndex clock : roster.clocks) {
    if (clock_rounds_.size() <= clock) clock_rounds_.resize(clock + std::size_t{1});
    if (std::exchange(clock_rounds_[clock], clock_round_) == clock_round_) return true;
  }
  return false;
}

}  // namespace clc
