#include "lost/round_trips.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "lost/bounds.hpp"
#include "lost/rule.hpp"

namespace clc::lost {

namespace {

constexpr Ticks rates = 512;              // one in so many: what clocks may differ by in their rates
constexpr std::ptrdiff_t most_trips = 8;  // that tell of an end, the nearest ones

/// All times lie so far apart, or multiples of it.
Ticks granularity(std::span<const End> ends) {
  Ticks all = 0;
  for (std::size_t k = 1; k < ends.size() && all != 1; ++k) all = std::gcd(all, ends[k].time - ends[k - 1].time);
  return all;
}

/// How much too early a receive can be, or too late a send, although they belong together: a step of a clock does not
/// show if it is smaller than a jump.
Ticks error_of(const View& view) {
  const Ticks jump = half_gap(view.fewer);
  return add_saturating(jump + jump / 2, add_saturating(granularity(view.fewer), granularity(view.more)));
}

}  // namespace

void RoundTrips::match_again() {
  std::map<std::pair<ProcessIndex, ProcessIndex>, Between> all;
  for (std::uint32_t c = 0; c < matches_.channels().size(); ++c) {
    const Matches::Channel& channel = matches_.channels()[c];
    if (!channel.in_order || !steps_.goes_on(channel.sender) || !steps_.goes_on(channel.receiver)) continue;
    Between& between = all[std::minmax(channel.sender, channel.receiver)];
    between.channels.push_back(c);
    between.ends += channel.sends.size() + channel.receives.size();
    if (channel.lacks_ends() && channel.has_ends_of_both()) between.open.push_back(c);
  }
  for (auto& [processes, between] : all) match_again(between);
}

void RoundTrips::match_again(Between& between) {
  const auto key = [&](std::uint32_t c) { return matches_.channels()[c].key(); };
  std::ranges::sort(between.open, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  while (!between.open.empty() && looks_ + between.ends <= most_looks_) {
    looks_ += between.ends;
    const Directions trips = this->trips(between);
    std::vector<View> again;
    for (const std::uint32_t c : between.open) {
      const Matches::Channel& channel = matches_.channels()[c];
      const auto back = trips.find({channel.receiver, channel.lacks_sends()});
      if (back == trips.end()) continue;
      if (std::optional<View> view = matched_again(c, back->second)) again.push_back(*std::move(view));
    }
    if (again.empty()) return;
    const auto more = [&](const View& view) { return view.matched.cost - matches_.channels()[view.channel].cost; };
    std::ranges::stable_sort(again, [&](const View& a, const View& b) { return more(a) < more(b); });
    // What goes one way tells nothing of other channels that do.
    const auto sender = [&](const View& view) { return matches_.channels()[view.channel].sender; };
    std::set<std::uint32_t> settled;
    for (View& view : again) {
      if (sender(view) != sender(again.front())) break;
      matches_.settle_again(view);
      settled.insert(static_cast<std::uint32_t>(view.channel));
    }
    std::erase_if(between.open, [&](std::uint32_t c) { return settled.contains(c); });
  }
}

/// None: it is not contradicted.
std::optional<View> RoundTrips::matched_again(std::uint32_t channel, const std::vector<Trip>& trips) const {
  View view = matches_.view(channel, steps_, turns_);
  const bool of_sends = matches_.channels()[channel].lacks_sends();
  const std::vector<std::uint32_t> partners = matches_.partners(channel);
  const Ticks error = error_of(view);
  std::vector<Range> ranges(view.fewer.size());
  bool holds = true;
  auto next = trips.begin();
  for (std::size_t k = 0; k < view.fewer.size(); ++k) {
    while (next != trips.end() && next->place < view.places[k]) ++next;
    const auto first = of_sends ? next - std::min(next - trips.begin(), most_trips) : next;
    const auto last = of_sends ? next : next + std::min(trips.end() - next, most_trips);
    // A receive is not earlier than the latest, a send not later than the earliest of what trips tell.
    Time bound = of_sends ? Time::earliest() : Time::latest();
    for (auto trip = first; trip != last; ++trip) {
      const Ticks apart = view.fewer[k].time - trip->own;
      const Ticks since = of_sends ? std::max<Ticks>(0, apart) : std::min<Ticks>(0, apart);
      const Time told = trip->other + (since - since / rates);
      bound = of_sends ? std::max(bound, told) : std::min(bound, told);
    }
    const auto end = std::ranges::partition_point(view.more, [&](const End& other) {
      return of_sends ? other.time + error < bound : !(bound + error < other.time);
    });
    (of_sends ? ranges[k].first : ranges[k].last) = static_cast<std::uint32_t>(end - view.more.begin());
    holds &= partners[k] == no_partner || (partners[k] >= ranges[k].first && partners[k] < ranges[k].last);
  }
  if (holds) return std::nullopt;
  view.matched = match(view, ranges);
  return view.matched.is_known ? std::optional(std::move(view)) : std::nullopt;
}

/// By the messages that are matched.
RoundTrips::Directions RoundTrips::trips(const Between& between) const {
  Directions trips;
  for (const std::uint32_t c : between.channels) {
    const Matches::Channel& channel = matches_.channels()[c];
    if (!channel.is_known && channel.lacks_sends()) continue;
    const std::vector<End> sends = steps_.without(channel.sends, channel.sender);
    const std::vector<End> receives = steps_.without(channel.receives, channel.receiver);
    const std::vector<std::uint32_t> matched = matches_.receives_of_sends(c);
    for (std::size_t s = 0; s < sends.size(); ++s)
      if (const std::uint32_t r = matched[s]; r < receives.size()) {
        trips[{channel.sender, true}].push_back({channel.receives[r].nth, receives[r].time, sends[s].time});
        trips[{channel.sender, false}].push_back({channel.sends[s].nth, sends[s].time, receives[r].time});
      }
  }
  for (auto& [direction, all] : trips) std::ranges::sort(all, {}, &Trip::place);
  return trips;
}

}  // namespace clc::lost
