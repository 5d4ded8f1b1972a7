#include "sync/divided_collector.hpp"

#include <limits>

namespace clc::sync {

void DividedCollector::add(const EventPlace& place, const Edge& edge) {
  if (edge.from == edge.to) return;
  ++edges_;
  round_.clocks = std::max<std::size_t>(round_.clocks, std::max(edge.from, edge.to) + std::size_t{1});
  round_.add(origins_.time_of(edge), 1);
  added_.push_back({place, edge, no_gathering});
}

void DividedCollector::add(const EventPlace& place, std::uint64_t group, Gathering gathering) {
  const FirstSight sight(gathering);
  edges_ += sight.edges;
  round_.clocks = std::max(round_.clocks, sight.clocks);
  if (sight.binds) round_.add(origins_.time_of(sight), gathering.members.size());
  added_.push_back({place, {}, static_cast<std::uint32_t>(gathered_.size())});
  gathered_.push_back({group, sight, std::move(gathering)});
}

void DividedCollector::end_round() {
  order_.clear();
  for (std::size_t i = 0; i < added_.size(); ++i) order_.push_back({added_[i].place.time, i});
  std::sort(order_.begin(), order_.end(), [this](const Placed& a, const Placed& b) {
    return a.time != b.time ? a.time < b.time : added_[a.index].place < added_[b.index].place;
  });
  next_ = 0;
  if (!keep_all_at_once()) keep_up_to_doubling();
  added_.clear();
  gathered_.clear();
  round_ = {};
}

std::optional<Time> DividedCollector::time_of(const Added& added) const {
  if (added.gathering == no_gathering) return origins_.time_of(added.edge);
  const FirstSight& sight = gathered_[added.gathering].sight;
  return sight.binds ? std::optional(origins_.time_of(sight)) : std::nullopt;
}

std::size_t DividedCollector::clocks_of(const Added& added) const {
  if (added.gathering != no_gathering) return gathered_[added.gathering].sight.clocks;
  return std::max(added.edge.from, added.edge.to) + std::size_t{1};
}

void DividedCollector::keep(const Added& added, std::int64_t window) {
  if (added.gathering == no_gathering) return kept_.add(added.edge, window);
  const Gathered& gathered = gathered_[added.gathering];
  kept_.add(gathered.group, gathered.sight, gathered.gathering, window);
}

bool DividedCollector::State::reach(std::int64_t window, std::int64_t most) noexcept {
  const bool any = last >= first;
  const std::int64_t from = any ? std::min(first, window) : window;
  const std::int64_t to = any ? std::max(last, window) : window;
  if (Time(to) - Time(from) >= most) return false;
  first = from;
  last = to;
  return true;
}

/// Where no windows double, whatever the edges are. False: that is not certain.
bool DividedCollector::keep_all_at_once() {
  State after = state_;
  after.points = 0;
  bool fits = true;
  for (const auto& given :
       partners_.all({round_.earliest.ticks(), round_.latest.ticks(), static_cast<std::int64_t>(round_.points),
                      static_cast<std::int64_t>(round_.clocks), static_cast<std::int64_t>(kept_.points())})) {
    if (given[2] > 0)
      for (const std::int64_t ticks : {given[0], given[1]})
        fits = fits && after.reach(ticks >> shift_, limits_.windows);
    after.points += given[2] + given[4];
    after.clocks = std::max(after.clocks, static_cast<std::size_t>(given[3]));
  }
  if (!fits || after.points > static_cast<std::int64_t>(limits_.points(state_.clocks))) return false;
  state_ = after;
  for (const Placed& placed : order_) {
    const Added& added = added_[placed.index];
    if (const std::optional<Time> time = time_of(added)) keep(added, time->ticks() >> shift_);
  }
  return true;
}

void DividedCollector::keep_up_to_doubling() {
  for (std::size_t most = order_.size();; most = tried_each_) {
    state_.points = 0;
    for (const auto& given : partners_.all({static_cast<std::int64_t>(kept_.points())})) state_.points += given[0];
    kept_.try_out();
    std::vector<Tried> own = try_rest(most);
    if (nothing_doubles(own)) break;
    if (own.size() > tried_each_) {
      own.resize(tried_each_);
      own.back().is_last = true;
    }
    const std::optional<Stop> stop = find_stop(all_tried(own));
    if (!stop) break;
    kept_.take_back();
    keep_before(*stop);
    double_for(*stop);
  }
  kept_.settle();
}

/// At most so many, up to the first for which windows would have to double, which is the last of the result then.
std::vector<DividedCollector::Tried> DividedCollector::try_rest(std::size_t most) {
  std::vector<Tried> tried;
  State reached = state_;
  for (std::size_t i = next_; i < order_.size(); ++i) {
    const Added& added = added_[order_[i].index];
    Tried& now = tried.emplace_back(Tried{added.place, 0, false, false, 0, clocks_of(added)});
    now.is_last = tried.size() == most && i + 1 < order_.size();
    if (now.is_last) break;
    const std::optional<Time> time = time_of(added);
    if (!time) continue;
    now.in_window = true;
    now.window = time->ticks() >> shift_;
    if (!reached.reach(now.window, limits_.windows)) break;
    const auto before = static_cast<std::int64_t>(kept_.points());
    keep(added, now.window);
    now.points = static_cast<std::int64_t>(kept_.points()) - before;
  }
  return tried;
}

/// As far as can be seen without the order of all edges.
bool DividedCollector::nothing_doubles(const std::vector<Tried>& tried) {
  const bool is_all = tried.empty() || !tried.back().is_last;
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  std::int64_t points = 0;
  std::int64_t most = 0;
  std::size_t clocks = 0;
  for (const Tried& one : tried) {
    clocks = std::max(clocks, one.clocks);
    points += one.points;
    most = std::max(most, points);
    if (!one.in_window) continue;
    lowest = std::min(lowest, one.window);
    highest = std::max(highest, one.window);
  }
  State after = state_;
  std::int64_t at_most = state_.points;
  bool fits = true;
  for (const auto& given : partners_.all({lowest, highest, most, static_cast<std::int64_t>(clocks), is_all ? 1 : 0})) {
    fits = fits && given[4] != 0;
    if (given[0] <= given[1])
      for (const std::int64_t window : {given[0], given[1]}) fits = fits && after.reach(window, limits_.windows);
    at_most += given[2];
    after.clocks = std::max(after.clocks, static_cast<std::size_t>(given[3]));
  }
  if (!fits || at_most > static_cast<std::int64_t>(limits_.points(state_.clocks))) return false;
  state_ = after;
  return true;
}

/// Of all processes, in the order of places.
std::vector<DividedCollector::Tried> DividedCollector::all_tried(const std::vector<Tried>& own) {
  constexpr std::size_t numbers_each = 6;
  Partners::Numbers numbers;
  numbers.reserve(own.size() * numbers_each);
  for (const Tried& one : own)
    numbers.insert(numbers.end(), {one.place.time.ticks(),
                                   static_cast<std::int64_t>(std::uint64_t{one.place.process} << 32U | one.place.turn),
                                   static_cast<std::int64_t>(std::uint64_t{one.place.part} << 2U |
                                                             (one.is_last ? 2U : 0U) | (one.in_window ? 1U : 0U)),
                                   one.window, one.points, static_cast<std::int64_t>(one.clocks)});
  std::vector<Tried> all;
  for (const auto& given : partners_.all(numbers))
    for (std::size_t i = 0; i < given.size(); i += numbers_each) {
      const auto who = static_cast<std::uint64_t>(given[i + 1]);
      const auto what = static_cast<std::uint64_t>(given[i + 2]);
      all.push_back({{Time(given[i]), static_cast<ProcessIndex>(who >> 32U), static_cast<std::uint32_t>(who),
                      static_cast<std::uint32_t>(what >> 2U)},
                     given[i + 3],
                     (what & 1U) != 0,
                     (what & 2U) != 0,
                     given[i + 4],
                     static_cast<std::size_t>(given[i + 5])});
    }
  std::sort(all.begin(), all.end(), [](const Tried& a, const Tried& b) { return a.place < b.place; });
  return all;
}

/// As a single collector would find it. The state is that before doubling then.
std::optional<DividedCollector::Stop> DividedCollector::find_stop(const std::vector<Tried>& tried) {
  for (const Tried& one : tried) {
    if (one.is_last) return Stop{one.place, Stop::Why::not_tried, 0};
    if (one.in_window && !state_.reach(one.window, limits_.windows))
      return Stop{one.place, Stop::Why::too_far, one.window};
    state_.clocks = std::max(state_.clocks, one.clocks);
    state_.points += one.points;
    if (too_many_points()) return Stop{one.place, Stop::Why::too_many, 0};
  }
  return std::nullopt;
}

void DividedCollector::keep_before(const Stop& stop) {
  for (; next_ < order_.size(); ++next_) {
    const Added& added = added_[order_[next_].index];
    if (stop.why == Stop::Why::too_many ? added.place > stop.place : added.place >= stop.place) return;
    if (const std::optional<Time> time = time_of(added)) keep(added, time->ticks() >> shift_);
  }
}

void DividedCollector::double_for(const Stop& stop) {
  if (stop.why == Stop::Why::not_tried) return;
  if (stop.why == Stop::Why::too_far) {
    std::int64_t window = stop.window;
    for (State reached = state_; !reached.reach(window, limits_.windows); reached = state_) {
      double_windows();
      window >>= 1;
    }
    return;
  }
  do {
    double_windows();
    state_.points = 0;
    for (const auto& given : partners_.all({static_cast<std::int64_t>(kept_.points())})) state_.points += given[0];
  } while (too_many_points());
}

/// And longer windows would help.
bool DividedCollector::too_many_points() const noexcept {
  return state_.points > static_cast<std::int64_t>(limits_.points(state_.clocks)) && state_.last > state_.first &&
         shift_ < CollectorLimits::longest_shift;
}

void DividedCollector::double_windows() {
  ++shift_;
  state_.first >>= 1;
  state_.last >>= 1;
  kept_.double_windows();
}

Collector DividedCollector::joined() {
  const bool is_first = partners_.rank() == 0;
  std::vector<Partners::Numbers> given(partners_.size());
  // One after the other, for the memory of the first process.
  for (unsigned rank = 1; rank < partners_.size(); ++rank) {
    if (rank == partners_.rank()) given.front() = std::exchange(kept_, {}).numbers();
    const auto got = partners_.exchange(given);
    if (is_first) kept_.put(got[rank]);
    given.front() = {};
  }
  std::uint64_t edges = 0;
  for (const auto& of : partners_.all({static_cast<std::int64_t>(edges_)})) edges += static_cast<std::uint64_t>(of[0]);
  return {std::exchange(kept_, {}), edges};
}

}  // namespace clc::sync
