#include "matching/lost_records.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "matching/clock_steps.hpp"
#include "matching/whole_channel.hpp"
#include "matching/whole_process.hpp"

namespace clc::matching {

namespace {

constexpr std::uint64_t well_known = 3;  // hits
constexpr std::uint64_t often = 8;       // hits, from which every eighth one tells of the gap
constexpr std::size_t most_ends = 272;   // of a channel that are looked at, each
constexpr std::size_t most_lone = 128;
constexpr int enough = 20;        // points
constexpr std::size_t spare = 8;  // matches at the end whose ends may not have been seen yet

/// A clock's tick: what all differences of its times are multiples of.
Ticks tick_of(const std::vector<Time>& times) {
  Ticks tick = 0;
  for (std::size_t k = 1; k < times.size(); ++k) tick = std::gcd(tick, times[k] - times[k - 1]);
  return tick;
}

/// Sums of what is at most that do not overflow.
constexpr Ticks most_summed = ticks_max / 4096;

bool stands_still(const std::vector<Time>& times) {
  return std::adjacent_find(times.begin(), times.end()) != times.end();
}

/// Are they not first in, first out, for the side that has so many ends, the fewer ones?
bool are_shifted(const std::vector<WholePair>& pairs, std::size_t fewer) {
  return pairs.size() < fewer ||
         std::any_of(pairs.begin(), pairs.end(), [](const WholePair& pair) { return pair.first != pair.second; });
}

}  // namespace

// ---- the trace --------------------------------------------------------------------------------

void LostRecords::add(const Event& event, Time time) {
  if (processes_.size() <= event.process) processes_.resize(event.process + std::size_t{1});
  OfProcess& own = processes_[event.process];
  own.highest = std::max(own.highest, time);
  time = own.highest;
  if (!own.first) own.first = time;
  own.latest = std::max(own.latest, event.time);
  const std::uint64_t order = records_++;
  if (whole_ && event.role == Role::collective_begin) calls_.add_begin(event, order);
  if (whole_ && event.role == Role::collective_end) calls_.add(event, order, time, own.latest, own.ends);
  if (event.role != Role::send && event.role != Role::receive) return;
  const std::uint32_t nth = own.ends++;
  if (event.peer == no_process || event.peer == event.process) return;
  const bool is_send = event.role == Role::send;
  const Key key{is_send ? event.process : event.peer, is_send ? event.peer : event.process, event.communicator,
                event.tag};
  const auto [entry, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(channels_.size()));
  if (is_new) channels_.push_back({key.sender, key.receiver, key.communicator, key.tag, {}, {}});
  const auto overtakes = is_send ? std::uint32_t{0} : std::uint32_t{event.overtakes};
  ends_.push_back({time, order, entry->second, nth, overtakes, is_send, false, own.latest, event.bytes});
}

void LostRecords::find(const Definitions& definitions, Ticks min_delay, Ticks wait_limit, bool always) {
  index_ = decltype(index_)();
  margin_ = 4 * std::min(min_delay, ticks_max / 64);
  wait_limit_ = wait_limit;
  shared_clocks_ = definitions.shares_clocks();
  most_held_ = std::max<std::uint64_t>(16384, 64 * definitions.processes().size());
  if (whole_ && !shared_clocks_) match_whole_channels(definitions);
  sort_by_time();
  if (wait_limit_ > 0 && !shared_clocks_ && (always || something_is_missing()))
    for (std::uint32_t e = 0; e < ends_.size(); ++e) read(e);
  else
    for (std::uint32_t e = 0; e < ends_.size(); ++e) put(e);
  // What still waits.
  for (const Channel& channel : channels_)
    for (const Slot& slot : channel.slots)
      if ((slot.send == none) != (slot.receive == none)) take_out(slot.send == none ? slot.receive : slot.send);
  ends_ = decltype(ends_)();
  channels_ = decltype(channels_)();
  for (OfProcess& own : processes_) std::sort(own.lone.begin(), own.lone.end());
}

LostRecords::Known LostRecords::known(const Definitions& definitions) const {
  Known known;
  known.processes = definitions.processes().size();
  known.more_sends = more_sends();
  known.ends.resize(channels_.size());
  known.in_order.assign(channels_.size(), true);
  known.partners.assign(ends_.size(), none);
  for (std::uint32_t e = 0; e < ends_.size(); ++e) {
    known.ends[ends_[e].channel].push_back(e);
    if (ends_[e].overtakes != 0) known.in_order[ends_[e].channel] = false;
  }
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
    if (!known.in_order[channel]) continue;
    const auto sides = sides_of(known.ends[channel]);
    known.steps.add(channels_[channel].sender, sides[0], channels_[channel].receiver, sides[1]);
  }
  if (!something_is_missing()) return known;
  known.steps.find();
  for (const End& end : ends_)
    known.turns.add(end.send ? channels_[end.channel].sender : channels_[end.channel].receiver, end.nth, side_of(end));
  return known;
}

/// Those of which no receive overtakes another.
void LostRecords::match_whole_channels(const Definitions& definitions) {
  Known known = this->known(definitions);
  const bool some_lack_ends = something_is_missing();
  std::map<std::uint32_t, Whole> wholes;  // by channel
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel)
    if (known.in_order[channel]) {
      match_in_order(channel, known);
      if (some_lack_ends) wholes.emplace(channel, whole(channel, known));
    }
  match_whole_processes(wholes);
  for (auto& [channel, each] : wholes) settle(channel, each, known);
  if (some_lack_ends) match_by_trips(known);
  if (const bool some_lack_calls = calls_.lack_some(definitions); some_lack_ends || some_lack_calls)
    calls_.find(known.steps, match_by_precedence(known), records_followed());
  for (End& end : ends_) end.alone &= channels_[end.channel].is_known;
}

