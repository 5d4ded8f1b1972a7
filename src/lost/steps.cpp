#include "lost/steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace clc::lost {

namespace {

constexpr std::size_t least_channels = 3;
constexpr std::size_t most_searches = std::size_t{1} << 22;
constexpr Ticks longest_usual = Ticks{1} << 34;  // as long as a jump of rule.hpp at most
constexpr Ticks longest_jump = Ticks{1} << 50;   // no more is looked for, so that no sum overflows

/// The upper median.
template <class T>
T middle_of(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void Steps::find() {
  if (std::exchange(are_found_, true)) return;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> sides(clocks_.size());
  for (std::size_t c = 0; c < channels_.size(); ++c)
    for (const std::size_t side : {0U, 1U}) sides[channels_[c].process[side]].emplace_back(c, side);
  for (ProcessIndex process = 0; process < clocks_.size(); ++process)
    if (sides[process].size() >= least_channels) follow(process, sides[process]);
}

/// sides: of its channels.
void Steps::follow(ProcessIndex process, const std::vector<std::pair<std::size_t, std::size_t>>& sides) {
  std::vector<View> views;
  for (const auto& [channel, side] : sides) {
    View view = view_of(channels_[channel], side);
    if (!view.intervals.empty()) views.push_back(std::move(view));
  }
  const auto regular =
      static_cast<std::size_t>(std::ranges::count_if(views, [](const View& view) { return view.is_regular; }));
  if (regular < least_channels || 2 * regular <= views.size()) return;
  if (jumps_in(views).size() > most_searches / views.size()) return;
  Clock& clock = clocks_[process];
  clock.is_followed = true;
  Ticks sum = 0;
  for (const auto& [nth, size] : steps_in(views)) clock.steps.push_back({nth, Time::latest(), sum += size});
  if (clock.steps.empty()) return;
  // When that was.
  std::vector<std::pair<std::uint32_t, Time>> ends;
  for (const auto& [channel, side] : sides)
    for (const Placed& placed : channels_[channel].ends[side]) ends.emplace_back(placed.nth, placed.end.time);
  std::ranges::sort(ends);
  for (Step& step : clock.steps) {
    const auto behind = std::ranges::lower_bound(ends, std::pair(step.nth, Time::earliest()));
    if (behind == ends.end() || behind == ends.begin()) continue;
    const Time before = std::prev(behind)->second;
    step.time = before + (behind->second - before) / 2;
  }
}

Steps::View Steps::view_of(const Sides& channel, std::size_t side) const {
  const std::span<const Placed> own = channel.ends[side];
  const std::vector<End> own_ends = without(own, channel.process[side]);
  const std::vector<End> other_ends = without(channel.ends[1 - side], channel.process[1 - side]);
  View view;
  view.lacks = static_cast<std::int64_t>(other_ends.size()) - static_cast<std::int64_t>(own_ends.size());
  std::vector<Ticks> gaps;
  for (std::size_t k = 1; k < std::min(own_ends.size(), other_ends.size()); ++k) {
    const Ticks gap = own_ends[k].time - own_ends[k - 1].time;
    const Ticks jump = subtract_saturating(gap, other_ends[k].time - other_ends[k - 1].time);
    view.intervals.push_back({own[k - 1].nth, own[k].nth, std::clamp(jump, -longest_jump, longest_jump), gap});
    gaps.push_back(gap);
  }
  if (gaps.empty()) return view;
  view.usual = std::clamp<Ticks>(middle_of(gaps), 2, longest_usual);
  const auto alike = std::ranges::count_if(
      gaps, [&](Ticks gap) { return gap >= view.usual - view.usual / 4 && gap <= view.usual + view.usual / 4; });
  view.is_regular = 2 * static_cast<std::size_t>(alike) > gaps.size();
  return view;
}

/// That after the end, or null.
Steps::Interval* Steps::interval_at(View& view, std::uint32_t nth) {
  const auto place = std::ranges::upper_bound(view.intervals, nth, {}, &Interval::last);
  return place == view.intervals.end() || place->first > nth ? nullptr : &*place;
}

bool Steps::is_jump(const View& view, const Interval& interval) {
  return std::abs(interval.jump) >= view.usual / 2 && std::abs(interval.jump) < longest_jump;
}

/// Is it the clock of the process that jumps, not the other one?
bool Steps::is_of_clock(const View& view, const Interval& interval) {
  return interval.jump > 0 ? interval.own >= view.usual + interval.jump / 2 : interval.own <= view.usual / 2;
}

/// Could a jump be that of ends in a row that are missing?
bool Steps::may_be_lost(const View& view, Ticks jump) {
  const Ticks size = std::abs(jump);
  const Ticks ends = (size + view.usual / 2) / view.usual;
  return (jump > 0 ? view.lacks : -view.lacks) >= ends && std::abs(size - ends * view.usual) <= view.usual / 8;
}

/// Do most channels show that jump after that end?
std::optional<Ticks> Steps::shared_jump(std::vector<View>& views, std::uint32_t nth, const View& of, Ticks jump) {
  std::vector<Ticks> alike;
  std::size_t all = 0;
  std::size_t lost = 0;
  for (View& view : views) {
    const Interval* const interval = interval_at(view, nth);
    if (interval == nullptr) continue;
    ++all;
    if (std::abs(interval->jump - jump) > std::min(of.usual, view.usual) / 4 || !is_of_clock(view, *interval)) continue;
    alike.push_back(interval->jump);
    lost += may_be_lost(view, interval->jump) ? 1U : 0U;
  }
  if (alike.size() < least_channels || 2 * alike.size() <= all || 2 * lost > alike.size()) return std::nullopt;
  return middle_of(std::move(alike));
}

/// In the order of their ends.
std::vector<Steps::Place> Steps::jumps_in(const std::vector<View>& views) {
  std::vector<Place> jumps;
  for (std::size_t v = 0; v < views.size(); ++v)
    for (const Interval& interval : views[v].intervals)
      if (is_jump(views[v], interval)) jumps.push_back({interval.first, interval.last, v});
  std::ranges::sort(jumps, {}, &Place::last);
  return jumps;
}

/// The ends before which clocks were set, and by how much.
std::vector<std::pair<std::uint32_t, Ticks>> Steps::steps_in(std::vector<View>& views) {
  std::vector<std::pair<std::uint32_t, Ticks>> steps;
  for (const Place& place : jumps_in(views)) {
    const Interval& interval = *interval_at(views[place.view], place.first);
    if (!is_jump(views[place.view], interval) || !is_of_clock(views[place.view], interval)) continue;
    std::uint32_t nth = place.first;
    for (View& other : views)
      if (const Interval* const its = interval_at(other, place.last - 1)) nth = std::max(nth, its->first);
    const std::optional<Ticks> size = shared_jump(views, nth, views[place.view], interval.jump);
    if (!size) continue;
    for (View& view : views) {
      Interval* const its = interval_at(view, nth);
      if (its == nullptr) continue;
      its->jump -= *size;
      its->own = subtract_saturating(its->own, *size);
    }
    steps.emplace_back(nth + 1, *size);
  }
  std::ranges::sort(steps);
  return steps;
}

template <class IsBehind>
std::vector<End> Steps::moved(std::span<const Placed> records, ProcessIndex process, IsBehind is_behind) const {
  std::vector<End> moved;
  moved.reserve(records.size());
  static const std::vector<Step> none;
  const std::vector<Step>& steps = process < clocks_.size() ? clocks_[process].steps : none;
  auto step = steps.begin();
  Ticks sum = 0;
  for (const Placed& placed : records) {
    for (; step != steps.end() && is_behind(placed, *step); ++step) sum = step->sum;
    const Time time = placed.end.time - sum;
    moved.push_back({moved.empty() ? time : std::max(moved.back().time, time), placed.end.bytes});
  }
  return moved;
}

std::vector<End> Steps::without(std::span<const Placed> ends, ProcessIndex process) const {
  return moved(ends, process, [](const Placed& placed, const Step& step) { return placed.nth >= step.nth; });
}

std::vector<End> Steps::without_between(std::span<const Placed> records, ProcessIndex process) const {
  return moved(records, process, [](const Placed& placed, const Step& step) {
    return placed.nth > step.nth || (placed.nth == step.nth && placed.end.time >= step.time);
  });
}

}  // namespace clc::lost
