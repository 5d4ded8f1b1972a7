#include "matching/lost/by_trips.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace clc::matching {

ByTrips::ByTrips(WholeMatches& matches)
    : matches_(matches), ends_(matches.ends()), times_(ends_.all.size()), receive_of_(ends_.all.size()) {
  for (std::uint32_t c = 0; c < ends_.channels.size(); ++c) {
    if (!matches_[c].in_order) continue;
    const auto sides = ends_.sides_of(matches_.ends_of(c));
    const std::array without{matches_.steps().without(ends_.channels[c].sender, sides[0]),
                             matches_.steps().without(ends_.channels[c].receiver, sides[1])};
    std::array<std::size_t, 2> next{};
    for (const std::uint32_t e : matches_.ends_of(c)) {
      const std::size_t side = ends_.all[e].send ? 0 : 1;
      times_[e] = without[side][next[side]++].time;
    }
  }
}

/// What all times of one clock differ by is a multiple of that.
Ticks ByTrips::tick_of(const Ends& ends) const {
  Ticks tick = 0;
  for (std::size_t k = 1; k < ends.size(); ++k) tick = std::gcd(tick, times_[ends[k]] - times_[ends[k - 1]]);
  return tick;
}

Ticks ByTrips::jump_of(const Ends& ends) const {
  std::vector<WholeEnd> own;
  own.reserve(ends.size());
  for (const std::uint32_t e : ends) own.push_back({times_[e]});
  return size_of_jump(own);
}

/// back: receives of messages from the receiver to the sender. The eight last ones ahead of the send tell.
Time ByTrips::earliest_receive(std::uint32_t send, const Ends& back) const {
  auto last = std::partition_point(back.begin(), back.end(),
                                   [&](std::uint32_t receive) { return ends_.all[receive].nth < ends_.all[send].nth; });
  Time earliest = Time::earliest();
  for (int looks = 0; looks < 8 && last != back.begin(); ++looks) {
    --last;
    const Ticks own = times_[send] - times_[*last];
    const Time sent = times_[matches_.partners()[*last]];
    earliest = std::max(earliest, own > 0 ? sent + (own - own / 512) : sent);
  }
  return earliest;
}

/// back: sends of messages from the receiver to the sender. The eight first ones behind the receive tell.
Time ByTrips::latest_send(std::uint32_t receive, const Ends& back) const {
  auto next = std::partition_point(back.begin(), back.end(),
                                   [&](std::uint32_t send) { return ends_.all[send].nth < ends_.all[receive].nth; });
  Time latest = Time::latest();
  for (int looks = 0; looks < 8 && next != back.end(); ++looks, ++next) {
    const Ticks own = times_[*next] - times_[receive];
    const Time received = times_[receive_of_[*next]];
    latest = std::min(latest, own > 0 ? received - (own - own / 512) : received);
  }
  return latest;
}

/// Which ends of the side with more can belong to those of the side with fewer; none: nothing contradicts the matches.
std::optional<ByTrips::Bounds> ByTrips::bounds(std::uint32_t channel, const Between& back) const {
  const auto which = matches_.sends_and_receives(channel);
  const auto& [sends, receives] = which;
  const bool lacks_sends = matches_.more_sends(channel) < 0;
  const Ticks ticks = add_saturating(tick_of(sends), tick_of(receives));
  const Ticks error = add_saturating(jump_of(lacks_sends ? sends : receives) * 3 / 2, ticks);
  Bounds bounds;
  if (lacks_sends) {
    for (const std::uint32_t send : sends) {
      const Time earliest = earliest_receive(send, back.receives);
      const auto first = std::partition_point(
          receives.begin(), receives.end(), [&](std::uint32_t receive) { return times_[receive] + error < earliest; });
      bounds.emplace_back(first - receives.begin(), receives.size());
    }
  } else {
    for (const std::uint32_t receive : receives) {
      const Time latest = latest_send(receive, back.sends);
      const auto last = std::partition_point(sends.begin(), sends.end(),
                                             [&](std::uint32_t send) { return times_[send] <= latest + error; });
      bounds.emplace_back(0, last - sends.begin());
    }
  }
  for (const auto& [send, receive] : matches_.pairs(channel)) {
    const auto& [first, last] = bounds[lacks_sends ? send : receive];
    const std::size_t partner = lacks_sends ? receive : send;
    if (partner < first || partner >= last) return bounds;
  }
  return std::nullopt;
}