LostRecords::Whole LostRecords::whole(std::uint32_t channel, const Known& known, const Bounds& bounds) const {
  const Channel& own = channels_[channel];
  Whole whole;
  for (const std::uint32_t e : known.ends[channel]) whole.nths[ends_[e].send ? 0 : 1].push_back(ends_[e].nth);
  const auto sides = sides_of(known.ends[channel]);
  const ClockSteps& steps = known.steps;
  whole.ends = {steps.without(own.sender, sides[0]), steps.without(own.receiver, sides[1])};
  for (const std::uint32_t side : {0U, 1U}) {
    const std::vector<std::uint32_t> counted = known.turns.of(2 * channel + side);
    for (std::size_t k = 0; k < counted.size(); ++k) whole.ends[side][k].turn = counted[k];
  }
  whole.rules = {.clocks_go_on = steps.never_set(own.sender) && steps.never_set(own.receiver),
                 .steps_known = steps.follows(own.sender) && steps.follows(own.receiver),
                 .bounds = bounds};
  whole.match = match_whole(whole.ends[0], whole.ends[1], whole.rules);
  return whole;
}

/// What processes lost in a row shows on all their channels.
void LostRecords::match_whole_processes(std::map<std::uint32_t, Whole>& wholes) const {
  std::map<ProcessIndex, std::vector<WholeView>> views;
  std::vector<std::uint32_t> order;
  order.reserve(wholes.size());
  for (const auto& [channel, each] : wholes) order.push_back(channel);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [](const Channel& c) { return std::tuple(c.sender, c.receiver, c.communicator, c.tag); };
    return key(channels_[a]) < key(channels_[b]);
  });
  const auto swapped = [](std::vector<WholePair> pairs) {
    for (WholePair& pair : pairs) std::swap(pair.first, pair.second);
    return pairs;
  };
  for (const std::uint32_t channel : order) {
    const Whole& each = wholes.at(channel);
    const std::size_t lacking = each.ends[0].size() < each.ends[1].size() ? 0 : 1;
    const std::vector<WholeEnd>& own = each.ends[lacking];
    if (!each.match || own.size() == each.ends[1 - lacking].size()) continue;
    if (own.empty() || own.front().turn == 0) continue;
    WholeView view{channel, each.nths[lacking], own, each.ends[1 - lacking], each.rules, *each.match};
    if (lacking == 1) view.match.pairs = swapped(view.match.pairs);
    views[lacking == 0 ? channels_[channel].sender : channels_[channel].receiver].push_back(std::move(view));
  }
  for (auto& [process, its] : views) {
    match_whole_process(its);
    for (WholeView& view : its) {
      Whole& each = wholes.at(view.channel);
      if (each.ends[1].size() < each.ends[0].size()) view.match.pairs = swapped(view.match.pairs);
      each.match = std::move(view.match);
    }
  }
}

void LostRecords::settle(std::uint32_t channel, Whole& whole, Known& known) {
  channels_[channel].is_known = whole.match.has_value();
  if (!whole.match) return;
  std::vector<WholePair> pairs = whole.match->pairs;
  forget_early(pairs, whole.ends[0], whole.ends[1]);
  settle_pairs(channel, pairs, known);
  Channel& own = channels_[channel];
  own.gain = whole.match->gain;
  own.cost = whole.match->cost;
  own.has_shifts = are_shifted(whole.match->pairs, std::min(whole.ends[0].size(), whole.ends[1].size()));
}

void LostRecords::settle_pairs(std::uint32_t channel, const std::vector<WholePair>& pairs, Known& known) {
  std::array<std::vector<std::uint32_t>, 2> which;  // sends, receives
  for (const std::uint32_t e : known.ends[channel]) {
    which[ends_[e].send ? 0 : 1].push_back(e);
    ends_[e].alone = true;
    known.partners[e] = none;
  }
  for (const auto& [send, receive] : pairs) {
    ends_[which[0][send]].alone = ends_[which[1][receive]].alone = false;
    known.partners[which[1][receive]] = which[0][send];
  }
}

/// Its sends and receives.
std::array<ClockSteps::Ends, 2> LostRecords::sides_of(const std::vector<std::uint32_t>& ends) const {
  std::array<ClockSteps::Ends, 2> sides;
  for (const std::uint32_t e : ends) {
    const End& end = ends_[e];
    sides[end.send ? 0 : 1].push_back({{end.recorded, end.bytes}, end.nth});
  }
  return sides;
}

/// The n-th receive comes after the n-th send, unless sends are missing.
void LostRecords::match_in_order(std::uint32_t channel, Known& known) {
  channels_[channel].is_known = true;
  channels_[channel].has_shifts = false;
  std::array<std::vector<std::uint32_t>, 2> which;  // sends, receives
  for (const std::uint32_t e : known.ends[channel]) which[ends_[e].send ? 0 : 1].push_back(e);
  for (std::size_t n = 0; n < which[1].size(); ++n)
    known.partners[which[1][n]] = which[0].size() >= which[1].size() ? which[0][n] : none;
}

// ---- round trips ------------------------------------------------------------------------------

std::vector<Time> LostRecords::times_without_steps(const Known& known) const {
  std::vector<Time> times(ends_.size());
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    if (!known.in_order[c]) continue;
    const auto sides = sides_of(known.ends[c]);
    const std::array without{known.steps.without(channels_[c].sender, sides[0]),
                             known.steps.without(channels_[c].receiver, sides[1])};
    std::array<std::size_t, 2> next{};
    for (const std::uint32_t e : known.ends[c]) {
      const std::size_t side = ends_[e].send ? 0 : 1;
      times[e] = without[side][next[side]++].time;
    }
  }
  return times;
}

/// What all times of one clock differ by is a multiple of that.
Ticks LostRecords::tick_of_ends(const std::vector<std::uint32_t>& ends, const std::vector<Time>& times) {
  Ticks tick = 0;
  for (std::size_t k = 1; k < ends.size(); ++k) tick = std::gcd(tick, times[ends[k]] - times[ends[k - 1]]);
  return tick;
}

