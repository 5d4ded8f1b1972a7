#include "sync/matcher.hpp"

#include <algorithm>

#include "clc/event.hpp"

namespace clc::sync {

void Matcher::add(const Event& event) {
  bool waited = false;
  Records::OfProcess& process = records_.add(event, waited);
  if (!collector_.knows(process.clock())) collector_.begin(process.clock(), event.time, definitions_.resolution);
  switch (event.role) {
    case Role::send:
      message(event, {event.time + transfer_.of(event.bytes), process.clock(), waited});
      break;
    case Role::receive:
      message(event, {event.time, process.clock(), waited});
      break;
    case Role::collective_begin:
      process.begin(event);
      break;
    case Role::collective_end:
      collective_end(event, process);
      break;
    case Role::internal:
      break;
  }
}

/// Forgets the channels for which that is false.
template <class IsKept>
void Matcher::retain(IsKept is_kept) {
  std::vector<Channel> kept;
  places_.retain([&](const ChannelKey& /*key*/, std::uint32_t& place) {
    Channel& channel = channels_[place];
    if (!is_kept(channel)) return false;
    place = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(channel));
    return true;
  });
  channels_ = std::move(kept);
}

void Matcher::forget_before(Time time) {
  retain([&](Channel& channel) {
    for (Pending<Side>* sides : {&channel.unmatched_sends, &channel.unmatched_receives})
      sides->remove_if([&](const Side& side) { return side.time < time; });
    return channel.has_ends();
  });
  operations_.forget_before(time);
}

/// Channels in which all is matched start anew. In some formats, and where tags are numbers of messages, each message
/// has a channel of its own.
void Matcher::forget_matched() {
  retain([&](const Channel& channel) {
    if (channel.has_ends() || !channel.numbers.overtaken.empty() || channel.contradicts) return true;
    const Channel* const known = earlier_ == nullptr ? nullptr : earlier_->known_channel(channel.key);
    return known != nullptr && known->has_ends();
  });
  most_channels_ = std::max(least_forgotten, 2 * channels_.size());
}

ClockIndex Matcher::clock_of(ProcessIndex process) const { return definitions_.processes()[process].clock; }

std::size_t Matcher::lacking_ends() const noexcept {
  std::size_t ends = 0;
  for (const Channel& channel : channels_) ends += channel.unmatched_sends.size() + channel.unmatched_receives.size();
  return ends;
}

Matcher::Channel& Matcher::channel_of(const ChannelKey& key) {
  const std::uint64_t mixed = key.ends + (key.ends >> 32U) * 61 + static_cast<std::uint64_t>(key.tag);
  std::uint32_t& recent = recent_[mixed % recent_channels];
  if (recent < channels_.size() && channels_[recent].key == key) return channels_[recent];
  if (channels_.size() >= most_channels_) [[unlikely]]
    forget_matched();
  const auto [place, is_new] = places_.insert(key, static_cast<std::uint32_t>(channels_.size()));
  recent = *place;
  return is_new ? new_channel(key) : channels_[recent];
}

Matcher::Channel& Matcher::new_channel(const ChannelKey& key) {
  Channel& channel = channels_.emplace_back();
  channel.key = key;
  if (earlier_ == nullptr || !key.names_both_ends()) return channel;
  const Channel* known = earlier_->known_channel(key);
  if (known == nullptr) return channel;
  channel.lone_sends = known->unmatched_sends.size();
  channel.lone_receives = known->unmatched_receives.size();
  return channel;
}

const Matcher::Channel* Matcher::known_channel(const ChannelKey& key) const noexcept {
  const std::uint32_t* place = places_.find(key);
  return place == nullptr ? nullptr : &channels_[*place];
}

bool Matcher::comes_early(Channel& channel, const Event& event) const {
  std::size_t& lone = event.role == Role::send ? channel.lone_sends : channel.lone_receives;
  if (lone == 0 || event.overtakes != 0 || !channel.numbers.overtaken.empty()) return false;
  const std::optional<ClockSpan> other = earlier_->records_.span(clock_of(event.peer));
  if (!other || event.time >= other->first) return false;
  --lone;
  return true;
}

