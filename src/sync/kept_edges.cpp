#include "sync/kept_edges.hpp"

#include <algorithm>

namespace clc::sync {

FirstSight::FirstSight(const Gathering& gathering) {
  std::size_t heads = 0;
  for (const Gathering::Member& member : gathering.members) heads += member.head;
  const Gathering::Member* last = nullptr;
  const Gathering::Member* any_head = nullptr;
  for (const Gathering::Member& member : gathering.members) {
    edges += member.tail ? heads - (member.head ? 1U : 0U) : 0U;
    clocks = std::max<std::size_t>(clocks, member.clock + std::size_t{1});
    if (member.head) any_head = &member;
    if (!member.tail || (heads > 1 && !member.head)) continue;
    if (last == nullptr ||
        (heads > 1 ? member.end - member.begin < last->end - last->begin : member.begin > last->begin))
      last = &member;
  }
  if (last == nullptr || any_head == nullptr) return;
  binds = true;
  latest = last->clock;
  time = last->begin;
  slack = heads > 1 ? last->end - last->begin : any_head->end - last->begin;
}

void KeptEdges::add(const Edge& edge, std::int64_t window) {
  const std::uint32_t place = place_of(edge.from, edge.to);
  if (trial_) remember(place);
  Hulls& hulls = pairs_[place].hulls;
  points_ -= hulls.vertices().size();
  hulls.add(window, edge.times);
  points_ += hulls.vertices().size();
}

std::uint32_t KeptEdges::place_of(ClockIndex from, ClockIndex to) {
  std::uint32_t& recent = recent_[(from * std::size_t{61} + to) % recent_pairs];
  if (recent < pairs_.size() && pairs_[recent].from == from && pairs_[recent].to == to) return recent;
  const auto [place, is_new] = places_.insert(key_of(from, to), static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({from, to, {}});
  return recent = *place;
}

void KeptEdges::add(std::uint64_t group, const FirstSight& sight, Gathering gathering, std::int64_t window) {
  keep({group, window, sight.latest}, {sight.slack, std::move(gathering)});
}

void KeptEdges::keep(const Slot& slot, Kept kept) {
  const auto known = gatherings_.find(slot);
  if (known != gatherings_.end() && known->second.slack <= kept.slack) return;
  if (trial_) remember(slot);
  points_ += kept.gathering.members.size();
  if (known != gatherings_.end()) {
    points_ -= known->second.gathering.members.size();
    known->second = std::move(kept);
    return;
  }
  gatherings_.emplace(slot, std::move(kept));
  // One too many in this window: the one that binds least goes.
  auto from = gatherings_.lower_bound({slot.group, slot.window, 0});
  std::size_t count = 0;
  auto worst = from;
  for (; from != gatherings_.end() && from->first.group == slot.group && from->first.window == slot.window; ++from) {
    ++count;
    if (from->second.slack > worst->second.slack) worst = from;
  }
  if (count <= most_gatherings) return;
  if (trial_) remember(worst->first);
  points_ -= worst->second.gathering.members.size();
  gatherings_.erase(worst);
}

void KeptEdges::double_windows() {
  points_ = 0;
  for (Pair& pair : pairs_) {
    pair.hulls.double_windows();
    points_ += pair.hulls.vertices().size();
  }
  std::map<Slot, Kept> before;
  before.swap(gatherings_);
  for (auto& [slot, kept] : before) keep({slot.group, slot.window >> 1, slot.latest}, std::move(kept));
}

void KeptEdges::forget_before(std::int64_t window) {
  for (Pair& pair : pairs_) {
    points_ -= pair.hulls.vertices().size();
    pair.hulls.forget_before(window);
    points_ += pair.hulls.vertices().size();
  }
  std::erase_if(pairs_, [](const Pair& pair) { return pair.hulls.empty(); });
  places_ = {};
  for (const Pair& pair : pairs_)
    places_.insert(key_of(pair.from, pair.to), static_cast<std::uint32_t>(places_.size()));
  std::erase_if(gatherings_, [&](const auto& entry) {
    if (entry.first.window >= window) return false;
    points_ -= entry.second.gathering.members.size();
    return true;
  });
}

void KeptEdges::remember(std::uint32_t place) {
  Pair& pair = pairs_[place];
  if (pair.trial == trial_->number) return;
  pair.trial = trial_->number;
  trial_->pairs.emplace_back(place, pair.hulls);
}

void KeptEdges::remember(const Slot& slot) {
  const auto known = gatherings_.find(slot);
  trial_->gatherings.emplace_back(slot, known == gatherings_.end() ? std::nullopt : std::optional(known->second));
}

void KeptEdges::take_back() {
  for (auto& [place, hulls] : trial_->pairs) {
    points_ -= pairs_[place].hulls.vertices().size();
    points_ += hulls.vertices().size();
    pairs_[place].hulls = std::move(hulls);
    pairs_[place].trial = 0;
  }
  std::reverse(trial_->gatherings.begin(), trial_->gatherings.end());
  for (auto& [slot, before] : trial_->gatherings) {
    if (const auto now = gatherings_.find(slot); now != gatherings_.end()) {
      points_ -= now->second.gathering.members.size();
      gatherings_.erase(now);
    }
    if (!before) continue;
    points_ += before->gathering.members.size();
    gatherings_.emplace(slot, std::move(*before));
  }
  trial_.reset();
}

void KeptEdges::for_each_track(
    const std::function<void(ClockIndex, ClockIndex, const std::vector<Sighting>&)>& visit) const {
  std::vector<const Pair*> pairs;
  pairs.reserve(pairs_.size());
  for (const Pair& pair : pairs_)
    if (!pair.hulls.empty()) pairs.push_back(&pair);
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair* a, const Pair* b) { return key_of(a->from, a->to) < key_of(b->from, b->to); });
  for (const Pair* pair : pairs) visit(pair->from, pair->to, pair->hulls.vertices());
}

