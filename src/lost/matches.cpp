#include "lost/matches.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace clc::lost {

void Matches::add(const Event& event, Time time) {
  OfProcess& own = processes_[event.process];
  const auto nth = static_cast<std::uint32_t>(own.links.size());
  own.other_ends.push_back(OtherEnd::unknown);
  Link& link = own.links.emplace_back();
  if (event.peer == no_process || event.peer == event.process) return;
  const auto [place, is_new] = index_.try_emplace(ChannelKey(event), static_cast<std::uint32_t>(channels_.size()));
  if (is_new) channels_.push_back({sender_of(event), receiver_of(event), event.communicator, event.tag, {}, {}});
  link.channel = place->second;
  Channel& channel = channels_[place->second];
  channel.in_order &= event.role == Role::send || event.overtakes == 0;
  (event.role == Role::send ? channel.sends : channel.receives).push_back({{time, event.bytes}, nth});
}

void Matches::leave_out_within_clocks(const Definitions& definitions) {
  for (Channel& channel : channels_) channel.in_order &= !definitions.share_a_clock(channel.sender, channel.receiver);
}

void Matches::clear() {
  index_ = {};
  channels_ = {};
  processes_ = std::vector<OfProcess>(processes_.size());
}

bool Matches::knows(const Loss& loss) const {
  Event send;
  send.role = Role::send;
  send.process = loss.sender;
  send.peer = loss.receiver;
  send.communicator = loss.communicator;
  send.tag = loss.tag;
  const auto channel = index_.find(ChannelKey(send));
  return channel != index_.end() && channels_[channel->second].is_known;
}

std::vector<Sides> Matches::sides(bool in_order_only) const {
  std::vector<Sides> sides;
  for (const Channel& channel : channels_)
    if (channel.in_order || !in_order_only)
      sides.push_back({{channel.sender, channel.receiver}, {channel.sends, channel.receives}});
  return sides;
}

namespace {

Clocks clocks_of(ProcessIndex sender, ProcessIndex receiver, const Steps& steps) {
  if (!steps.is_followed(sender) || !steps.is_followed(receiver)) return Clocks::may_be_set;
  return steps.goes_on(sender) && steps.goes_on(receiver) ? Clocks::go_on : Clocks::were_set;
}

}  // namespace

View Matches::view(std::size_t channel, const Steps& steps, const Turns& turns) const {
  const Channel& own = channels_[channel];
  std::array<std::vector<End>, 2> ends{steps.without(own.sends, own.sender), steps.without(own.receives, own.receiver)};
  for (const std::size_t side : {0U, 1U}) {
    const std::vector<std::uint32_t> counted = turns.count(channel, side);
    for (std::size_t k = 0; k < counted.size(); ++k) ends[side][k].turn = counted[k];
  }
  View view;
  view.channel = channel;
  for (const Placed& placed : own.lacks_sends() ? own.sends : own.receives) view.places.push_back(placed.nth);
  view.fewer = std::move(ends[own.receives.size() >= own.sends.size() ? 0 : 1]);
  view.more = std::move(ends[own.receives.size() >= own.sends.size() ? 1 : 0]);
  view.clocks = clocks_of(own.sender, own.receiver, steps);
  view.was_cut = was_cut_;
  return view;
}

std::size_t Matches::ends() const noexcept {
  std::size_t ends = 0;
  for (const OfProcess& process : processes_) ends += process.links.size();
  return ends;
}

std::vector<std::uint32_t> Matches::receives_of_sends(std::size_t channel) const {
  const Channel& own = channels_[channel];
  if (!own.is_known) return first_in_first_out(own.sends.size()).partners;
  std::vector<std::uint32_t> receives(own.sends.size(), no_partner);
  std::size_t s = 0;
  for (std::uint32_t r = 0; r < own.receives.size(); ++r) {
    const std::uint32_t send = processes_[own.receiver].links[own.receives[r].nth].send;
    if (send == none) continue;
    while (own.sends[s].nth < send) ++s;
    receives[s] = r;
  }
  return receives;
}

std::vector<std::uint32_t> Matches::partners(std::size_t channel) const {
  const std::vector<std::uint32_t> receives = receives_of_sends(channel);
  if (channels_[channel].receives.size() >= channels_[channel].sends.size()) return receives;
  std::vector<std::uint32_t> sends(channels_[channel].receives.size(), no_partner);
  for (std::uint32_t s = 0; s < receives.size(); ++s)
    if (receives[s] < sends.size()) sends[receives[s]] = s;
  return sends;
}

// ---- matched --------------------------------------------------------------------------------

