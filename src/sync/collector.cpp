#include "sync/collector.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace clc::sync {

void Collector::add(const Edge& edge) {
  if (edge.from == edge.to) return;
  ++edges_;
  clocks_ = std::max<std::size_t>(clocks_, std::max(edge.from, edge.to) + std::size_t{1});
  const std::int64_t window = window_at(edge.times.middle());
  Hulls& hulls = pair_of(edge.from, edge.to).hulls;
  kept_ -= hulls.vertices().size();
  hulls.add(window, edge.times);
  kept_ += hulls.vertices().size();
  while (kept_ > std::max(kept_at_least, kept_each * clocks_) && last_ > first_) double_windows();
}

Collector::Pair& Collector::pair_of(ClockIndex from, ClockIndex to) {
  std::uint32_t& recent = recent_[(from * std::size_t{61} + to) % recent_pairs];
  if (recent < pairs_.size() && pairs_[recent].from == from && pairs_[recent].to == to) return pairs_[recent];
  const auto [place, is_new] = places_.insert(key_of(from, to), static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({from, to, {}});
  recent = *place;
  return pairs_[recent];
}

void Collector::add(std::uint32_t group, Gathering gathering) {
  // The last to come waits least: with ends alike, its own stay in the operation is the shortest. Where only one ends,
  // the latest begin as recorded is a first guess.
  std::size_t heads = 0;
  for (const Gathering::Member& member : gathering.members) heads += member.head;
  const Gathering::Member* latest = nullptr;
  const Gathering::Member* any_head = nullptr;
  for (const Gathering::Member& member : gathering.members) {
    edges_ += member.tail ? heads - (member.head ? 1U : 0U) : 0U;
    clocks_ = std::max<std::size_t>(clocks_, member.clock + std::size_t{1});
    if (member.head) any_head = &member;
    if (!member.tail || (heads > 1 && !member.head)) continue;
    if (latest == nullptr ||
        (heads > 1 ? member.end - member.begin < latest->end - latest->begin : member.begin > latest->begin))
      latest = &member;
  }
  if (latest == nullptr || any_head == nullptr) return;
  const Ticks slack = heads > 1 ? latest->end - latest->begin : any_head->end - latest->begin;
  const Slot slot{group, window_at(latest->begin), latest->clock};
  keep(slot, {slack, std::move(gathering)});
  while (kept_ > std::max(kept_at_least, kept_each * clocks_) && last_ > first_) double_windows();
}

void Collector::keep(const Slot& slot, Kept kept) {
  const auto [known, is_new] = gatherings_.try_emplace(slot, Kept{ticks_max, {}});
  if (!is_new && known->second.slack <= kept.slack) return;
  kept_ -= known->second.gathering.members.size();
  kept_ += kept.gathering.members.size();
  known->second = std::move(kept);
  if (!is_new) return;
  // One too many in this window: the one that binds least goes.
  auto from = gatherings_.lower_bound({slot.group, slot.window, 0});
  std::size_t count = 0;
  auto worst = from;
  for (; from != gatherings_.end() && from->first.group == slot.group && from->first.window == slot.window; ++from) {
    ++count;
    if (from->second.slack > worst->second.slack) worst = from;
  }
  if (count <= most_gatherings) return;
  kept_ -= worst->second.gathering.members.size();
  gatherings_.erase(worst);
}

std::int64_t Collector::window_at(Time time) {
  if (last_ < first_) first_ = last_ = time.ticks() >> shift_;
  for (;; double_windows()) {
    const std::int64_t index = time.ticks() >> shift_;
    const std::int64_t first = std::min(first_, index);
    const std::int64_t last = std::max(last_, index);
    if (Time(last) - Time(first) >= windows_) continue;
    first_ = first;
    last_ = last;
    return index;
  }
}

void Collector::double_windows() {
  ++shift_;
  first_ >>= 1;
  last_ >>= 1;
  kept_ = 0;
  for (Pair& pair : pairs_) {
    pair.hulls.double_windows();
    kept_ += pair.hulls.vertices().size();
  }
  std::map<Slot, Kept> before;
  before.swap(gatherings_);
  for (auto& [slot, kept] : before) keep({slot.group, slot.window >> 1, slot.latest}, std::move(kept));
}

void Collector::forget_before(Time time) {
  const std::int64_t least = time.ticks() >> shift_;
  if (last_ < first_ || least <= first_) return;
  for (Pair& pair : pairs_) {
    kept_ -= pair.hulls.vertices().size();
    pair.hulls.forget_before(least);
    kept_ += pair.hulls.vertices().size();
  }
  std::erase_if(pairs_, [](const Pair& pair) { return pair.hulls.empty(); });
  places_ = {};
  for (const Pair& pair : pairs_)
    places_.insert(key_of(pair.from, pair.to), static_cast<std::uint32_t>(places_.size()));
  std::erase_if(gatherings_, [&](const auto& entry) {
    if (entry.first.window >= least) return false;
    kept_ -= entry.second.gathering.members.size();
    return true;
  });
  first_ = std::min(least, last_);
}

void Collector::for_each_track(
    const std::function<void(ClockIndex, ClockIndex, const std::vector<Sighting>&)>& visit) const {
  std::vector<const Pair*> pairs;
  pairs.reserve(pairs_.size());
  for (const Pair& pair : pairs_) pairs.push_back(&pair);
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair* a, const Pair* b) { return key_of(a->from, a->to) < key_of(b->from, b->to); });
  for (const Pair* pair : pairs) visit(pair->from, pair->to, pair->hulls.vertices());
}

std::vector<Track> Collector::tracks() const {
  std::vector<Track> tracks;
  for_each_track([&](ClockIndex from, ClockIndex to, const std::vector<Sighting>& points) {
    tracks.push_back({from, to, points});
  });
  return tracks;
}

std::vector<Gathering> Collector::gatherings() const {
  std::vector<Gathering> result;
  result.reserve(gatherings_.size());
  for (const auto& [slot, kept] : gatherings_) result.push_back(kept.gathering);
  return result;
}

}  // namespace clc::sync
