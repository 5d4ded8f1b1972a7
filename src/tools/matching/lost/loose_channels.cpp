#include "matching/lost/loose_channels.hpp"

#include <algorithm>

namespace clc::matching {

namespace {

Ticks upper_median(std::vector<Ticks> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

}  // namespace

LooseChannels::LooseChannels(WholeMatches& matches) : matches_(matches), ends_(matches.ends()) {
  std::uint64_t ends = 0;
  for (const MessageEnds::OfProcess& own : ends_.processes) ends += own.ends;
  looks_ = WholeMatches::most_looks(ends) / 4;
}

bool LooseChannels::Channel::is_loose() const {
  if (pairs.empty() || ends[0].size() == ends[1].size()) return false;
  return lacks_sends() ? pairs.front().second > 0 || pairs.back().second + 1 < ends[1].size()
                       : pairs.front().first > 0 || pairs.back().first + 1 < ends[0].size();
}

std::optional<LooseChannels::Channel> LooseChannels::Channel::shifted(std::int64_t by) const {
  Channel channel = *this;
  for (WholePair& pair : channel.pairs) {
    std::size_t& of_more = lacks_sends() ? pair.second : pair.first;
    const std::int64_t to = add_saturating(static_cast<std::int64_t>(of_more), by);
    if (to < 0 || to >= std::ssize(ends[lacks_sends() ? 1 : 0])) return std::nullopt;
    of_more = static_cast<std::size_t>(to);
  }
  return channel;
}

LooseChannels::Channel LooseChannels::channel(std::uint32_t number) const {
  const auto sides = ends_.sides_of(matches_.ends_of(number));
  const MessageEnds::Channel& its = ends_.channels[number];
  return {number,
          {matches_.steps().without(its.sender, sides[0]), matches_.steps().without(its.receiver, sides[1])},
          matches_.pairs(number)};
}

void LooseChannels::shift() {
  std::map<Way, std::size_t> matched;
  for (std::uint32_t c = 0; c < ends_.channels.size(); ++c) {
    const auto& its = ends_.channels[c];
    if (!matches_[c].in_order || !matches_.steps().never_set(its.sender) || !matches_.steps().never_set(its.receiver))
      continue;
    const Way way(its.sender, its.receiver);
    if (!matches_.is_known(c) && matches_.more_sends(c) != 0) {
      ++loose_[way];
      continue;
    }
    channels_[way].push_back(c);
    const Channel channel = this->channel(c);
    matched[way] += channel.pairs.size();
    if (matches_.is_known(c) && channel.is_loose()) ++loose_[way];
  }
  for (const auto& [way, count] : matched) {
    const Way back(way.second, way.first);
    const auto other = matched.find(back);
    if (loose_.contains(way) || loose_.contains(back) || other == matched.end()) continue;
    if (count >= 8 && other->second >= 8) known_[way.first].insert(way.second);
  }
  for (const auto& [way, count] : loose_)
    if (count == 1) consider(way);
}

std::vector<ProcessIndex> LooseChannels::way_round(const Way& way) {
  struct Reached {
    ProcessIndex process;
    std::size_t from;
    unsigned pairs;
  };
  std::vector<Reached> reached{{way.first, 0, 0}};
  was_reached_.resize(ends_.processes.size());
  was_reached_[way.first] = true;
  bool is_there = false;
  for (std::size_t k = 0; k < reached.size() && !is_there; ++k) {
    if (reached[k].pairs == 16 || looks_ == 0) break;
    for (const ProcessIndex neighbour : known_[reached[k].process]) {
      if (looks_ > 0) --looks_;
      if (was_reached_[neighbour]) continue;
      was_reached_[neighbour] = true;
      is_there |= neighbour == way.second;
      reached.push_back({neighbour, k, reached[k].pairs + 1});
    }
  }
  for (const Reached& each : reached) was_reached_[each.process] = false;
  std::vector<ProcessIndex> round;
  if (!is_there) return round;
  std::size_t k = 0;
  while (reached[k].process != way.second) ++k;
  for (; k != 0; k = reached[k].from) round.push_back(reached[k].process);
  std::ranges::reverse(round);
  return round;
}

/// The messages of a way, one of whose channels is shifted; side: 0 of the sender, 1 of the receiver.
LooseChannels::Times LooseChannels::seen_by(std::size_t side, const Way& way, const Channel* shifted) const {
  Times times;
  for (const std::uint32_t c : channels_.at(way)) {
    const Channel each = shifted != nullptr && c == shifted->number ? *shifted : channel(c);
    for (const auto& [send, receive] : each.pairs) {
      const std::array both{each.ends[0][send].time, each.ends[1][receive].time};
      times.push_back({both[side], both[1 - side]});
    }
  }
  std::ranges::sort(times);
  return times;
}

const LooseChannels::Times& LooseChannels::seen_by_sender(const Way& way) {
  Times& times = seen_[way][0];
  if (times.empty()) times = seen_by(0, way);
  return times;
}

const LooseChannels::Times& LooseChannels::seen_by_receiver(const Way& way) {
  Times& times = seen_[way][1];
  if (times.empty()) times = seen_by(1, way);
  return times;
}

namespace {

/// Half the difference of the smallest delays, by which the other clock is ahead, and half their sum, at a time of the
/// clock that sees these.
template <class Times>
std::optional<std::array<Ticks, 2>> halves(const Times& sent, const Times& received, Time time) {
  const auto last = [&](const Times& all) {
    return std::partition_point(all.begin(), all.end(), [&](const auto& message) { return message[0] <= time; });
  };
  const auto last_sent = last(sent);
  const auto last_received = last(received);
  if (last_sent - sent.begin() < 8 || last_received - received.begin() < 8) return std::nullopt;
  Ticks there = last_sent[-1][1] - last_sent[-1][0];
  Ticks here = last_received[-1][0] - last_received[-1][1];
  for (std::ptrdiff_t k = 2; k <= 8; ++k) {
    there = std::min(there, last_sent[-k][1] - last_sent[-k][0]);
    here = std::min(here, last_received[-k][0] - last_received[-k][1]);
  }
  return std::array{subtract_saturating(there, here) / 2, add_saturating(there, here) / 2};
}

}  // namespace

LooseChannels::Shown LooseChannels::shown(const Channel& channel, const std::vector<ProcessIndex>& round) {
  const ProcessIndex sender = ends_.channels[channel.number].sender;
  const ProcessIndex receiver = ends_.channels[channel.number].receiver;
  const Times sent = seen_by(0, {sender, receiver}, &channel);
  const std::vector<WholeEnd>& sends = channel.ends[0];
  Shown all;
  for (std::size_t k = 0; sends.size() >= 8 && k < 16; ++k) {
    const Time time = sends[7 + (sends.size() - 8) * k / 15].time;
    const auto own = halves(sent, seen_by_receiver({receiver, sender}), time);
    std::optional<Time> at_end = time;
    ProcessIndex at = sender;
    for (const ProcessIndex next : round) {
      const auto pair =
          at_end ? halves(seen_by_sender({at, next}), seen_by_receiver({next, at}), *at_end) : std::nullopt;
      at_end = pair ? std::optional(*at_end + (*pair)[0]) : std::nullopt;
      at = next;
    }
    if (!own || !at_end) continue;
    const Ticks off = time + (*own)[0] - *at_end;
    all.off.push_back(off);
    all.delays.push_back(add_saturating(off, (*own)[1]));
  }
  return all;
}

void LooseChannels::consider(const Way& way) {
  const Way back(way.second, way.first);
  if (!channels_.contains(way) || !channels_.contains(back) || loose_.contains(back)) return;
  std::optional<Channel> loose;
  for (const std::uint32_t c : channels_[way])
    if (Channel each = channel(c); matches_.is_known(c) && each.is_loose()) loose = std::move(each);
  if (!loose) return;
  const std::vector<ProcessIndex> round = way_round(way);
  if (round.empty()) return;
  const Ticks jump = size_of_jump(loose->ends[loose->lacks_sends() ? 0 : 1]);
  const Shown now = shown(*loose, round);
  if (now.off.size() < 9) return;
  const Ticks usual = upper_median(now.off);
  if (usual >= 0 || upper_median(now.delays) >= -(jump / 8)) return;  // they only wait
  const Ticks by = add_saturating(size_of(usual), jump / 2) / jump;
  const std::optional<Channel> shifted = loose->shifted(loose->lacks_sends() ? by : -by);
  if (by == 0 || !shifted) return;
  Shown then = shown(*shifted, round);
  for (Ticks& off : then.off) off = size_of(off);
  if (then.off.size() < 9 || upper_median(then.off) > jump / 8 || std::ranges::max(then.off) > jump / 2) return;
  if (upper_median(then.delays) < -(jump / 8)) return;
  const WholeMatches::Matched& matched = matches_[loose->number];
  WholeMatches::Whole whole;
  whole.ends = loose->ends;
  whole.match = WholeMatch{shifted->pairs, matched.gain, matched.cost};
  matches_.settle(loose->number, whole);
}

}  // namespace clc::matching
