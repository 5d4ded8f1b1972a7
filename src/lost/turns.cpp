#include "lost/turns.hpp"

#include <algorithm>
#include <utility>

namespace clc::lost {

namespace {

constexpr std::size_t gaps_each = 8;  // for each one in which two sides do not take turns

}  // namespace

Turns::Turns(std::vector<Sides> channels, std::size_t processes) : channels_(std::move(channels)) {
  for (std::vector<Side>& all : neighbours_) all.assign(2 * channels_.size(), none);
  std::vector<std::vector<Side>> ends(processes);
  for (Side side = 0; side < 2 * channels_.size(); ++side) {
    std::vector<Side>& own = ends[channels_[side / 2].process[side % 2]];
    for (const Placed& placed : ends_of(side)) {
      if (own.size() <= placed.nth) own.resize(placed.nth + std::size_t{1}, none);
      own[placed.nth] = side;
    }
  }
  std::vector<std::uint32_t> votes(2 * channels_.size());
  for (const std::vector<Side>& own : ends) find_neighbours(own, votes);
}

/// votes: of each side, 0 before and behind.
void Turns::find_neighbours(const std::vector<Side>& ends, std::vector<std::uint32_t>& votes) {
  for (const std::size_t behind : {0U, 1U}) {
    std::vector<Side>& neighbours = neighbours_[behind];
    const auto for_all = [&](auto look) {
      for (std::size_t k = 1; k < ends.size(); ++k)
        if (const Side side = ends[k - behind]; side != none) look(side, ends[k + behind - 1]);
    };
    // The only one that more than half of the ends can have, then whether they have it.
    for_all([&](Side side, Side other) {
      if (votes[side] == 0) neighbours[side] = other;
      votes[side] += neighbours[side] == other ? 1U : ~0U;
    });
    for_all([&](Side side, Side) { votes[side] = 0; });
    for_all([&](Side side, Side other) { votes[side] += neighbours[side] == other ? 1U : 0U; });
    for_all([&](Side side, Side) {
      if (neighbours[side] == side || votes[side] <= ends_of(side).size() / 2) neighbours[side] = none;
    });
    for_all([&](Side side, Side) { votes[side] = 0; });
  }
}

/// Of each gap between ends of a side.
std::vector<std::uint32_t> Turns::ends_between(Side side, Side neighbour) const {
  const std::span<const Placed> own = ends_of(side);
  const std::span<const Placed> others = ends_of(neighbour);
  std::vector<std::uint32_t> between;
  auto other = others.begin();
  for (std::size_t k = 1; k < own.size(); ++k) {
    while (other != others.end() && other->nth < own[k - 1].nth) ++other;
    const auto first = other;
    while (other != others.end() && other->nth < own[k].nth) ++other;
    between.push_back(static_cast<std::uint32_t>(other - first));
  }
  return between;
}

std::vector<std::uint32_t> Turns::count(std::size_t channel, std::size_t side,
                                        const std::function<bool(std::size_t)>& counts) const {
  const auto own = static_cast<Side>(2 * channel + side);
  std::vector<std::uint32_t> least;
  for (const std::vector<Side>& neighbours : neighbours_) {
    if (neighbours[own] == none || !counts(neighbours[own] / 2)) continue;
    const std::vector<std::uint32_t> between = ends_between(own, neighbours[own]);
    const auto in_turn = static_cast<std::size_t>(std::count(between.begin(), between.end(), 1U));
    if (gaps_each * (between.size() - in_turn) > between.size()) continue;
    if (least.empty()) least.assign(between.size(), 1);
    for (std::size_t k = 0; k < between.size(); ++k) least[k] = std::max(least[k], between[k]);
  }
  if (least.empty()) return {};
  std::vector<std::uint32_t> turns{1};
  for (const std::uint32_t each : least) turns.push_back(turns.back() + std::max(each, 1U));
  return turns;
}

}  // namespace clc::lost