/// Of the time between two ends.
Ticks LostRecords::half_of_usual(const std::vector<std::uint32_t>& ends, const std::vector<Time>& times) {
  std::vector<Ticks> apart;
  for (std::size_t k = 1; k < ends.size(); ++k) apart.push_back(times[ends[k]] - times[ends[k - 1]]);
  std::sort(apart.begin(), apart.end());
  return apart.empty() ? 1 : std::clamp<Ticks>(apart[apart.size() / 2] / 2, 1, Ticks{1} << 34);
}

/// back: receives of messages from the receiver to the sender. The eight last ones ahead of the send tell.
Time LostRecords::earliest_receive(std::uint32_t send, const std::vector<std::uint32_t>& back,
                                   const std::vector<Time>& times, const Known& known) const {
  auto last = std::partition_point(back.begin(), back.end(),
                                   [&](std::uint32_t receive) { return ends_[receive].nth < ends_[send].nth; });
  Time earliest = Time::earliest();
  for (int looks = 0; looks < 8 && last != back.begin(); ++looks) {
    --last;
    const Ticks own = times[send] - times[*last];
    const Time sent = times[known.partners[*last]];
    earliest = std::max(earliest, own > 0 ? sent + (own - own / 512) : sent);
  }
  return earliest;
}

/// Which receives do not come too early for the sends of a channel; none: nothing contradicts its matches.
std::optional<LostRecords::Bounds> LostRecords::bounds_by_trips(std::uint32_t channel,
                                                                const std::vector<std::uint32_t>& back,
                                                                const std::vector<Time>& times,
                                                                const Known& known) const {
  const Channel& own = channels_[channel];
  std::array<std::vector<std::uint32_t>, 2> which;  // sends, receives
  for (const std::uint32_t e : known.ends[channel]) which[ends_[e].send ? 0 : 1].push_back(e);
  const auto& [sends, receives] = which;
  std::vector<std::size_t> matched(sends.size(), receives.size());
  std::size_t send = 0;
  for (std::size_t r = 0; r < receives.size(); ++r) {
    if (!own.is_known && r < sends.size()) matched[r] = r;
    if (!own.is_known || known.partners[receives[r]] == none) continue;
    while (sends[send] != known.partners[receives[r]]) ++send;
    matched[send] = r;
  }
  const Ticks ticks = add_saturating(tick_of_ends(sends, times), tick_of_ends(receives, times));
  const Ticks error = add_saturating(half_of_usual(sends, times) * 3 / 2, ticks);
  Bounds bounds;
  bool holds = true;
  for (std::size_t s = 0; s < sends.size(); ++s) {
    const Time earliest = earliest_receive(sends[s], back, times, known);
    const auto first = std::partition_point(receives.begin(), receives.end(),
                                            [&](std::uint32_t receive) { return times[receive] + error < earliest; });
    bounds.emplace_back(first - receives.begin(), receives.size());
    holds = holds && matched[s] >= bounds.back().first;
  }
  return holds ? std::nullopt : std::optional(std::move(bounds));
}

/// Channels that lack sends, and whose matches contradict the messages the other way. Only between clocks that were
/// never set.
void LostRecords::match_by_trips(Known& known) {
  std::map<std::pair<ProcessIndex, ProcessIndex>, std::vector<std::uint32_t>> pairs;
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    const auto& [sender, receiver] = std::pair(channels_[c].sender, channels_[c].receiver);
    if (known.in_order[c] && known.steps.never_set(sender) && known.steps.never_set(receiver))
      pairs[std::minmax(sender, receiver)].push_back(c);
  }
  const std::vector<Time> times = times_without_steps(known);
  std::uint64_t ends = 0;
  for (const OfProcess& own : processes_) ends += own.ends;
  std::uint64_t looks = most_looks(ends);
  for (auto& [processes, channels] : pairs) {
    std::sort(channels.begin(), channels.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto key = [](const Channel& c) { return std::tuple(c.sender, c.receiver, c.communicator, c.tag); };
      return key(channels_[a]) < key(channels_[b]);
    });
    match_pair_by_trips(channels, times, known, looks);
  }
}

/// Receives that are matched, by the sender, in order.
std::map<ProcessIndex, std::vector<std::uint32_t>> LostRecords::matched_receives(
    const std::vector<std::uint32_t>& channels, const Known& known) const {
  std::map<ProcessIndex, std::vector<std::uint32_t>> all;
  for (const std::uint32_t c : channels)
    for (const std::uint32_t e : known.ends[c])
      if (!ends_[e].send && known.partners[e] != none) all[channels_[c].sender].push_back(e);
  for (auto& [sender, receives] : all)
    std::sort(receives.begin(), receives.end(),
              [&](std::uint32_t a, std::uint32_t b) { return ends_[a].nth < ends_[b].nth; });
  return all;
}

