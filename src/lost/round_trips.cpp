#include "lost/round_trips.hpp"

#include <algorithm>
#include <map>
#include <numeric>
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

/// The channels between two processes each, if some of them lack sends.
std::vector<std::vector<std::uint32_t>> RoundTrips::groups() const {
  std::map<std::pair<ProcessIndex, ProcessIndex>, std::vector<std::uint32_t>> between;
  const auto pair = [&](std::uint32_t c) {
    const Matches::Channel& channel = matches_.channels()[c];
    return std::pair(std::minmax(channel.sender, channel.receiver));
  };
  const std::size_t channels = matches_.channels().size();
  for (std::uint32_t c = 0; c < channels; ++c)
    if (matches_.channels()[c].in_order && matches_.channels()[c].lacks_sends()) between[pair(c)];
  for (std::uint32_t c = 0; c < channels; ++c)
    if (const auto found = between.find(pair(c)); found != between.end() && matches_.channels()[c].in_order)
      found->second.push_back(c);
  std::vector<std::vector<std::uint32_t>> groups;
  groups.reserve(between.size());
  for (auto& [processes, group] : between) groups.push_back(std::move(group));
  return groups;
}

void RoundTrips::match_again() {
  for (const std::vector<std::uint32_t>& between : groups()) match_again(between);
}

void RoundTrips::match_again(Channels between) {
  std::vector<std::uint32_t> left;
  for (const std::uint32_t c : between)
    if (matches_.channels()[c].lacks_sends()) left.push_back(c);
  const auto key = [&](std::uint32_t c) { return matches_.channels()[c].key(); };
  std::sort(left.begin(), left.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (;;) {
    std::optional<View> best;
    const auto more = [&](const View& view) { return view.matched.cost - matches_.channels()[view.channel].cost; };
    for (const std::uint32_t c : left) {
      std::optional<View> view = matched_again(c, between);
      if (view && (!best || more(*view) < more(*best))) best = std::move(view);
    }
    if (!best) return;
    matches_.settle_again(*best);
    std::erase(left, best->channel);
  }
}

/// None: it is not contradicted, or clocks may have been set.
std::optional<View> RoundTrips::matched_again(std::uint32_t channel, Channels between) const {
  const Matches::Channel& own = matches_.channels()[channel];
  if (!steps_.goes_on(own.sender) || !steps_.goes_on(own.receiver)) return std::nullopt;
  const std::vector<Message> back = messages(own.receiver, own.sender, between);
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
  view.matched = match(view.fewer, view.more, Unlike::unusual, view.clocks, ranges(early, view.more.size()));
  return view.matched.is_known ? std::optional(std::move(view)) : std::nullopt;
}

/// That are matched, in the order of the receives.
std::vector<RoundTrips::Message> RoundTrips::messages(ProcessIndex sender, ProcessIndex receiver,
                                                      Channels between) const {
  std::vector<Message> messages;
  for (const std::uint32_t c : between) {
    const Matches::Channel& channel = matches_.channels()[c];
    if (channel.sender != sender || channel.receiver != receiver) continue;
    const std::vector<End> sends = steps_.without(channel.sends, sender);
    const std::vector<End> receives = steps_.without(channel.receives, receiver);
    std::size_t s = 0;
    for (std::size_t r = 0; r < receives.size(); ++r) {
      const std::optional<std::uint32_t> send = matches_.send_of(receiver, channel.receives[r].nth);
      if (!send) continue;
      while (channel.sends[s].nth < *send) ++s;
      messages.push_back({channel.receives[r].nth, sends[s].time, receives[r].time});
    }
  }
  std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) { return a.receive < b.receive; });
  return messages;
}

}  // namespace clc::lost
