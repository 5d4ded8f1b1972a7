#include "view/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace clc::view {

Regions::Id Regions::id(std::string_view name) {
  key_.assign(name.substr(0, 80));
  if (const auto known = by_name_.find(key_); known != by_name_.end()) return known->second;
  if (names_.size() + 1 >= most) {
    if (names_.size() + 1 == most) names_.emplace_back("other regions");
    return static_cast<Id>(most - 1);
  }
  const auto id = static_cast<Id>(names_.size());
  names_.push_back(key_);
  by_name_.emplace(key_, id);
  return id;
}

void Activity::add(Regions::Id region, float ticks) noexcept {
  Share* least = &shares.front();
  for (Share& share : shares) {
    if (share.region == region || share.region == Regions::none) {
      share.region = region;
      share.ticks += ticks;
      return;
    }
    if (share.ticks < least->ticks) least = &share;
  }
  if (least->ticks < ticks) {
    std::swap(least->ticks, ticks);
    least->region = region;
  }
  other += ticks;
}

void Activity::merge(const Activity& cell) noexcept {
  events += cell.events;
  sends += cell.sends;
  backward += cell.backward;
  other += cell.other;
  for (const Share& share : cell.shares)
    if (share.region != Regions::none) add(share.region, share.ticks);
}

Regions::Id Activity::region() const noexcept {
  const auto* const most =
      std::max_element(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.ticks < b.ticks; });
  return most->region;
}

void Traffic::merge(const Traffic& other) noexcept {
  messages += other.messages;
  bytes += other.bytes;
  for (const Column s : sides) {
    side[s].backward += other.side[s].backward;
    side[s].delays += other.side[s].delays;
    side[s].smallest = std::min(side[s].smallest, other.side[s].smallest);
  }
}

Traffic& TrafficMatrix::at(std::size_t from, std::size_t to) {
  if (cells_.empty()) cells_.resize(most * most);
  while (std::max(from, to) / group_ >= most) {
    std::vector<Traffic> joined(most * most);
    for (std::size_t i = 0; i < most; ++i)
      for (std::size_t k = 0; k < most; ++k) joined[i / 2 * most + k / 2].merge(cells_[i * most + k]);
    cells_ = std::move(joined);
    size_ = (size_ + 1) / 2;
    group_ *= 2;
  }
  size_ = std::max({size_, from / group_ + 1, to / group_ + 1});
  return cells_[from / group_ * most + to / group_];
}

void Corridor::Bounds::merge(const Bounds& other) noexcept {
  for (const Column s : sides) {
    forth[s] = std::min(forth[s], other.forth[s]);
    back[s] = std::min(back[s], other.back[s]);
  }
}

Model::Model(const Parameters& parameters, const Definitions& definitions, std::optional<Window> window)
    : definitions_(definitions),
      delays_(parameters, definitions),
      judge_(parameters, definitions, delays_),
      matcher_(definitions, *this),
      window_(window),
      activity_{TimeGrid<Activity>(most_rows, most_columns), TimeGrid<Activity>(most_rows, most_columns)},
      corrections_(most_rows, correction_columns) {}

void Model::add(const Event& event, const Both<Time>& times, Kind kind, std::string_view name) {
  if (!begun_ && window_) {
    window_from_ = times[corrected] + definitions_.resolution.ticks_of_seconds(window_->from_s);
    window_to_ = times[corrected] + definitions_.resolution.ticks_of_seconds(window_->to_s);
  }
  begun_ = true;
  if (tracks_.size() <= event.process) tracks_.resize(event.process + std::size_t{1});
  Track& track = tracks_[event.process];
  const bool shown = in_window(times[corrected]);
  region_change(track, event.process, event, times, kind, name);
  if (shown) {
    ++events_;
    if (track.started) interval(track, times);
    for (const Column side : sides) {
      ++activity_[side].at(event.process, times[side]).events;
      first_ = std::min(first_, times[side]);
      last_ = std::max(last_, times[side]);
    }
    const Ticks shift = times[corrected] - times[recorded];
    corrections_.at(event.process, times[corrected]).add(shift);
    moved_ += shift != 0;
    if (shift > largest_correction_) {
      largest_correction_ = shift;
      most_corrected_ = event.process;
    }
    if (++points_seen_ <= most_points)
      points_.push_back({event.process, event.role, times});
    else if (points_seen_ == most_points + 1)
      points_ = {};
  }
  track.started = true;
  track.last = times;
  if (event.role == Role::internal) return;
  matching::Stamp stamp;
  for (const Column side : sides) stamp.time[side] = times[side];
  matcher_.add(event, stamp);
}