void Matches::settle(View& view) {
  Channel& channel = channels_[view.channel];
  std::vector<std::uint32_t>& partners = view.matched.partners;
  for (std::size_t k = 0; k < partners.size(); ++k) channel.in_first_out &= partners[k] == k;
  leave_out_early(view.fewer, view.more, channel.receives.size() >= channel.sends.size(), view.matched);
  settle(channel, view.matched);
}

void Matches::settle_first_in_first_out() {
  for (Channel& channel : channels_)
    if (channel.in_order) settle(channel, first_in_first_out(std::min(channel.sends.size(), channel.receives.size())));
}

void Matches::forget() {
  for (Channel& channel : channels_) forget(channel);
}

void Matches::settle_again(View& view) {
  forget(channels_[view.channel]);
  settle(view);
}

void Matches::settle_by_order(View& view) {
  settle_again(view);
  keep(view.channel);
}

void Matches::settle_by_order(std::size_t channel, const Matched& matched) {
  Channel& own = channels_[channel];
  forget(own);
  own.in_first_out = false;
  settle(own, matched);
  keep(channel);
}

void Matches::settle(Channel& channel, const Matched& matched) {
  if (!matched.is_known) return leave(channel);
  const bool more_receives = channel.receives.size() >= channel.sends.size();
  const std::vector<Placed>& fewer = more_receives ? channel.sends : channel.receives;
  const std::vector<Placed>& more = more_receives ? channel.receives : channel.sends;
  channel.is_known = true;
  channel.gain = matched.gain;
  channel.cost = matched.cost;
  for (std::size_t k = 0; k < matched.partners.size(); ++k)
    if (const std::uint32_t partner = matched.partners[k]; partner != no_partner)
      pair(channel, more_receives ? fewer[k] : more[partner], more_receives ? more[partner] : fewer[k]);
}

/// Nothing is told of it. Where no send is missing, each receive still comes after as many sends.
void Matches::leave(Channel& channel) {
  channel.is_known = false;
  channel.in_first_out = true;
  for (std::size_t k = 0; k < channel.receives.size(); ++k)
    processes_[channel.receiver].links[channel.receives[k].nth].send =
        channel.lacks_sends() ? none : channel.sends[k].nth;
}

void Matches::pair(const Channel& channel, const Placed& send, const Placed& receive) {
  OfProcess& receiver = processes_[channel.receiver];
  processes_[channel.sender].other_ends[send.nth] = receiver.other_ends[receive.nth] = OtherEnd::present;
  receiver.links[receive.nth].send = send.nth;
}

/// How it was matched.
void Matches::forget(Channel& channel) {
  channel.is_known = false;
  channel.in_first_out = true;
  for (const Placed& send : channel.sends) processes_[channel.sender].other_ends[send.nth] = OtherEnd::unknown;
  for (const Placed& receive : channel.receives) {
    processes_[channel.receiver].other_ends[receive.nth] = OtherEnd::unknown;
    processes_[channel.receiver].links[receive.nth].send = none;
  }
}

void Matches::unpair(ProcessIndex receiver, std::uint32_t receive) {
  OfProcess& own = processes_[receiver];
  Link& link = own.links[receive];
  own.other_ends[receive] = processes_[channels_[link.channel].sender].other_ends[link.send] = OtherEnd::unknown;
  link.send = none;
}

// ---- told -----------------------------------------------------------------------------------

void Matches::put_into(Order& order, std::uint32_t without) const {
  for (ProcessIndex process = 0; process < processes_.size(); ++process) {
    const std::vector<Link>& links = processes_[process].links;
    order.set_ends(process, links.size());
    for (std::uint32_t nth = 0; nth < links.size(); ++nth)
      if (links[nth].send != none && links[nth].channel != without)
        order.put_behind(process, nth, channels_[links[nth].channel].sender, links[nth].send);
  }
}

std::vector<Loss> Matches::tell() {
  std::vector<Loss> losses;
  for (Channel& channel : channels_) {
    // Ends of one side only lack their other end, all of them.
    if (channel.in_order && !channel.has_ends_of_both()) channel.is_known = true;
    if (channel.is_known) {
      tell(channel.sender, channel, channel.sends, false, losses);
      tell(channel.receiver, channel, channel.receives, true, losses);
    }
    channel.sends = channel.receives = {};
  }
  for (OfProcess& process : processes_) process.links = {};
  return losses;
}

void Matches::tell(ProcessIndex process, const Channel& channel, const std::vector<Placed>& ends, bool lost_send,
                   std::vector<Loss>& losses) {
  for (const Placed& placed : ends) {
    OtherEnd& end = processes_[process].other_ends[placed.nth];
    if (end == OtherEnd::present) continue;
    end = OtherEnd::missing;
    losses.push_back({channel.sender, channel.receiver, channel.communicator, channel.tag, placed.end.time, lost_send});
  }
}

}  // namespace clc::lost
