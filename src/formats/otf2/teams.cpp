#include "otf2/teams.hpp"

#include <algorithm>

namespace clc::otf2 {

std::vector<ProcessIndex> Teams::masters() const {
  std::vector<ProcessIndex> all;
  for (const auto& [ref, team] : teams_) all.push_back(team.members.front());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void Teams::add_fork(OTF2_CommRef ref, std::uint32_t requested) {
  const auto found = teams_.find(ref);
  if (found == teams_.end()) return;
  Team& team = found->second;
  const std::uint32_t size = std::min(requested, static_cast<std::uint32_t>(team.members.size()));
  if (team.forks.empty() || team.forks.back().size != size) team.forks.push_back({size, 0});
  ++team.forks.back().times;
}

}  // namespace clc::otf2
