#include "sync/matcher.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "clc/event.hpp"

namespace clc::sync {

void Matcher::add(const Event& event) {
  if (event.process >= states_.size()) states_.resize(event.process + std::size_t{1});
  State& state = states_[event.process];
  bool waited = false;
  if (state.last) {
    const Ticks gap = event.time - *state.last;
    if (event.role == Role::receive) {
      state.shortest_gap = std::min(state.shortest_gap, gap);
      const Ticks quick = std::min(state.shortest_gap, quick_);
      waited = static_cast<double>(gap) > 2.5 * static_cast<double>(quick);
    }
    if (state.tick != 1 && gap > 0) {
      state.tick = std::gcd(state.tick, gap);
      ++state.gaps;
    }
    state.last = std::max(*state.last, event.time);
    Span& of_clock = *spans_[state.clock];
    of_clock.first = std::min(of_clock.first, event.time);
    of_clock.last = std::max(of_clock.last, event.time);
  } else {
    start(state, event);
  }
  switch (event.role) {
    case Role::send:
    case Role::receive:
      message(event, {event.time, state.clock, waited});
      break;
    case Role::collective_begin:
      state.begins[event.tag] = state.begins[0] = event.time;
      break;
    case Role::collective_end:
      collective_end(event, state);
      break;
    case Role::internal:
      break;
  }
}

void Matcher::start(State& state, const Event& event) {
  if (definitions_.resolution != resolution_) {
    resolution_ = definitions_.resolution;
    quick_ = resolution_.ticks_of_microseconds(2);
  }
  state.last = event.time;
  state.clock = clock_of(event.process);
  if (state.clock >= spans_.size()) spans_.resize(state.clock + std::size_t{1});
  std::optional<Span>& of_clock = spans_[state.clock];
  if (!of_clock) of_clock = {event.time, event.time};
  of_clock->first = std::min(of_clock->first, event.time);
  of_clock->last = std::max(of_clock->last, event.time);
}

void Matcher::forget_before(Time time) {
  std::vector<Channel> kept;
  places_.retain([&](const ChannelKey& /*key*/, std::uint32_t& place) {
    Channel& channel = channels_[place];
    for (Pending<Side>* sides : {&channel.unmatched_sends, &channel.unmatched_receives})
      sides->remove_if([&](const Side& side) { return side.time < time; });
    if (channel.unmatched_sends.empty() && channel.unmatched_receives.empty()) return false;
    place = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(channel));
    return true;
  });
  channels_ = std::move(kept);
  for (auto& [communicator, group] : groups_)
    std::erase_if(group.open, [&](const auto& entry) {
      return std::all_of(entry.second.members.begin(), entry.second.members.end(),
                         [&](const auto& member) { return member.second.end < time; });
    });
}

std::optional<Matcher::Span> Matcher::span(ClockIndex clock) const {
  return clock < spans_.size() ? spans_[clock] : std::nullopt;
}

ClockIndex Matcher::clock_of(ProcessIndex process) const { return definitions_.processes()[process].clock; }

Ticks Matcher::coarsest_tick() const noexcept {
  constexpr std::uint32_t enough = 16;  // gaps, to be no coincidence
  Ticks coarsest = 1;
  for (const State& state : states_)
    if (state.gaps >= enough) coarsest = std::max(coarsest, state.tick);
  return coarsest;
}

std::size_t Matcher::lacking_ends() const noexcept {
  std::size_t ends = 0;
  for (const Channel& channel : channels_) ends += channel.unmatched_sends.size() + channel.unmatched_receives.size();
  return ends;
}

bool Matcher::lacks_calls() const noexcept {
  return members_disagree_ ||
         std::any_of(groups_.begin(), groups_.end(), [](const auto& entry) { return !entry.second.open.empty(); });
}

Matcher::Channel& Matcher::channel_of(const ChannelKey& key) {
  const std::uint64_t mixed = key.ends + (key.ends >> 32U) * 61 + static_cast<std::uint64_t>(key.tag);
  std::uint32_t& recent = recent_[mixed % recent_channels];
  if (recent < channels_.size() && channels_[recent].key == key) return channels_[recent];
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
  const std::optional<Span> other = earlier_->span(clock_of(event.peer));
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

void Matcher::collective_end(const Event& event, State& state) {
  const auto begin = state.begins.find(event.tag);
  const bool known = begin != state.begins.end();
  const Time began = known ? begin->second : event.time;
  if (known && event.tag != 0) state.begins.erase(begin);
  if (event.communicator >= definitions_.communicators().size()) return;
  const Communicator& communicator = definitions_.communicators()[event.communicator];
  const Members& members = communicator.members;
  if (members.size() < 2) return;
  Group& group = groups_[event.communicator];
  if (group.changes != communicator.changes) {
    group.changes = communicator.changes;
    group.ranks.clear();
    for (Rank rank = 0; rank < members.size(); ++rank) group.ranks.try_emplace(members[rank], rank);
  }
  const auto rank = group.ranks.find(event.process);
  if (rank == group.ranks.end()) return;
  std::uint64_t& calls = group.calls[event.process];
  const std::uint64_t call = calls + event.missed;
  calls = call + 1;
  const OperationInfo& operation = info(event.operation);
  Operation& open =
      group.open.try_emplace(call, Operation{event.operation, operation.kind, event.root, true, {}}).first->second;
  open.agreed &= open.what == event.operation && (!operation.rooted || open.root == event.root);
  members_disagree_ |= !open.agreed;
  const bool all = event.operation == clc::Operation::barrier;
  open.members.try_emplace(
      rank->second, Gathering::Member{clock_of(event.process), began, event.time, known && (all || event.bytes > 0),
                                      all || event.received > 0});
  const bool is_known = event.absent < most_absent;
  if (open.members.size() + (is_known ? event.absent : 0) < members.size()) return;
  if (open.agreed) finish(event.communicator, open);
  group.open.erase(call);
}

void Matcher::finish(CommunicatorIndex communicator, const Operation& operation) {
  std::vector<Gathering::Member> members;
  for (const auto& [rank, member] : operation.members) members.push_back(member);
  const auto root = operation.members.find(operation.root);
  const auto edge = [&](const Gathering::Member& from, const Gathering::Member& to) {
    if (from.tail && to.head && from.clock != to.clock)
      collector_.add({from.clock, to.clock, {from.begin, to.end, false}});
  };
  switch (operation.kind) {
    case CollectiveClass::one_to_n:
      if (root == operation.members.end()) return;
      for (const Gathering::Member& member : members) edge(root->second, member);
      return;
    case CollectiveClass::prefix:
      for (std::size_t k = 1; k < members.size(); ++k) edge(members[k - 1], members[k]);
      return;
    case CollectiveClass::n_to_one: {
      if (root == operation.members.end()) return;
      const auto which = static_cast<std::size_t>(std::distance(operation.members.begin(), root));
      for (std::size_t k = 0; k < members.size(); ++k) members[k].head &= k == which;
      break;
    }
    case CollectiveClass::n_to_n:
      break;
  }
  collector_.add(communicator, {std::move(members)});
}

}  // namespace clc::sync