void Model::region_change(Track& track, ProcessIndex process, const Event& event, const Both<Time>& times, Kind kind,
                          std::string_view name) {
  const bool just_entered = std::exchange(track.just_entered, kind == Kind::enter);
  const auto top = [&] { return track.stack.empty() ? Regions::none : track.stack.back(); };
  // A call of a collective operation that no region surrounds is a region itself. Which one, its end tells.
  const bool own_call = event.tag == 0 && !just_entered;
  if (kind == Kind::enter || (kind == Kind::collective_begin && own_call)) {
    close_segment(track, process, times, top());
    if (track.stack.size() < deepest)
      track.stack.push_back(regions_.id(kind == Kind::enter ? name : "collective operation"));
    else
      ++track.too_deep;
  } else if (kind == Kind::leave || (kind == Kind::collective_end && event.tag == 0)) {
    const Regions::Id call = kind == Kind::collective_end ? regions_.id("collective operation") : Regions::none;
    if (kind == Kind::collective_end && (top() != call || track.too_deep > 0)) return;
    close_segment(track, process, times, kind == Kind::leave ? top() : regions_.id(info(event.operation).name));
    if (track.too_deep > 0)
      --track.too_deep;
    else if (!track.stack.empty())
      track.stack.pop_back();
  }
}

void Model::close_segment(Track& track, ProcessIndex process, const Both<Time>& times, Regions::Id region) {
  Segment segment{process, region, track.since, times};
  track.since = times;
  if (region == Regions::none || !track.started) return;
  if (segment.to[corrected] < window_from_ || segment.from[corrected] > window_to_) return;
  if (segment.from[corrected] < window_from_)
    for (const Column side : sides)
      segment.from[side] = std::min(segment.to[side], segment.from[side] + (window_from_ - segment.from[corrected]));
  if (segment.to[corrected] > window_to_)
    for (const Column side : sides)
      segment.to[side] = std::max(segment.from[side], segment.to[side] - (segment.to[corrected] - window_to_));
  for (const Column side : sides) {
    activity_[side].include(process);  // where the segment has no length on one side: both have the same rows
    activity_[side].spread(process, segment.from[side], segment.to[side],
                           [region](Activity& cell, double ticks) { cell.add(region, static_cast<float>(ticks)); });
  }
  if (region_times_.size() <= region) region_times_.resize(region + std::size_t{1});
  region_times_[region] += static_cast<double>(segment.to[corrected] - segment.from[corrected]);
  if (segment.from == segment.to) return;
  if (++segments_seen_ <= most_segments)
    segments_.push_back(segment);
  else if (segments_seen_ == most_segments + 1)
    segments_ = {};
}

void Model::interval(const Track& track, const Both<Time>& times) {
  const Ticks before = times[recorded] - track.last[recorded];
  const Ticks after = times[corrected] - track.last[corrected];
  if (before > 0) intervals_.lengths[recorded].add(static_cast<double>(before));
  if (after > 0) intervals_.lengths[corrected].add(static_cast<double>(after));
  const Ticks change = subtract_saturating(after, before);
  if (change == 0) {
    ++intervals_.exact;
    return;
  }
  intervals_.largest_change = std::max(intervals_.largest_change, change < 0 ? subtract_saturating(0, change) : change);
  if (before <= 0) {
    ++intervals_.widened;
    return;
  }
  const double error = std::abs(static_cast<double>(change)) / static_cast<double>(before);
  ++intervals_.changed;
  intervals_.sum += error;
  intervals_.largest = std::max(intervals_.largest, error);
  intervals_.errors.add(error);
}

void Model::message(const matching::Message& found) {
  Arrow arrow{found.sender, found.receiver, found.bytes, {}, {}};
  for (const Column side : sides) {
    arrow.sent[side] = found.sent.time[side];
    arrow.received[side] = found.received.time[side];
  }
  if (!in_window(arrow.sent[corrected]) && !in_window(arrow.received[corrected])) return;
  const matching::Edge edge{found.sender, found.receiver, found.sent, found.received,
                            matching::min_delay_of(found, delays_)};
  Traffic& traffic = traffic_.at(arrow.from, arrow.to);
  ++traffic.messages;
  traffic.bytes += static_cast<double>(arrow.bytes);
  for (const Column side : sides) {
    const Ticks delay = arrow.delay(side);
    messages_[side].add(edge, side);
    delay_sums_[side] += static_cast<double>(delay);
    delay_histograms_[side].add(static_cast<double>(delay));
    traffic.side[side].backward += delay < 0;
    traffic.side[side].delays += static_cast<double>(delay);
    traffic.side[side].smallest = std::min(traffic.side[side].smallest, delay);
    // Both ends have a row, also a process that did nothing else in the window.
    activity_[side].include(std::max(arrow.from, arrow.to));
    if (!in_window(arrow.sent[corrected])) continue;
    Activity& cell = activity_[side].at(arrow.from, arrow.sent[side]);
    ++cell.sends;
    cell.backward += delay < 0;
  }
  keep(arrow);
  corridor(arrow);
}