void ByTrips::match() {
  std::map<std::pair<ProcessIndex, ProcessIndex>, std::vector<std::uint32_t>> pairs;
  for (std::uint32_t c = 0; c < ends_.channels.size(); ++c) {
    const auto& [sender, receiver] = std::pair(ends_.channels[c].sender, ends_.channels[c].receiver);
    if (matches_[c].in_order && matches_.steps().never_set(sender) && matches_.steps().never_set(receiver))
      pairs[std::minmax(sender, receiver)].push_back(c);
  }
  std::uint64_t ends = 0;
  for (const MessageEnds::OfProcess& own : ends_.processes) ends += own.ends;
  looks_ = WholeMatches::most_looks(ends);
  for (auto& [processes, channels] : pairs) {
    matches_.sort_by_name(channels);
    match_pair(channels);
  }
}

/// Messages that are matched, by the sender.
std::map<ProcessIndex, ByTrips::Between> ByTrips::matched_ends(const std::vector<std::uint32_t>& channels) {
  std::map<ProcessIndex, Between> all;
  for (const std::uint32_t c : channels)
    for (const std::uint32_t e : matches_.ends_of(c)) {
      if (ends_.all[e].send || matches_.partners()[e] == WholeMatches::none) continue;
      Between& own = all[ends_.channels[c].sender];
      own.receives.push_back(e);
      own.sends.push_back(matches_.partners()[e]);
      receive_of_[matches_.partners()[e]] = e;
    }
  const auto nth = [&](std::uint32_t e) { return ends_.all[e].nth; };
  for (auto& [sender, own] : all) {
    std::ranges::sort(own.receives, {}, nth);
    std::ranges::sort(own.sends, {}, nth);
  }
  return all;
}

/// First those that then cost least more, up to the first that goes the other way.
void ByTrips::match_pair(const std::vector<std::uint32_t>& channels) {
  std::uint64_t ends = 0;
  for (const std::uint32_t c : channels) ends += matches_.ends_of(c).size();
  std::vector<std::uint32_t> left = channels;
  std::erase_if(left, [&](std::uint32_t c) { return !matches_.is_incomplete(c); });
  while (!left.empty() && looks_ >= ends) {
    looks_ -= ends;
    const auto matched = matched_ends(channels);
    struct Again {
      std::int64_t more;
      std::size_t place;  // in left
      WholeMatches::Whole whole;
    };
    std::vector<Again> again;
    for (std::size_t place = 0; place < left.size(); ++place) {
      const std::uint32_t c = left[place];
      const auto back = matched.find(ends_.channels[c].receiver);
      if (back == matched.end()) continue;
      const std::optional<Bounds> bounds = this->bounds(c, back->second);
      if (!bounds) continue;
      WholeMatches::Whole found = matches_.whole(c, *bounds);
      if (found.match) again.push_back({found.match->cost - matches_[c].cost, place, std::move(found)});
    }
    if (again.empty()) return;
    std::ranges::sort(
        again, [](const Again& a, const Again& b) { return std::pair(a.more, a.place) < std::pair(b.more, b.place); });
    const ProcessIndex sender = ends_.channels[left[again.front().place]].sender;
    for (Again& each : again) {
      const std::uint32_t c = left[each.place];
      if (ends_.channels[c].sender != sender) break;
      matches_.settle(c, each.whole);
      left[each.place] = WholeMatches::none;
    }
    std::erase(left, WholeMatches::none);
  }
}

}  // namespace clc::matching