/// First those that then cost least more, up to the first that goes the other way. looks: at so many ends, at most.
void LostRecords::match_pair_by_trips(const std::vector<std::uint32_t>& channels, const std::vector<Time>& times,
                                      Known& known, std::uint64_t& looks) {
  std::uint64_t ends = 0;
  for (const std::uint32_t c : channels) ends += known.ends[c].size();
  std::vector<std::uint32_t> left = channels;
  std::erase_if(left, [&](std::uint32_t c) {
    const bool has_sends = static_cast<std::int64_t>(known.ends[c].size()) + known.more_sends[c] > 0;
    return known.more_sends[c] >= 0 || !has_sends;
  });
  while (!left.empty() && looks >= ends) {
    looks -= ends;
    const auto received = matched_receives(channels, known);
    struct Again {
      std::int64_t more;
      std::size_t place;  // in left
      Whole whole;
    };
    std::vector<Again> again;
    for (std::size_t place = 0; place < left.size(); ++place) {
      const std::uint32_t c = left[place];
      const auto back = received.find(channels_[c].receiver);
      if (back == received.end()) continue;
      const std::optional<Bounds> bounds = bounds_by_trips(c, back->second, times, known);
      if (!bounds) continue;
      Whole found = whole(c, known, *bounds);
      if (found.match) again.push_back({found.match->cost - channels_[c].cost, place, std::move(found)});
    }
    if (again.empty()) return;
    std::sort(again.begin(), again.end(),
              [](const Again& a, const Again& b) { return std::pair(a.more, a.place) < std::pair(b.more, b.place); });
    const ProcessIndex sender = channels_[left[again.front().place]].sender;
    for (Again& each : again) {
      const std::uint32_t c = left[each.place];
      if (channels_[c].sender != sender) break;
      settle(c, each.whole, known);
      left[each.place] = none;
    }
    std::erase(left, none);
  }
}

// ---- what happened before what ----------------------------------------------------------------

std::uint64_t LostRecords::records_followed() const {
  std::uint64_t records = calls_.marks_read();
  for (const OfProcess& own : processes_) records += own.ends;
  return records;
}

std::uint64_t LostRecords::looks_at_all(const Known& known) const { return records_followed() + 16 * known.processes; }

bool LostRecords::may_follow_again(const Known& known) const {
  return known.looks + looks_at_all(known) <= most_looks(records_followed());
}

/// It counts then.
bool LostRecords::follows_again(Known& known) const {
  const bool may = may_follow_again(known);
  if (may) known.looks += looks_at_all(known);
  return may;
}

Precedence LostRecords::match_by_precedence(Known& known) {
  Followed all = without_circles(known);
  return match_irregular(known, all) ? without_circles(known).precedence : std::move(all.precedence);
}

LostRecords::Followed LostRecords::without_circles(Known& known) {
  for (;;) {
    Followed all = follow(known.partners);
    const std::vector<std::uint32_t> doubtful = forget_circles(all, known);
    if (doubtful.empty()) return all;
    match_one_again(doubtful, known);
  }
}

/// Sends, receives, and begins and ends of calls. partners: of receives.
LostRecords::Followed LostRecords::follow(const std::vector<std::uint32_t>& partners) {
  Followed all;
  std::vector<LostCalls::Mark> records = calls_.marks();
  std::vector<Precedence::Record> of(ends_.size());
  for (std::uint32_t e = 0; e < ends_.size(); ++e) {
    const Channel& channel = channels_[ends_[e].channel];
    records.push_back({ends_[e].order, ends_[e].send ? channel.sender : channel.receiver, &of[e]});
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  for (const LostCalls::Mark& record : records) *record.record = all.precedence.add(record.process);
  all.end_of.assign(records.size(), none);
  for (std::uint32_t e = 0; e < ends_.size(); ++e) {
    all.end_of[of[e]] = e;
    if (partners[e] != none) all.precedence.put_behind(of[e], of[partners[e]]);
  }
  calls_.put_into(all.precedence);
  return all;
}

/// A message cannot be received before it was sent, round no circle of messages and operations. The channels of a
/// circle one of which has to be matched once more; none: of the messages of each circle that are not matched first in,
/// first out, the one whose channel gains least by that was left unmatched.
std::vector<std::uint32_t> LostRecords::forget_circles(Followed& all, Known& known) {
  auto& [precedence, end_of] = all;
  for (auto circle = precedence.circle(); !circle.empty(); circle = precedence.circle()) {
    std::vector<Precedence::Record> receives;
    std::vector<std::uint32_t> doubtful;
    std::optional<Precedence::Record> least;
    for (const Precedence::Record record : circle) {
      if (end_of[record] == none) continue;
      receives.push_back(record);
      const std::uint32_t c = ends_[end_of[record]].channel;
      const bool may_be_wrong = channels_[c].has_shifts || known.more_sends[c] != 0;
      if (channels_[c].is_known && !channels_[c].again && may_be_wrong) doubtful.push_back(c);
      if (!channels_[c].has_shifts) continue;
      if (!least || channels_[c].gain < channels_[ends_[end_of[*least]].channel].gain) least = record;
    }
    if (!doubtful.empty() && may_follow_again(known)) return doubtful;
    if (least) {
      precedence.free(*least);
      const std::uint32_t e = end_of[*least];
      ends_[e].alone = ends_[std::exchange(known.partners[e], none)].alone = true;
      continue;
    }
    for (const Precedence::Record record : receives.empty() ? circle : receives) precedence.free(record);
  }
  return {};
}

/// The one that then costs least more.
void LostRecords::match_one_again(const std::vector<std::uint32_t>& channels, Known& known) {
  std::optional<std::pair<std::uint32_t, Whole>> best;
  std::int64_t least = 0;
  for (const std::uint32_t channel : channels) {
    if (!follows_again(known)) break;
    Whole again = whole(channel, known, bounds_of(channel, known));
    if (!again.match) continue;
    const std::int64_t more = again.match->cost - channels_[channel].cost;
    if (best && more >= least) continue;
    least = more;
    best.emplace(channel, std::move(again));
  }
  if (best) settle(best->first, best->second, known);
  for (const std::uint32_t channel : channels)
    if (!best || best->first == channel) channels_[channel].again = true;
}

/// By all other channels: a receive that happened before a send does not belong to it.
LostRecords::Bounds LostRecords::bounds_of(std::uint32_t channel, Known& known) {
  std::vector<std::uint32_t> partners = known.partners;
  for (const std::uint32_t e : known.ends[channel]) partners[e] = none;
  Followed all = follow(partners);
  auto& [others, end_of] = all;
  for (auto circle = others.circle(); !circle.empty(); circle = others.circle()) {
    for (const Precedence::Record record : circle) others.free(record);
    known.looks += known.processes;
  }
  std::vector<Precedence::Record> sends;
  std::vector<Precedence::Record> receives;
  for (Precedence::Record record = 0; record < end_of.size(); ++record) {
    if (end_of[record] == none || ends_[end_of[record]].channel != channel) continue;
    (ends_[end_of[record]].send ? sends : receives).push_back(record);
  }
  const std::vector<std::size_t> before = others.so_many_before(receives);
  Bounds bounds;
  if (sends.size() <= receives.size()) {
    for (const Precedence::Record send : sends) bounds.emplace_back(before[send], receives.size());
  } else {
    for (std::size_t r = 0; r < receives.size(); ++r) {
      const auto last = std::find_if(sends.begin(), sends.end(), [&](auto send) { return before[send] > r; });
      bounds.emplace_back(0, last - sends.begin());
    }
  }
  return bounds;
}

/// Channels that lack sends and whose delays tell nothing: each send belongs to the first receive that did not happen
/// before it. True: somewhere that is not first in, first out.
bool LostRecords::match_irregular(Known& known, const Followed& all) {
  const auto& [precedence, end_of] = all;
  std::map<ProcessIndex, std::vector<std::uint32_t>> of;  // channels, by receiver
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    const bool lacks_sends = known.more_sends[c] < 0;
    if (!channels_[c].is_known && known.in_order[c] && lacks_sends) of[channels_[c].receiver].push_back(c);
  }
  std::vector<Precedence::Record> record_of(ends_.size());
  for (Precedence::Record record = 0; record < end_of.size(); ++record)
    if (end_of[record] != none) record_of[end_of[record]] = record;
  bool some = false;
  for (const auto& [receiver, channels] : of) {
    if (!follows_again(known)) break;
    std::vector<Precedence::Record> receives;
    for (const std::uint32_t c : channels)
      for (const std::uint32_t e : known.ends[c])
        if (!ends_[e].send) receives.push_back(record_of[e]);
    std::sort(receives.begin(), receives.end());
    const std::vector<std::size_t> before = precedence.so_many_before(receives);
    for (const std::uint32_t c : channels) {
      const std::vector<WholePair> pairs = first_left(known.ends[c], record_of, receives, before);
      const auto sends =
          static_cast<std::size_t>(static_cast<std::int64_t>(known.ends[c].size()) + known.more_sends[c]) / 2;
      if (!are_shifted(pairs, sends)) continue;
      settle_pairs(c, pairs, known);
      channels_[c].is_known = channels_[c].has_shifts = channels_[c].again = true;
      channels_[c].gain = 0;
      some = true;
    }
  }
  return some;
}

