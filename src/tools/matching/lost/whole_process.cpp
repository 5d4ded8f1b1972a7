#include "matching/lost/whole_process.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace clc::matching {

namespace {

/// So many turns that are lost, by the first end of the process that comes behind.
using Losses = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Losses losses_of(const WholeView& view) {
  const auto turn = [](const std::vector<WholeEnd>& ends, std::size_t k) {
    return ends.front().turn > 0 ? ends[k].turn : static_cast<std::uint32_t>(k + 1);
  };
  Losses losses;
  const auto& pairs = view.match.pairs;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [own, other] = pairs[k];
    if (k == 0) {
      if (own == 0 && other > 0) losses.emplace_back(0, turn(view.others, other) - 1);
      continue;
    }
    const auto [own_before, other_before] = pairs[k - 1];
    if (own != own_before + 1 || other == other_before + 1) continue;
    const std::uint32_t here = turn(view.own, own) - turn(view.own, own_before);
    const std::uint32_t there = turn(view.others, other) - turn(view.others, other_before);
    if (there > here) losses.emplace_back(view.nths[own_before] + 1, there - here);
  }
  return losses;
}

/// One loss ahead of each of the four ends of the process that come longest after the end before.
std::vector<Losses> losses_in_silence(const std::vector<WholeView>& views) {
  std::vector<std::pair<std::uint32_t, Time>> ends;
  std::uint32_t turns = 0xffff'ffff;
  for (const WholeView& view : views) {
    turns = std::min(turns, static_cast<std::uint32_t>(view.others.size() - view.own.size()));
    for (std::size_t k = 0; k < view.own.size(); ++k) ends.emplace_back(view.nths[k], view.own[k].time);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::pair<Ticks, std::uint32_t>> silences;
  for (std::size_t k = 1; k < ends.size(); ++k)
    silences.emplace_back(ends[k].second - ends[k - 1].second, ends[k - 1].first);
  std::stable_sort(silences.begin(), silences.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Losses> losses;
  for (std::size_t k = 0; k < std::min<std::size_t>(4, silences.size()); ++k)
    losses.push_back({{silences[k].second + 1, turns}});
  return losses;
}

/// None also if it costs at least `limit`.
std::optional<WholeMatch> match_with(const WholeView& view, const Losses& losses, std::int64_t limit) {
  std::vector<WholeEnd> own = view.own;
  for (std::size_t k = 0; k < own.size(); ++k)
    for (const auto& [from, turns] : losses)
      if (view.nths[k] >= from) own[k].turn += turns;
  return match_whole(own, view.others, view.rules, limit);
}

}  // namespace

void match_whole_process(std::vector<WholeView>& views) {
  if (views.size() < 2 || views.size() > 8) return;
  std::int64_t least = 0;
  for (const WholeView& view : views) least += view.match.cost;
  std::vector<WholeMatch> best;
  std::vector<Losses> tried;
  tried.reserve(views.size());
  for (const WholeView& from : views) tried.push_back(losses_of(from));
  const std::vector<Losses> silences = losses_in_silence(views);
  tried.insert(tried.end(), silences.begin(), silences.end());
  std::int64_t chance = 0;
  for (const WholeView& view : views) chance += view.match.chance;
  for (std::size_t k = 0; k < tried.size(); ++k) {
    const Losses& losses = tried[k];
    const auto earlier = tried.begin() + static_cast<std::ptrdiff_t>(k);
    if (losses.empty() || std::find(tried.begin(), earlier, losses) != earlier) continue;
    std::int64_t cost = k < views.size() ? 0 : chance;
    for (const auto& [place, turns] : losses) cost += place == 0 ? 64 : 3 * 64;
    std::vector<WholeMatch> found;
    for (const WholeView& view : views) {
      auto match = match_with(view, losses, least - cost);
      if (match) cost += match->cost;
      if (!match || cost >= least) break;
      found.push_back(std::move(*match));
    }
    if (found.size() < views.size()) continue;
    least = cost;
    best = std::move(found);
  }
  for (std::size_t k = 0; k < best.size(); ++k) views[k].match = std::move(best[k]);
}

}  // namespace clc::matching
