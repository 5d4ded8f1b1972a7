#include "sync/consistency.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

namespace clc::sync {

bool Consistency::accept(const Edge& edge) {
  const std::size_t clocks = std::max(edge.from, edge.to) + std::size_t{1};
  if (clocks > bounds_.size()) {
    bounds_.resize(clocks);
    offsets_.resize(clocks, 0);
  }
  latest_ = std::max(latest_, edge.times.middle());
  const Bound bound{add_saturating(edge.times.delay(), tick_), latest_};
  if (is_usual(edge)) return true;
  const Ticks most = add_saturating(offsets_[edge.from], bound.delay);
  if (offsets_[edge.to] > most && !lower(edge.to, most, edge.from)) return false;
  bounds_[edge.from].insert_or_assign(edge.to, bound);
  return true;
}

bool Consistency::is_usual(const Edge& edge) const {
  if (edge.from >= bounds_.size()) return false;
  const auto known = bounds_[edge.from].find(edge.to);
  return known != bounds_[edge.from].end() &&
         known->second.at(std::max(latest_, edge.times.middle())) <= add_saturating(edge.times.delay(), tick_);
}

bool Consistency::lower(ClockIndex clock, Ticks offset, ClockIndex fixed) {
  std::vector<std::pair<ClockIndex, Ticks>> before;
  std::deque<ClockIndex> changed;
  const auto set = [&](ClockIndex which, Ticks to) {
    before.emplace_back(which, std::exchange(offsets_[which], to));
    changed.push_back(which);
  };
  for (set(clock, offset); !changed.empty(); changed.pop_front()) {
    const ClockIndex from = changed.front();
    for (const auto& [to, bound] : bounds_[from]) {
      const Ticks most = add_saturating(offsets_[from], bound.at(latest_));
      if (offsets_[to] <= most) continue;
      if (to == fixed) {
        std::for_each(before.rbegin(), before.rend(), [&](const auto& old) { offsets_[old.first] = old.second; });
        return false;
      }
      set(to, most);
    }
  }
  return true;
}

}  // namespace clc::sync