/// Of a channel. before: of each record, how many of these receives happened before it.
std::vector<WholePair> LostRecords::first_left(const std::vector<std::uint32_t>& ends,
                                               const std::vector<Precedence::Record>& record_of,
                                               const std::vector<Precedence::Record>& receives,
                                               const std::vector<std::size_t>& before) const {
  std::vector<Precedence::Record> own;
  for (const std::uint32_t e : ends)
    if (!ends_[e].send) own.push_back(record_of[e]);
  std::vector<WholePair> pairs;
  std::size_t next = 0;
  std::size_t send = 0;
  for (const std::uint32_t e : ends) {
    if (!ends_[e].send) continue;
    const std::size_t count = before[record_of[e]];
    while (next < own.size() && count > 0 && own[next] <= receives[count - 1]) ++next;
    if (next < own.size()) pairs.emplace_back(send, next++);
    ++send;
  }
  return pairs;
}

/// Of channels: how many more sends than receives.
std::vector<std::int64_t> LostRecords::more_sends() const {
  std::vector<std::int64_t> more(channels_.size());
  for (const End& end : ends_) more[end.channel] += end.send ? 1 : -1;
  return more;
}

bool LostRecords::something_is_missing() const {
  const std::vector<std::int64_t> more = more_sends();
  return std::any_of(more.begin(), more.end(), [](std::int64_t sends) { return sends != 0; });
}

/// Mapped times may be in another order than the recorded ones; the n-th end in the new order counts as being where the
/// n-th one was.
void LostRecords::sort_by_time() {
  const auto is_earlier = [](const End& a, const End& b) { return a.time < b.time; };
  if (std::is_sorted(ends_.begin(), ends_.end(), is_earlier)) return;
  std::vector<std::uint64_t> orders;
  orders.reserve(ends_.size());
  for (const End& end : ends_) orders.push_back(end.order);
  std::stable_sort(ends_.begin(), ends_.end(), is_earlier);
  for (std::size_t e = 0; e < ends_.size(); ++e) ends_[e].order = orders[e];
}

void LostRecords::Channel::put(std::uint32_t end, bool is_send, std::size_t overtakes) {
  const std::uint32_t place = is_send ? sends++ : place_receive(overtakes);
  if (place >= slots.size()) slots.resize(place + std::size_t{1});
  (is_send ? slots[place].send : slots[place].receive) = end;
  while (!slots.empty() && slots.front().send != none && slots.front().receive != none) drop_first();
}

/// In the slot without receive behind so many others.
std::uint32_t LostRecords::Channel::place_receive(std::size_t overtakes) {
  if (in_order() && overtakes == 0) return receives++;
  std::uint32_t place = receives++ + static_cast<std::uint32_t>(gaps.size());
  if (overtakes >= gaps.size()) {
    for (; gaps.size() < overtakes; ++place) gaps.push_back(dropped + place);
    return place;
  }
  place = gaps[overtakes] - dropped;
  gaps.erase(overtakes);
  return place;
}

void LostRecords::Channel::drop_first() {
  sends -= slots.front().send != none;
  receives -= slots.front().receive != none;
  ++dropped;
  slots.pop_front();
}