void Model::keep(const Arrow& arrow) {
  const auto further_back = [](const Arrow& a, const Arrow& b) { return a.delay(recorded) < b.delay(recorded); };
  ++arrows_seen_;
  if (arrows_seen_ <= most_arrows) {
    arrows_.push_back(arrow);
    return;
  }
  const auto random = [this] {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return random_ >> 33U;
  };
  const auto keep_worst = [&](const Arrow& a) {
    if (a.delay(recorded) >= 0) return;
    if (worst_.size() == worst_arrows) {
      if (!further_back(a, worst_.front())) return;
      std::pop_heap(worst_.begin(), worst_.end(), further_back);
      worst_.back() = a;
    } else {
      worst_.push_back(a);
    }
    std::push_heap(worst_.begin(), worst_.end(), further_back);
  };
  if (arrows_seen_ == most_arrows + 1) {
    // From here on a sample: every message has the same chance to be in it.
    for (const Arrow& a : arrows_) keep_worst(a);
    for (std::size_t i = 0; i < sampled_arrows; ++i) std::swap(arrows_[i], arrows_[i + random() % (most_arrows - i)]);
    arrows_.resize(sampled_arrows);
    arrows_.shrink_to_fit();
  }
  keep_worst(arrow);
  if (const std::uint64_t place = random() % arrows_seen_; place < sampled_arrows) arrows_[place] = arrow;
}

void Model::corridor(const Arrow& arrow) {
  const ProcessIndex first = std::min(arrow.from, arrow.to);
  const ProcessIndex second = std::max(arrow.from, arrow.to);
  const std::uint64_t key = std::uint64_t{first} << 32 | second;
  auto entry = corridor_index_.find(key);
  if (entry == corridor_index_.end()) {
    if (corridors_.size() >= most_corridors) {
      all_corridors_ = false;
      return;
    }
    entry = corridor_index_.emplace(key, static_cast<std::uint32_t>(corridors_.size())).first;
    corridors_.emplace_back();
    corridors_.back().first = first;
    corridors_.back().second = second;
  }
  Corridor& pair = corridors_[entry->second];
  ++pair.messages;
  pair.backward += arrow.delay(recorded) < 0;
  Corridor::Bounds bounds;
  (arrow.from == first ? bounds.forth : bounds.back) = {arrow.delay(recorded), arrow.delay(corrected)};
  pair.all.merge(bounds);
  if (in_window(arrow.received[corrected])) pair.course.at(0, arrow.received[corrected]).merge(bounds);
}

void Model::collective(const matching::Collective& operation) {
  if (!in_window(operation.members.front().end.time[corrected])) return;
  ++operations_;
  for (const Column side : sides) collectives_[side].add(judge_.judge(operation, side));
}

void Model::finish() {
  for (ProcessIndex process = 0; process < tracks_.size(); ++process) {
    Track& track = tracks_[process];
    if (track.started)
      close_segment(track, process, track.last, track.stack.empty() ? Regions::none : track.stack.back());
  }
  matcher_.finish();
  std::sort(segments_.begin(), segments_.end(), [](const Segment& a, const Segment& b) {
    return std::tuple(a.process, a.from[recorded], a.to[recorded]) <
           std::tuple(b.process, b.from[recorded], b.to[recorded]);
  });
  arrows_.insert(arrows_.end(), worst_.begin(), worst_.end());
  worst_ = {};
  const auto key = [](const Arrow& a) {
    return std::tuple(a.sent[recorded], a.from, a.to, a.received[recorded], a.bytes, a.sent[corrected],
                      a.received[corrected]);
  };
  std::sort(arrows_.begin(), arrows_.end(), [&](const Arrow& a, const Arrow& b) { return key(a) < key(b); });
  if (!all_arrows())  // the worst ones may be in the sample, too
    arrows_.erase(
        std::unique(arrows_.begin(), arrows_.end(), [&](const Arrow& a, const Arrow& b) { return key(a) == key(b); }),
        arrows_.end());
}

double Model::mean_delay(Column side) const noexcept {
  return messages_[side].edges == 0 ? 0 : delay_sums_[side] / static_cast<double>(messages_[side].edges);
}

std::vector<Regions::Id> Model::regions_by_time() const {
  std::vector<Regions::Id> order(region_times_.size());
  std::iota(order.begin(), order.end(), Regions::Id{0});
  std::erase_if(order, [this](Regions::Id id) { return region_times_[id] <= 0; });
  std::stable_sort(order.begin(), order.end(),
                   [this](Regions::Id a, Regions::Id b) { return region_times_[a] > region_times_[b]; });
  return order;
}

std::vector<const Corridor*> Model::corridors() const {
  std::vector<const Corridor*> order;
  order.reserve(corridors_.size());
  for (const Corridor& pair : corridors_) order.push_back(&pair);
  std::stable_sort(order.begin(), order.end(), [](const Corridor* a, const Corridor* b) {
    return std::tuple(b->backward, b->messages) < std::tuple(a->backward, a->messages);
  });
  return order;
}

}  // namespace clc::view
