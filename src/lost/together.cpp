#include "lost/together.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace clc::lost {

namespace {

constexpr std::size_t most_waits = 4;  // of a process, that are tried as one loss in a row each

/// Behind an end of the process, or ahead of the first one, the process lost so many turns.
struct Gap {
  std::optional<std::uint32_t> place;
  std::uint32_t turns = 0;
  bool operator==(const Gap&) const = default;
};
/// A trace begins late more often than it has a hole.
std::int64_t cost_of(const std::vector<Gap>& gaps) {
  std::int64_t cost = 0;
  for (const Gap& gap : gaps) cost += (gap.place ? 3 : 1) * cost_of_half;
  return cost;
}

std::uint32_t turn_of(const std::vector<End>& ends, std::size_t at) {
  return ends[0].turn == 0 ? static_cast<std::uint32_t>(at) + 1 : ends[at].turn;
}

/// Where ends of the other side are left out although they are in turn.
std::vector<Gap> gaps_in(const View& view) {
  std::vector<Gap> gaps;
  std::optional<std::size_t> before;
  const std::vector<std::uint32_t>& partners = view.matched.partners;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == no_partner) continue;
    if (before && *before + 1 == i) {
      const std::uint32_t own = view.fewer[i].turn - view.fewer[*before].turn;
      const std::uint32_t others = turn_of(view.more, partners[i]) - turn_of(view.more, partners[*before]);
      if (others > own && partners[i] > partners[*before] + 1) gaps.push_back({view.places[*before], others - own});
    } else if (i == 0 && partners[0] > 0) {
      gaps.push_back({std::nullopt, turn_of(view.more, partners[0]) - 1});
    }
    before = i;
  }
  return gaps;
}

/// Behind each of the longest times between ends of the process, the longest first: as many turns as the channel lacks
/// that lacks fewest.
std::vector<Gap> gaps_at_waits(const std::vector<View>& views) {
  std::vector<std::pair<std::uint32_t, Time>> ends;
  std::size_t lacks = views[0].more.size() - views[0].fewer.size();
  for (const View& view : views) {
    lacks = std::min(lacks, view.more.size() - view.fewer.size());
    for (std::size_t k = 0; k < view.fewer.size(); ++k) ends.emplace_back(view.places[k], view.fewer[k].time);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::pair<Ticks, std::uint32_t>> waits;  // less than 0: the longest comes first
  for (std::size_t k = 1; k < ends.size(); ++k)
    waits.emplace_back(ends[k - 1].second - ends[k].second, ends[k - 1].first);
  const auto last = waits.begin() + static_cast<std::ptrdiff_t>(std::min(most_waits, waits.size()));
  std::partial_sort(waits.begin(), last, waits.end());
  std::vector<Gap> gaps;
  for (auto wait = waits.begin(); wait != last; ++wait)
    gaps.push_back({wait->second, static_cast<std::uint32_t>(lacks)});
  return gaps;
}

/// most_cost: as of match().
Matched match_with(View& view, const std::vector<Gap>& gaps, std::int64_t most_cost) {
  std::vector<End> fewer = view.fewer;
  for (const Gap& gap : gaps)
    for (std::size_t k = 0; k < fewer.size(); ++k)
      if (!gap.place || view.places[k] > *gap.place) fewer[k].turn += gap.turns;
  return match(fewer, view.more, Unlike::unusual, view.clocks, {}, most_cost, view.was_cut, &view.known);
}

}  // namespace

void match_together(std::vector<View>& views) {
  if (views.size() < 2 || views.size() > most_together) return;
  std::int64_t least = 0;
  std::vector<std::vector<Gap>> tries;
  for (const View& view : views) {
    least += view.matched.cost;
    tries.push_back(gaps_in(view));
  }
  const std::size_t of_channels = tries.size();
  for (const Gap& gap : gaps_at_waits(views)) tries.push_back({gap});
  std::int64_t luck = 0;
  for (const View& view : views) luck += view.matched.luck;
  std::vector<Matched> best;
  for (std::size_t t = 0; t < tries.size(); ++t) {
    const std::vector<Gap>& gaps = tries[t];
    const auto end = tries.begin() + static_cast<std::ptrdiff_t>(t);
    if (gaps.empty() || std::find(tries.begin(), end, gaps) != end) continue;
    std::int64_t cost = cost_of(gaps) + (t < of_channels ? 0 : luck);
    std::vector<Matched> all;
    for (std::size_t v = 0; v < views.size() && cost < least; ++v) {
      all.push_back(match_with(views[v], gaps, least - cost));
      if (!all.back().is_known) break;
      cost += all.back().cost;
    }
    if (cost >= least || !all.back().is_known) continue;
    least = cost;
    best = std::move(all);
  }
  for (std::size_t v = 0; v < best.size(); ++v) views[v].matched = std::move(best[v]);
}

}  // namespace clc::lost