bool LostRecords::can_be_judged(const Channel& channel, const End& end) const {
  if (!channel.in_order() || end.overtakes != 0) return false;
  if ((end.send ? channel.receives : channel.sends) == 0) return false;
  // A receive that was given up.
  return !end.send || end.time - ends_[channel.slots.front().receive].time <= wait_limit_;
}

void LostRecords::take_out(std::uint32_t e) {
  const End& end = ends_[e];
  const Channel& channel = channels_[end.channel];
  processes_[end.send ? channel.sender : channel.receiver].lone.push_back(end.nth);
  found_.push_back({!end.send, channel.sender, channel.receiver, channel.communicator, channel.tag, end.time});
}

void LostRecords::put(std::uint32_t e) {
  constexpr std::size_t most_gaps = std::size_t{1} << 20;
  const End& end = ends_[e];
  if (end.alone) return take_out(e);
  Channel& channel = channels_[end.channel];
  gaps_ -= channel.gaps.size();
  channel.put(e, end.send, gaps_ + end.overtakes > most_gaps ? 0 : end.overtakes);
  gaps_ += channel.gaps.size();
}

void LostRecords::read(std::uint32_t e) {
  const End& end = ends_[e];
  if (end.alone) return take_out(e);
  Channel& channel = channels_[end.channel];
  while (can_be_judged(channel, end)) {
    const std::size_t waiting = end.send ? channel.receives : channel.sends;
    const Slot& first = channel.slots.front();
    const Ticks delay = std::clamp(end.send ? ends_[first.receive].time - end.time : end.time - ends_[first.send].time,
                                   -(ticks_max / 4), ticks_max / 4);
    Doubt why = doubt(channel.floor, delay, end.time);
    if (channel.is_known || (why == Doubt::first && waiting < 2)) why = Doubt::none;
    const std::size_t lone = why == Doubt::none ? 0 : lone_ends(e, why);
    if (lone == 0) {
      learn(channel.floor, delay, end.time);
      break;
    }
    const bool backlog = why == Doubt::above || (why == Doubt::first && !end.send);
    if (backlog) channel.floor.run = end.send ? 3 : 0;
    if (backlog == end.send) return take_out(e);
    for (std::size_t left = std::min(lone, waiting); left > 0; --left) {
      take_out(end.send ? channel.slots.front().receive : channel.slots.front().send);
      channel.drop_first();
    }
  }
  put(e);
}

// ---- the floor of a channel -------------------------------------------------------------------

void LostRecords::Floor::begin(Ticks at, Time now) {
  known = true;
  delay = at;
  hit = since = now;
  run = 0;
  hits = 0;
}

Ticks LostRecords::tolerance(const Floor& floor) const { return std::max(margin_, floor.usual_gap() / 32); }

Ticks LostRecords::around(const Floor& floor, Time now) const { return tolerance(floor) + (now - floor.hit) / 1024; }

bool LostRecords::is_at(const Floor& floor, Ticks delay, Time now) const {
  return size_of(subtract_saturating(delay, floor.delay)) <= around(floor, now);
}

bool LostRecords::is_trusted(const Floor& floor) const {
  return floor.hits >= well_known && floor.gap > 0 && tolerance(floor) <= floor.usual_gap() / 4;
}

LostRecords::Doubt LostRecords::doubt(const Floor& floor, Ticks delay, Time now) const {
  if (!floor.known) return Doubt::first;
  if (is_at(floor, delay, now)) return Doubt::none;
  const Ticks apart = subtract_saturating(delay, floor.delay);
  if (floor.hits < well_known) {
    const bool fine = floor.gap == 0 || tolerance(floor) <= floor.usual_gap() / 4;
    return fine && apart < 0 && (floor.run == -3 || floor.run == -5) ? Doubt::early : Doubt::none;
  }
  if (!is_trusted(floor) || size_of(apart) <= floor.usual_gap() / 4) return Doubt::none;
  if (apart > 0) return floor.run == 3 ? Doubt::above : Doubt::none;
  return floor.run >= -2 || floor.run == -4 ? Doubt::below : Doubt::none;
}

void LostRecords::learn(Floor& floor, Ticks delay, Time now) const {
  if (!floor.known) return floor.begin(delay, now);
  const int length = floor.run < 0 ? -floor.run : floor.run;
  if (is_at(floor, delay, now)) {
    const Ticks since_hit = now - floor.hit;
    const bool long_ago = floor.gap > 0 && since_hit / 1024 > floor.usual_gap() / 4;
    if (long_ago && size_of(subtract_saturating(delay, floor.delay)) > tolerance(floor)) return floor.begin(delay, now);
    if (!is_soon(floor, since_hit)) floor.since = now;
    const Ticks gap = std::min<Ticks>(since_hit / 16 / (1 + length), std::numeric_limits<std::uint32_t>::max());
    if (floor.hits < often || floor.hits % often == 0)
      floor.gap = floor.gap == 0 ? gap : floor.gap + ((gap - floor.gap) >> 3);
    floor.delay = std::min(delay, floor.delay + since_hit / 1024);
    floor.hit = now;
    floor.run = 0;
    ++floor.hits;
    return;
  }
  const bool below = delay < floor.delay;
  if (below && floor.hits == 0) return floor.begin(delay, now);
  const bool goes_on = below ? floor.run < 0 : floor.run > 0;
  floor.run = (goes_on ? floor.run : 0) + (below ? -1 : 1);
  const bool well = floor.hits >= well_known;
  if (floor.run == (well ? -32 : -6) || floor.run == (well ? 64 : 8)) floor.begin(delay, now);
}

// ---- a match in doubt -------------------------------------------------------------------------

