#include "matching/lost/stream_rule.hpp"

#include <algorithm>
#include <utility>

namespace clc::matching {

namespace {

Ticks delay_of(const MessageEnds& ends, const WaitingEnds& channel, const MessageEnds::End& end) {
  const WaitingEnds::Slot& first = channel.slots().front();
  const Ticks delay = end.send ? ends.all[first.receive].time - end.time : end.time - ends.all[first.send].time;
  return std::clamp(delay, -(ticks_max / 4), ticks_max / 4);
}

}  // namespace

StreamRule::StreamRule(const MessageEnds& ends, Ticks min_delay, Ticks wait_limit, std::uint64_t processes)
    : ends_(ends),
      rule_(min_delay),
      wait_limit_(wait_limit),
      most_held_(std::max<std::uint64_t>(16384, 64 * processes)),
      channels_(ends.channels.size()) {}

std::vector<std::uint32_t> StreamRule::find(bool judges) {
  for (std::uint32_t e = 0; e < ends_.all.size(); ++e) {
    if (ends_.all[e].alone)
      alone_.push_back(e);
    else if (judges)
      read(e);
    else
      put(e);
  }
  // What still waits.
  for (const WaitingEnds& channel : channels_)
    for (const WaitingEnds::Slot& slot : channel.slots())
      if ((slot.send == WaitingEnds::none) != (slot.receive == WaitingEnds::none))
        alone_.push_back(slot.send == WaitingEnds::none ? slot.receive : slot.send);
  return std::move(alone_);
}

void StreamRule::put(std::uint32_t e) {
  constexpr std::size_t most_gaps = std::size_t{1} << 20;
  const MessageEnds::End& end = ends_.all[e];
  WaitingEnds& channel = channels_[end.channel];
  gaps_ -= channel.gaps();
  channel.put(e, end.send, gaps_ + end.overtakes > most_gaps ? 0 : end.overtakes);
  gaps_ += channel.gaps();
}

void StreamRule::read(std::uint32_t e) {
  const MessageEnds::End& end = ends_.all[e];
  WaitingEnds& channel = channels_[end.channel];
  while (can_be_judged(channel, end)) {
    const std::size_t waiting = end.send ? channel.receives() : channel.sends();
    const Doubt why = doubt(channel, end);
    const std::size_t lone = why == Doubt::none ? 0 : lone_ends(e, match_in_doubt(end, why));
    if (lone == 0) {
      rule_.learn(channel.floor, delay_of(ends_, channel, end), end.time);
      break;
    }
    const bool backlog = why == Doubt::above || (why == Doubt::first && !end.send);
    if (backlog) channel.floor.run = end.send ? 3 : 0;
    if (backlog == end.send) return alone_.push_back(e);
    for (std::size_t left = std::min(lone, waiting); left > 0; --left) {
      const WaitingEnds::Slot& first = channel.slots().front();
      alone_.push_back(end.send ? first.receive : first.send);
      channel.drop_first();
    }
  }
  put(e);
}

bool StreamRule::can_be_judged(const WaitingEnds& channel, const MessageEnds::End& end) const {
  if (!channel.in_order() || end.overtakes != 0) return false;
  if ((end.send ? channel.receives() : channel.sends()) == 0) return false;
  // A receive that was given up.
  return !end.send || end.time - ends_.all[channel.slots().front().receive].time <= wait_limit_;
}

Doubt StreamRule::doubt(const WaitingEnds& channel, const MessageEnds::End& end) const {
  if (const auto& of = ends_.channels[end.channel]; of.is_known || of.within_clock) return Doubt::none;
  const Doubt why = rule_.doubt(channel.floor, delay_of(ends_, channel, end), end.time);
  const std::size_t waiting = end.send ? channel.receives() : channel.sends();
  return why == Doubt::first && waiting < 2 ? Doubt::none : why;
}

DoubtfulMatch StreamRule::match_in_doubt(const MessageEnds::End& end, Doubt why) const {
  const WaitingEnds& channel = channels_[end.channel];
  DoubtfulMatch match;
  match.why = why;
  match.floor = channel.floor;
  match.around = rule_.around(channel.floor, end.time);
  match.backlog = why == Doubt::above || (why == Doubt::first && !end.send);
  (end.send ? match.sent : match.received).push_back(end.time);
  std::vector<Time>& others = end.send ? match.received : match.sent;
  for (const WaitingEnds::Slot& slot : channel.slots()) {
    if (others.size() == DoubtfulMatch::most_ends) break;
    others.push_back(ends_.all[end.send ? slot.receive : slot.send].time);
  }
  return match;
}

std::size_t StreamRule::lone_ends(std::uint32_t e, DoubtfulMatch match) {
  const MessageEnds::End& end = ends_.all[e];
  const Ticks gap = match.floor.usual_gap();
  const bool is_first = match.why == Doubt::first;
  const std::vector<Time>& others = end.send ? match.received : match.sent;
  const auto first_of_receiver = [&] { return *ends_.processes[ends_.channels[end.channel].receiver].first; };
  if (is_first && (others.size() < 2 || (match.backlog && others[1] >= first_of_receiver()))) return 0;

  const bool soon = match.why == Doubt::early || (!is_first && end.time - match.floor.hit <= 8 * gap);
  OtherChannels evidence(ends_, channels_, rule_, end.channel, match);
  const Time latest = std::min(end.time + wait_limit_ / 8, gap > 0 ? end.time + 160 * gap : Time::latest());
  const std::uint64_t most_looks = (std::uint64_t{1} << 20) + 16 * (end.order + 1);
  const std::uint64_t before = looks_;
  for (std::size_t q = std::size_t{e} + 1; q < ends_.all.size(); ++q) {
    const MessageEnds::End& next = ends_.all[q];
    if (next.alone) continue;
    const std::uint64_t records = next.order - end.order;
    if (next.time > latest || records > most_held_ || before + records > most_looks) break;
    looks_ = before + records;
    if (next.channel != end.channel) {
      if (!soon || !evidence.look_at(next.channel)) continue;
      evidence.add(next);
      if (const auto lone = evidence.lone_ends()) return *lone;
      continue;
    }
    if (next.overtakes != 0) return 0;
    std::vector<Time>& own = next.send ? match.sent : match.received;
    if (own.size() == DoubtfulMatch::most_ends) break;
    own.push_back(next.time);
    const std::size_t matches = match.matches();
    if (!is_first) {
      const Ticks newest = match.received[matches - 1] - match.sent[matches - 1];
      if (matches > 1 && size_of(subtract_saturating(newest, match.floor.delay)) <= match.around) return 0;
      if (const auto lone = evidence.lone_ends()) return *lone;
    }
    const bool is_time = matches == 32 + DoubtfulMatch::spare || matches == 64 + DoubtfulMatch::spare ||
                         matches == 128 + DoubtfulMatch::spare;
    if (own.size() != matches || !is_time) continue;
    const std::size_t lone = match.by_spread();
    if (lone != 0 || matches == 128 + DoubtfulMatch::spare) return lone;
  }
  return match.by_spread();
}

}  // namespace clc::matching