void Matcher::message(const Event& event, const Side& side) {
  if (event.other_end == OtherEnd::missing) return;
  const bool sends = event.role == Role::send;
  Channel& channel = channel_of(ChannelKey(event));
  if (event.other_end == OtherEnd::present) channel.lone_sends = channel.lone_receives = 0;
  if (channel.lacks_ends() && comes_early(channel, event)) return;
  const std::uint64_t number = channel.numbers.take(sends, event.overtakes);
  if (channel.lacks_ends() || consistency_) return match(channel, number, side, sends);
  const std::optional<Side> other = (sends ? channel.unmatched_receives : channel.unmatched_sends).take(number);
  if (!other)
    (sends ? channel.unmatched_sends : channel.unmatched_receives).add(number, side);
  else if (sends)
    edge(side, *other);
  else
    edge(*other, side);
}

void Matcher::match(Channel& channel, std::uint64_t number, const Side& side, bool sends) {
  Pending<Side>& others = sends ? channel.unmatched_receives : channel.unmatched_sends;
  if (sends && takes_last(channel, side)) return;
  if (!sends) number = skip_sends(channel, number, side);
  for (;; number = channel.numbers.sends++) {
    const Side* found = others.find(number);
    if (found == nullptr) break;
    const Side other = *found;
    const bool holds = sends ? edge(side, other) : edge(other, side);
    if (!holds && channel.lone_receives > 0 && channel.numbers.overtaken.empty()) {
      --channel.lone_receives;
      if (!sends) {  // the next receive has its number
        channel.numbers.receives = number;
        return;
      }
      others.remove(number);
      continue;
    }
    if (!holds && !std::exchange(channel.contradicts, true)) ++contradicting_;
    if (channel.lone_sends > 0) channel.last = sends ? other : side;
    others.remove(number);
    return;
  }
  (sends ? channel.unmatched_sends : channel.unmatched_receives).add(number, side);
}

std::uint64_t Matcher::skip_sends(Channel& channel, std::uint64_t number, const Side& receive) {
  if (channel.lone_sends == 0 || !channel.numbers.overtaken.empty()) return number;
  while (channel.lone_sends > 0 && channel.unmatched_sends.find(number) != nullptr) {
    const Side* next = channel.unmatched_sends.find(number + 1);
    if (next == nullptr || !consistency_->is_usual(edge_of(*next, receive))) break;
    channel.unmatched_sends.remove(number);
    --channel.lone_sends;
    channel.numbers.receives = ++number + 1;
  }
  return number;
}

bool Matcher::takes_last(Channel& channel, const Side& send) {
  if (channel.lone_sends == 0 || !channel.last || !channel.numbers.overtaken.empty()) return false;
  if (!channel.unmatched_sends.empty() || !consistency_->is_usual(edge_of(send, *channel.last))) return false;
  --channel.lone_sends;
  --channel.numbers.sends;
  edge(send, *channel.last);
  return true;
}

Edge Matcher::edge_of(const Side& send, const Side& receive) const {
  return {send.clock, receive.clock, {send.time, receive.time, receive.waited}};
}

bool Matcher::edge(const Side& send, const Side& receive) {
  const Edge edge = edge_of(send, receive);
  if (edge.from == edge.to) return true;
  if (consistency_ && !consistency_->accept(edge)) return false;
  collector_.add(edge);
  return true;
}

void Matcher::collective_end(const Event& event, Records::OfProcess& process) {
  const std::optional<Call> call = calls_.end(event, process.end(event), process.clock());
  if (!call) return;
  std::optional<OpenOperations::Complete> complete = operations_.add(*call);
  if (!complete) return;
  for (const Edge& edge : complete->edges) collector_.add(edge);
  if (!complete->gathering.members.empty())
    collector_.add(group_of(definitions_, event.communicator), std::move(complete->gathering));
}

}  // namespace clc::sync