/// Was the channel steady when the one in doubt last hit its floor, and a gap before that? By the clocks of the
/// processes of both.
bool LostRecords::was_steady(const Channel& channel, const Channel& doubtful) {
  for (const ProcessIndex process : {doubtful.sender, doubtful.receiver}) {
    if (process != channel.sender && process != channel.receiver) continue;
    const Time since = channel.floor.own(channel.floor.since, process == channel.sender);
    const Time last_hit = doubtful.floor.own(doubtful.floor.hit, process == doubtful.sender);
    if (since + doubtful.floor.usual_gap() >= last_hit) return false;
  }
  return true;
}

LostRecords::Watched LostRecords::watch(const Channel& channel, const Channel& doubtful) const {
  Watched other;
  other.floor = channel.floor;
  other.hit = channel.floor.hit;
  const bool receives = channel.receives > 0;
  const std::size_t waiting = std::max(channel.sends, channel.receives);
  other.known = channel.in_order() && is_trusted(channel.floor) && waiting <= most_ends;
  other.tells = other.known && was_steady(channel, doubtful);
  if (!other.known) return other;
  other.receives = receives;
  for (std::size_t k = 0; k < waiting; ++k)
    other.waiting.push_back(ends_[receives ? channel.slots[k].receive : channel.slots[k].send].time);
  return other;
}