std::vector<Gathering> KeptEdges::gatherings() const {
  std::vector<Gathering> result;
  result.reserve(gatherings_.size());
  for (const auto& [slot, kept] : gatherings_) result.push_back(kept.gathering);
  return result;
}

/// The number of pairs; of each both clocks, the number of points and the points; then the operations.
std::vector<std::int64_t> KeptEdges::numbers() const {
  std::vector<std::int64_t> all{std::ssize(pairs_)};
  for (const Pair& pair : pairs_) {
    all.insert(all.end(), {pair.from, pair.to, std::ssize(pair.hulls.vertices())});
    for (const Sighting& point : pair.hulls.vertices()) all.insert(all.end(), {point.sent().ticks(), point.packed()});
  }
  for (const auto& [slot, kept] : gatherings_) {
    all.insert(all.end(), {static_cast<std::int64_t>(slot.group), slot.window, slot.latest, kept.slack,
                           std::ssize(kept.gathering.members)});
    for (const Gathering::Member& member : kept.gathering.members)
      all.insert(all.end(), {member.clock, member.begin.ticks(), member.end.ticks(), member.tail, member.head});
  }
  return all;
}

void KeptEdges::put(std::span<const std::int64_t> numbers) {
  auto next = numbers.begin();
  for (std::int64_t pairs = *next++; pairs > 0; --pairs) {
    const auto from = static_cast<ClockIndex>(*next++);
    const auto to = static_cast<ClockIndex>(*next++);
    std::vector<Sighting> points(static_cast<std::size_t>(*next++));
    for (Sighting& point : points) {
      const Time sent(*next++);
      point = Sighting::unpacked(sent, *next++);
    }
    points_ += points.size();
    pairs_[place_of(from, to)].hulls = Hulls(std::move(points));
  }
  while (next != numbers.end()) {
    Slot slot{static_cast<std::uint64_t>(next[0]), next[1], static_cast<ClockIndex>(next[2])};
    Kept kept{next[3], {}};
    kept.gathering.members.resize(static_cast<std::size_t>(next[4]));
    next += 5;
    for (Gathering::Member& member : kept.gathering.members) {
      member = {static_cast<ClockIndex>(next[0]), Time(next[1]), Time(next[2]), next[3] != 0, next[4] != 0};
      next += 5;
    }
    points_ += kept.gathering.members.size();
    gatherings_.emplace(slot, std::move(kept));
  }
}

}  // namespace clc::sync
