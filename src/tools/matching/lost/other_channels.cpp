#include "matching/lost/other_channels.hpp"

#include <algorithm>

namespace clc::matching {

OtherChannels::OtherChannels(const MessageEnds& ends, const Channels& channels, const FloorRule& rule,
                             std::uint32_t channel, const DoubtfulMatch& match)
    : ends_(ends), channels_(channels), rule_(rule), match_(match) {
  const Ticks half_a_gap = match.floor.usual_gap() / 2;
  clocks_ = {{{ends.channels[channel].sender, match.sent[0] + half_a_gap},
              {ends.channels[channel].receiver, match.received[0] + half_a_gap}}};
}

bool OtherChannels::is_reverse(std::uint32_t channel) const {
  const MessageEnds::Channel& its = ends_.channels[channel];
  return its.sender == clocks_[1].process && its.receiver == clocks_[0].process;
}

/// Was the channel steady when the one in doubt last hit its floor, and a gap before that? By the clocks of the
/// processes of both.
bool OtherChannels::was_steady(std::uint32_t channel) const {
  const MessageEnds::Channel& its = ends_.channels[channel];
  const ChannelFloor& floor = channels_[channel].floor;
  for (const Clock& clock : clocks_) {
    if (clock.process != its.sender && clock.process != its.receiver) continue;
    const Time since = floor.own(floor.since, clock.process == its.sender);
    const Time last_hit = match_.floor.own(match_.floor.hit, clock.process == clocks_[0].process);
    if (since + match_.floor.usual_gap() >= last_hit) return false;
  }
  return true;
}

OtherChannels::Watched OtherChannels::watch(std::uint32_t channel) const {
  const WaitingEnds& its = channels_[channel];
  Watched other;
  other.floor = its.floor;
  other.hit = its.floor.hit;
  const bool receives = its.receives() > 0;
  const std::size_t waiting = std::max(its.sends(), its.receives());
  other.known = its.in_order() && rule_.is_trusted(its.floor) && waiting <= DoubtfulMatch::most_ends;
  other.tells = other.known && was_steady(channel);
  if (!other.known) return other;
  other.receives = receives;
  for (std::size_t k = 0; k < waiting; ++k)
    other.waiting.push_back(ends_.all[receives ? its.slots()[k].receive : its.slots()[k].send].time);
  return other;
}

/// Two messages of another channel at its floor tell that the clocks of its processes go on.
void OtherChannels::add(const MessageEnds::End& next) {
  const MessageEnds::Channel& its = ends_.channels[next.channel];
  const auto takes_part = [&](const Clock& clock) {
    return clock.process == its.sender || clock.process == its.receiver;
  };
  if (std::none_of(clocks_.begin(), clocks_.end(), takes_part)) return;
  auto entry = watched_.find(next.channel);
  if (entry == watched_.end()) {
    entry = watched_.emplace(next.channel, watch(next.channel)).first;
    const ChannelFloor& floor = entry->second.floor;
    if (entry->second.tells) hit(next.channel, floor.own(floor.hit, true), floor.own(floor.hit, false));
  }
  Watched& other = entry->second;
  if (next.overtakes != 0) other.known = false;
  if (!other.known) return;
  if (other.waiting.empty()) other.receives = !next.send;
  if (other.receives != next.send) {
    other.waiting.push_back(next.time);
    return;
  }
  const Time first = other.waiting.front();
  other.waiting.pop_front();
  const Time sent = next.send ? next.time : first;
  const Time received = next.send ? first : next.time;
  const bool hits = rule_.is_at(other.floor, received - sent, next.time);
  if (sent >= match_.received[0] || received >= match_.sent[0]) {
    other.hits |= hits;
    other.away.push_back(subtract_saturating(received - sent, other.floor.delay));
  }
  other.tells =
      other.tells && (hits ? other.floor.is_soon(next.time - other.hit) : received - sent > other.floor.delay);
  if (!hits || !other.tells) return;
  other.hit = next.time;
  hit(next.channel, sent, received);
}

/// A steady channel hits its floor then. Half a gap later, because a clock that was set back stands still at first.
void OtherChannels::hit(std::uint32_t channel, Time sent, Time received) {
  const MessageEnds::Channel& steady = ends_.channels[channel];
  for (Clock& clock : clocks_) {
    if (clock.process == steady.sender) clock.goes_on |= sent >= clock.from;
    if (clock.process == steady.receiver) clock.goes_on |= received >= clock.from;
  }
}

/// Clocks that are set move the delays both ways apart, and leave the round trip as it is.
bool OtherChannels::round_trip_stays() const {
  Ticks moved = ticks_max;
  for (std::size_t k = 0; k < match_.matches(); ++k)
    moved = std::min(moved, subtract_saturating(match_.received[k] - match_.sent[k], match_.floor.delay));
  for (const auto& [channel, other] : watched_) {
    if (!is_reverse(channel) || !other.known || other.hits || other.away.size() < 3) continue;
    const Ticks back = *std::min_element(other.away.begin(), other.away.end());
    if (size_of(add_saturating(back, moved)) <= std::max(match_.around, size_of(moved) / 4)) return true;
  }
  return false;
}

std::optional<std::size_t> OtherChannels::lone_ends() const {
  if (!clocks_go_on()) return std::nullopt;
  const auto lone = match_.by_floor();
  return lone && round_trip_stays() ? std::optional<std::size_t>(0) : lone;
}

}  // namespace clc::matching