/// Two messages of another channel at its floor tell that the clocks of its processes go on.
void LostRecords::look_at_other(const End& next, const Channel& doubtful, const Times& times,
                                Evidence& evidence) const {
  const Channel& its = channels_[next.channel];
  const auto takes_part = [&](ProcessIndex process) { return process == its.sender || process == its.receiver; };
  if (!takes_part(evidence.clocks[0].process) && !takes_part(evidence.clocks[1].process)) return;
  auto entry = evidence.watched.find(next.channel);
  if (entry == evidence.watched.end()) {
    entry = evidence.watched.emplace(next.channel, watch(its, doubtful)).first;
    const Time hit = its.floor.hit;
    if (entry->second.tells) evidence.add(its, its.floor.own(hit, true), its.floor.own(hit, false));
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
  const bool hits = is_at(other.floor, received - sent, next.time);
  if (sent >= times.received[0] || received >= times.sent[0]) {
    other.hits |= hits;
    other.away.push_back(subtract_saturating(received - sent, other.floor.delay));
  }
  other.tells =
      other.tells && (hits ? is_soon(other.floor, next.time - other.hit) : received - sent > other.floor.delay);
  if (!hits || !other.tells) return;
  other.hit = next.time;
  evidence.add(its, sent, received);
}

/// A steady channel hits its floor then. Half a gap later, because a clock that was set back stands still at first.
void LostRecords::Evidence::add(const Channel& steady, Time sent, Time received) {
  for (Clock& clock : clocks) {
    if (clock.process == steady.sender) clock.goes_on |= sent >= clock.from;
    if (clock.process == steady.receiver) clock.goes_on |= received >= clock.from;
  }
}

/// Clocks that are set move the delays both ways apart, and leave the round trip as it is.
bool LostRecords::round_trip_stays(const Times& times, const Floor& floor, Ticks around,
                                   const Evidence& evidence) const {
  Ticks moved = ticks_max;
  for (std::size_t k = 0; k < std::min(times.sent.size(), times.received.size()); ++k)
    moved = std::min(moved, subtract_saturating(times.received[k] - times.sent[k], floor.delay));
  for (const auto& [channel, other] : evidence.watched) {
    if (!evidence.is_reverse(channels_[channel]) || !other.known || other.hits || other.away.size() < 3) continue;
    const Ticks back = *std::min_element(other.away.begin(), other.away.end());
    if (size_of(add_saturating(back, moved)) <= std::max(around, size_of(moved) / 4)) return true;
  }
  return false;
}

std::optional<std::size_t> LostRecords::by_evidence(const Times& times, const Floor& floor, Ticks around, bool backlog,
                                                    const Evidence& evidence) const {
  if (!evidence.clocks_go_on()) return std::nullopt;
  const auto lone = by_floor(times, floor, around, backlog);
  return lone && round_trip_stays(times, floor, around, evidence) ? std::optional<std::size_t>(0) : lone;
}

std::size_t LostRecords::lone_ends(std::uint32_t e, Doubt doubt) {
  const End& end = ends_[e];
  const Channel& channel = channels_[end.channel];
  const Floor& floor = channel.floor;
  const Ticks gap = floor.usual_gap();
  const Ticks around = this->around(floor, end.time);
  const bool backlog = doubt == Doubt::above || (doubt == Doubt::first && !end.send);
  Times times;
  (end.send ? times.sent : times.received).push_back(end.time);
  std::vector<Time>& others = end.send ? times.received : times.sent;
  for (const Slot& slot : channel.slots) {
    if (others.size() == most_ends) break;
    others.push_back(ends_[end.send ? slot.receive : slot.send].time);
  }
  if (doubt == Doubt::first && (others.size() < 2 || (backlog && others[1] >= *processes_[channel.receiver].first)))
    return 0;

  const bool soon = doubt == Doubt::early || (doubt != Doubt::first && end.time - floor.hit <= 8 * gap);
  Evidence evidence{{{{channel.sender, times.sent[0] + gap / 2}, {channel.receiver, times.received[0] + gap / 2}}}, {}};
  const Time latest = std::min(end.time + wait_limit_ / 8, gap > 0 ? end.time + 160 * gap : Time::latest());
  const std::uint64_t most_looks = (std::uint64_t{1} << 20) + 16 * (end.order + 1);
  const std::uint64_t before = looks_;
  for (std::size_t q = std::size_t{e} + 1; q < ends_.size(); ++q) {
    const End& next = ends_[q];
    if (next.alone) continue;
    const std::uint64_t records = next.order - end.order;
    if (next.time > latest || records > most_held_ || before + records > most_looks) break;
    looks_ = before + records;
    if (next.channel == end.channel) {
      if (next.overtakes != 0) return 0;
      std::vector<Time>& own = next.send ? times.sent : times.received;
      if (own.size() == most_ends) break;
      own.push_back(next.time);
      const std::size_t matches = std::min(times.sent.size(), times.received.size());
      if (doubt != Doubt::first) {
        const Ticks newest = times.received[matches - 1] - times.sent[matches - 1];
        if (matches > 1 && size_of(subtract_saturating(newest, floor.delay)) <= around) return 0;
        if (const auto lone = by_evidence(times, floor, around, backlog, evidence)) return *lone;
      }
      if (own.size() != matches || (matches != 32 + spare && matches != 64 + spare && matches != 128 + spare)) continue;
      const std::size_t lone = by_spread(times, floor, around, doubt, backlog);
      if (lone != 0 || matches == 128 + spare) return lone;
      continue;
    }
    if (!soon || (evidence.clocks_go_on() && !evidence.is_reverse(channels_[next.channel]))) continue;
    look_at_other(next, channel, times, evidence);
    if (const auto lone = by_evidence(times, floor, around, backlog, evidence)) return *lone;
  }
  return by_spread(times, floor, around, doubt, backlog);
}

/// The clocks go on: without how many ends are the delays at the floor again? 0: nothing is lost; no value: not known
/// yet.
std::optional<std::size_t> LostRecords::by_floor(const Times& times, const Floor& floor, Ticks around, bool backlog) {
  const std::vector<Time>& sent = times.sent;
  const std::vector<Time>& received = times.received;
  for (std::size_t lone = 1; lone < most_lone; ++lone) {
    std::size_t s = backlog ? lone : 0;
    std::size_t r = backlog ? 0 : lone;
    if (s >= sent.size() || r >= received.size()) return std::nullopt;
    const auto above = [&] { return subtract_saturating(received[r] - sent[s], floor.delay); };
    if (above() < -around) continue;
    int points = 0;
    for (; s < sent.size() && r < received.size() && points < enough && points > -enough; ++r) {
      const Ticks apart = above();
      points -= 2;
      if (size_of(apart) <= around) {
        Ticks room = floor.usual_gap();
        if (s > 0) room = std::min(room, sent[s] - sent[s - 1]);
        if (r > 0) room = std::min(room, received[r] - received[r - 1]);
        for (room /= std::max<Ticks>(1, 2 * size_of(apart)); room >= 2; room /= 2) ++points;
      }
      s += apart >= -around;
    }
    if (points >= enough) {
      if (stands_still(sent) || stands_still(received)) return 0;
      if (add_saturating(tick_of(sent), tick_of(received)) > around) return std::nullopt;
      return lone;
    }
    if (!backlog) return std::nullopt;
  }
  return std::nullopt;
}

/// Without how many ends are successive delays most alike, and much more so than with all? 0: there is no such number.
std::size_t LostRecords::by_spread(const Times& times, const Floor& floor, Ticks around, Doubt doubt, bool backlog) {
  const std::vector<Time>& sent = times.sent;
  const std::vector<Time>& received = times.received;
  if (doubt == Doubt::early || stands_still(sent) || stands_still(received)) return 0;
  const std::size_t matches = std::min(sent.size(), received.size());
  const std::size_t width = matches >= 128 + spare ? 128 : matches >= 64 + spare ? 64 : 32;
  if (matches < width) return 0;
  const bool well = floor.hits >= well_known;
  // By what the sum has to become smaller, in quarters.
  const Ticks ratio = well || width == 32 ? 12 : width == 64 ? 10 : 6;
  const auto wide = static_cast<Ticks>(width);
  const Ticks longest = 2 * wide * floor.usual_gap();
  if (floor.gap > 0 && (sent[width - 1] - sent[0] > longest || received[width - 1] - received[0] > longest)) return 0;
  const auto apart = [&](std::size_t s, std::size_t r) {
    std::vector<Ticks> all;
    for (std::size_t k = 1; k < width; ++k) {
      const Ticks more = subtract_saturating(received[r + k] - sent[s + k], received[r + k - 1] - sent[s + k - 1]);
      all.push_back(std::min(size_of(more), most_summed));
    }
    std::sort(all.begin(), all.end());
    Ticks sum = 0;
    for (std::size_t k = 0; k < all.size() * 3 / 4; ++k) sum = add_saturating(sum, all[k]);
    return sum;
  };
  const auto fits = [&](std::size_t s, std::size_t r) {
    std::size_t hits = 0;
    std::array<std::size_t, 4> of_quarter{};
    for (std::size_t k = 0; k < width; ++k) {
      const Ticks above = subtract_saturating(received[r + k] - sent[s + k], floor.delay);
      if (above < -around && k < width / 4) return false;
      hits += size_of(above) <= around;
      of_quarter[k / (width / 4)] += size_of(above) <= around;
    }
    return hits >= std::max<std::size_t>(3, width / 8) && of_quarter[0] > 0 && of_quarter[1] > 0;
  };
  std::size_t best = 0;
  Ticks least = 0;
  for (std::size_t lone = doubt == Doubt::first ? 2 : 1; lone < most_lone; ++lone) {
    const std::size_t s = backlog ? lone : 0;
    const std::size_t r = backlog ? 0 : lone;
    if (s + width > sent.size() || r + width > received.size()) break;
    if (well && !fits(s, r)) continue;
    const Ticks sum = apart(s, r);
    if (best != 0 && sum >= least) continue;
    best = lone;
    least = sum;
  }
  if (best == 0) return 0;
  const Ticks ticks = add_saturating(tick_of(sent), tick_of(received));
  const Ticks limit =
      add_saturating(ratio * std::min(least, ticks_max / 16) / 4, 2 * wide * std::min(ticks, ticks_max / 512));
  return limit < apart(0, 0) ? best : 0;
}

}  // namespace clc::matching
