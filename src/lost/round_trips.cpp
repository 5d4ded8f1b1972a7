#include "lost/round_trips.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "lost/bounds.hpp"
#include "lost/rule.hpp"

namespace clc::lost {

namespace {

constexpr Ticks rates = 512;         // one in so many: what clocks may differ by in their rates
constexpr std::ptrdiff_t trips = 8;  // that tell of a send, the last ones

/// All times lie so far apart, or multiples of it.
Ticks granularity(std::span<const End> ends) {
  Ticks all = 0;
  for (std::size_t k = 1; k < ends.size() && all != 1; ++k) all = std::gcd(all, ends[k].time - ends[k - 1].time);
  return all;
}

/// How much too early a receive can be although it belongs to its send: a step of a clock does not show if it is
/// smaller than a jump.
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
    if (channel.lacks_sends() && !channel.sends.empty()) between.open.push_back(c);
  }
  for (auto& [processes, between] : all) match_again(between);
}

void RoundTrips::match_again(Between& between) {
  const auto key = [&](std::uint32_t c) { return matches_.channels()[c].key(); };
  std::ranges::sort(between.open, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  while (!between.open.empty() && looks_ + between.ends <= most_looks_) {
    looks_ += between.ends;
    const Directions messages = this->messages(between);
    std::vector<View> again;
    for (const std::uint32_t c : between.open) {
      const auto back = messages.find(matches_.channels()[c].receiver);
      if (back == messages.end()) continue;
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
std::optional<View> RoundTrips::matched_again(std::uint32_t channel, std::span<const Message> back) const {
  View view = matches_.view(channel, steps_, turns_);
  const std::vector<std::uint32_t> receives = matches_.receives_of_sends(channel);
  const Ticks error = error_of(view);
  std::vector<std::uint32_t> early;
  early.reserve(view.fewer.size());
  bool holds = true;
  auto next = back.begin();
  for (std::size_t k = 0; k < view.fewer.size(); ++k) {
    while (next != back.end() && next->receive < view.places[k]) ++next;
    Time earliest = Time::earliest();
    for (auto last = next - std::min(next - back.begin(), trips); last != next; ++last) {
      const Ticks since = std::max<Ticks>(0, view.fewer[k].time - last->received);
      earliest = std::max(earliest, last->sent + (since - since / rates));
    }
    const auto first = std::partition_point(view.more.begin(), view.more.end(),
                                            [&](const End& receive) { return receive.time + error < earliest; });
    early.push_back(static_cast<std::uint32_t>(first - view.more.begin()));
    holds &= receives[k] >= early[k];
  }
  if (holds) return std::nullopt;
  view.matched = match(view, ranges(early, view.more.size()));
  return view.matched.is_known ? std::optional(std::move(view)) : std::nullopt;
}

/// That are matched, in the order of the receives.
RoundTrips::Directions RoundTrips::messages(const Between& between) const {
  Directions messages;
  for (const std::uint32_t c : between.channels) {
    const Matches::Channel& channel = matches_.channels()[c];
    if (!channel.is_known && channel.lacks_sends()) continue;
    const std::vector<End> sends = steps_.without(channel.sends, channel.sender);
    const std::vector<End> receives = steps_.without(channel.receives, channel.receiver);
    const std::vector<std::uint32_t> matched = matches_.receives_of_sends(c);
    for (std::size_t s = 0; s < sends.size(); ++s)
      if (const std::uint32_t r = matched[s]; r < receives.size())
        messages[channel.sender].push_back({channel.receives[r].nth, sends[s].time, receives[r].time});
  }
  for (auto& [sender, all] : messages) std::ranges::sort(all, {}, &Message::receive);
  return messages;
}

}  // namespace clc::lost
