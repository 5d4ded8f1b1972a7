#include "otf2/teams.hpp"

#include <algorithm>
#include <set>

namespace clc::otf2 {

namespace {

void sort_out(std::vector<ProcessIndex>& locations) {
  std::sort(locations.begin(), locations.end());
  locations.erase(std::unique(locations.begin(), locations.end()), locations.end());
}

bool has_any(const Members& members, const std::vector<bool>& of) {
  return of.empty() || std::any_of(members.begin(), members.end(), [&](ProcessIndex member) { return of[member]; });
}

}  // namespace

std::vector<ProcessIndex> Teams::masters(const std::vector<bool>& of) const {
  std::vector<ProcessIndex> all;
  for (const auto& [ref, team] : teams_)
    if (has_any(team.members, of)) all.push_back(team.members.front());
  sort_out(all);
  return all;
}

std::vector<ProcessIndex> Teams::members(const std::vector<bool>& of) const {
  std::vector<ProcessIndex> all;
  std::set<const void*> seen;  // teams may share their members
  for (const auto& [ref, team] : teams_)
    if (seen.insert(team.members.list().data()).second && has_any(team.members, of))
      all.insert(all.end(), team.members.begin(), team.members.end());
  sort_out(all);
  return all;
}

void Teams::compare() noexcept {
  for (auto& [ref, team] : teams_) {
    std::uint64_t forked = 0;
    for (const Region& region : team.regions) forked += region.size;
    if (team.entered != forked) team.even = false;
  }
}

Teams::Member::Member(Team& team, ProcessIndex location) {
  const auto place = std::find(team.members.begin(), team.members.end(), location);
  if (place == team.members.end()) return;
  team_ = &team;
  rank_ = static_cast<Rank>(place - team.members.begin());
}

}  // namespace clc::otf2
