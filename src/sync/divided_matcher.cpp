#include "sync/divided_matcher.hpp"

#include <algorithm>
#include <optional>

namespace clc::sync {

namespace {

[[nodiscard]] std::int64_t pair_of(std::uint32_t high, std::uint32_t low) noexcept {
  return static_cast<std::int64_t>(std::uint64_t{high} << 32U | low);
}
[[nodiscard]] std::uint32_t high(std::int64_t pair) noexcept {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(pair) >> 32U);
}
[[nodiscard]] std::uint32_t low(std::int64_t pair) noexcept { return static_cast<std::uint32_t>(pair); }

// As numbers for other processes: a send, an end of an operation, an edge of one.
constexpr std::size_t numbers_of_send = 5;
constexpr std::size_t numbers_of_call = 10;
constexpr std::size_t numbers_of_edge = 6;

}  // namespace

DividedMatcher::DividedMatcher(const Definitions& definitions, const std::vector<unsigned>& owners, Partners& partners,
                               Next next, Transfer transfer, std::size_t round, const CollectorLimits& limits)
    : definitions_(definitions),
      owners_(owners),
      partners_(partners),
      next_(std::move(next)),
      transfer_(transfer),
      round_(round),
      collector_(partners, limits),
      records_(definitions),
      calls_(definitions),
      operations_(definitions),
      clocks_(owners.size()),
      given_(partners.size()),
      edges_(partners.size()) {
  for (ProcessIndex p = 0; p < owners.size(); ++p)
    if (owners[p] == partners.rank() && definitions.processes()[p].clock == p) own_.push_back(p);
  for (const ClockIndex clock : own_) reached_.emplace(Time::earliest(), clock);
  run_length_ = std::clamp<std::size_t>(round / std::max<std::size_t>(1, own_.size()), 4, 256);
}

void DividedMatcher::read() {
  // Windows double often in the first rounds.
  const std::size_t first = std::max<std::size_t>(8, 1024 / partners_.size());
  const std::size_t most = std::exchange(round_, std::min(round_, first));
  for (bool more = true; more; round_ = std::min(most, 2 * round_)) {
    read_round();
    const auto [end, all] = agree();
    hand_out(end, all);
    take_given();
    take_edges();
    collector_.end_round();
    end_ = end;
    more = !all;
  }
  join_records();
}

/// Until the time of one event more has passed, at least.
void DividedMatcher::read_round() {
  while (!reached_.empty() && (waiting_ < round_ || reached_.top().first <= end_)) {
    const ClockIndex clock = reached_.top().second;
    reached_.pop();
    if (read_run(clock)) reached_.emplace(clocks_[clock].reached, clock);
  }
}

/// False at the end of the clock.
bool DividedMatcher::read_run(ClockIndex clock) {
  OfClock& state = clocks_[clock];
  Event event;
  for (std::size_t left = run_length_; left > 0; --left) {
    if (!next_(clock, event)) return false;
    if (!std::exchange(state.has_begun, true)) begun_.insert(begun_.end(), {clock, event.time.ticks()});
    take(state, event);
  }
  return true;
}

void DividedMatcher::take(OfClock& state, const Event& event) {
  if (event.time > state.reached) {
    state.reached = event.time;
    state.turn = 0;
  }
  const EventPlace place{state.reached, event.process, state.turn++, 0};
  bool waited = false;
  Records::OfProcess& process = records_.add(event, waited);
  switch (event.role) {
    case Role::send:
    case Role::receive:
      state.items.push_back({place, event.role == Role::send ? event.time + transfer_.of(event.bytes) : event.time,
                             event.role == Role::send, waited, event.overtakes, event.peer, event.communicator,
                             event.tag});
      ++waiting_;
      break;
    case Role::collective_begin:
      process.begin(event);
      break;
    case Role::collective_end:
      if (std::optional<Call> call = calls_.end(event, process.end(event), process.clock())) {
        state.items.push_back({.place = place, .time = event.time});
        call->place = place;
        state.calls.push_back(*call);
        ++waiting_;
      }
      break;
    case Role::internal:
      break;
  }
}

std::pair<Time, bool> DividedMatcher::agree() {
  Time end = reached_.empty() ? Time::latest() : reached_.top().first;
  bool all = true;
  Partners::Numbers own{end.ticks(), reached_.empty() ? 1 : 0};
  own.insert(own.end(), begun_.begin(), begun_.end());
  begun_.clear();
  std::vector<std::pair<Time, ClockIndex>> begun;
  for (const auto& given : partners_.all(own)) {
    end = std::min(end, Time(given[0]));
    all = all && given[1] != 0;
    for (std::size_t i = 2; i < given.size(); i += 2)
      begun.emplace_back(given[i + 1], static_cast<ClockIndex>(given[i]));
  }
  std::ranges::sort(begun);
  for (const auto& [first, clock] : begun) collector_.begin(clock, first, definitions_.resolution);
  return {end, all};
}

/// What stands before that time.
void DividedMatcher::hand_out(Time end, bool all) {
  for (const ClockIndex clock : own_) {
    OfClock& state = clocks_[clock];
    while (!state.items.empty() && (all || state.items.front().place.time < end)) hand_out(state);
  }
}

/// The first item of a clock.
void DividedMatcher::hand_out(OfClock& state) {
  const Item item = state.items.front();
  state.items.pop_front();
  --waiting_;
  const EventPlace& place = item.place;
  if (item.peer == no_process) {
    const Call what = state.calls.front();
    state.calls.pop_front();
    const unsigned owner = owners_[definitions_.communicators()[what.communicator].members[0]];
    if (owner == partners_.rank()) return call(what);
    const Gathering::Member& member = what.member;
    Partners::Numbers& to = given_[owner];
    to.insert(to.end(),
              {-1, place.time.ticks(), pair_of(place.process, place.turn), pair_of(what.communicator, what.rank),
               static_cast<std::int64_t>(what.number), pair_of(what.root, static_cast<std::uint32_t>(what.what)),
               (member.tail ? 2 : 0) + (member.head ? 1 : 0), member.clock, member.begin.ticks(), member.end.ticks()});
    return;
  }
  const unsigned owner = item.is_send ? owners_[item.peer] : partners_.rank();
  if (owner == partners_.rank()) return message(item, place.process);
  // The process is below 2^32 - 1, which tells a send from the end of an operation.
  given_[owner].insert(given_[owner].end(), {pair_of(place.process, item.peer), pair_of(item.communicator, place.turn),
                                             item.tag, item.time.ticks(), place.time.ticks()});
}

/// What the others have given, sends and ends of operations.
void DividedMatcher::take_given() {
  const auto got = partners_.exchange(given_);
  for (Partners::Numbers& numbers : given_) numbers.clear();
  for (const Partners::Numbers& numbers : got)
    for (auto next = numbers.begin(); next != numbers.end();) {
      if (next[0] != -1) {
        const ProcessIndex sender = high(next[0]);
        message({.place = {Time(next[4]), sender, low(next[1]), 0},
                 .time = Time(next[3]),
                 .is_send = true,
                 .peer = low(next[0]),
                 .communicator = high(next[1]),
                 .tag = next[2]},
                sender);
        next += numbers_of_send;
        continue;
      }
      Call what;
      what.communicator = high(next[3]);
      what.rank = low(next[3]);
      what.number = static_cast<std::uint64_t>(next[4]);
      what.root = high(next[5]);
      what.what = static_cast<Operation>(low(next[5]));
      what.member = {static_cast<ClockIndex>(next[7]), Time(next[8]), Time(next[9]), (next[6] & 2) != 0,
                     (next[6] & 1) != 0};
      what.place = {Time(next[1]), high(next[2]), low(next[2]), 0};
      call(what);
      next += numbers_of_call;
    }
}

DividedMatcher::Channel& DividedMatcher::channel_of(const ChannelKey& key) {
  const std::uint64_t mixed = key.ends + (key.ends >> 32U) * 61 + static_cast<std::uint64_t>(key.tag);
  std::uint32_t& recent = recent_[mixed % recent_channels];
  if (recent < channels_.size() && channels_[recent].key == key) return channels_[recent].channel;
  const auto [place, is_new] = places_.insert(key, static_cast<std::uint32_t>(channels_.size()));
  recent = *place;
  if (is_new) channels_.push_back({key, {}});
  return channels_[recent].channel;
}

void DividedMatcher::message(const Item& item, ProcessIndex process) {
  ChannelKey key;
  const ProcessIndex sender = item.is_send ? process : item.peer;
  const ProcessIndex receiver = item.is_send ? item.peer : process;
  key.ends = std::uint64_t{sender} << 32U | receiver;
  key.communicator = item.communicator;
  key.tag = item.tag;
  const Side own{item.place, item.time, item.waited};
  const std::optional<Side> other = channel_of(key).add(item.is_send, item.overtakes, own);
  if (!other) return;
  const Side& send = item.is_send ? own : *other;
  const Side& receive = item.is_send ? *other : own;
  const auto clock_of = [this](ProcessIndex of) { return definitions_.processes()[of].clock; };
  collector_.add(std::max(send.place, receive.place),
                 {clock_of(sender), clock_of(receiver), {send.time, receive.time, receive.waited}});
}

void DividedMatcher::call(const Call& call) {
  std::optional<OpenOperations::Complete> complete = operations_.add(call);
  if (!complete) return;
  if (!complete->gathering.members.empty())
    collector_.add(complete->place, group_of(definitions_, call.communicator), std::move(complete->gathering));
  for (const Edge& one : complete->edges) {
    edge(complete->place, one);
    ++complete->place.part;
  }
}

void DividedMatcher::edge(const EventPlace& place, const Edge& edge) {
  const unsigned owner = owners_[edge.to];
  if (owner == partners_.rank()) return collector_.add(place, edge);
  edges_[owner].insert(edges_[owner].end(),
                       {place.time.ticks(), pair_of(place.process, place.turn), pair_of(edge.from, edge.to), place.part,
                        edge.times.sent().ticks(), edge.times.packed()});
}

void DividedMatcher::take_edges() {
  const auto got = partners_.exchange(edges_);
  for (Partners::Numbers& numbers : edges_) numbers.clear();
  for (const Partners::Numbers& numbers : got)
    for (auto next = numbers.begin(); next != numbers.end(); next += numbers_of_edge)
      collector_.add({Time(next[0]), high(next[1]), low(next[1]), static_cast<std::uint32_t>(next[3])},
                     {high(next[2]), low(next[2]), Sighting::unpacked(Time(next[4]), next[5])});
}

/// Whether records are missing, the tick, and of each clock its span.
void DividedMatcher::join_records() {
  const bool lacks = operations_.lack_calls() ||
                     std::ranges::any_of(channels_, [](const Known& one) { return !one.channel.all_have_partners(); });
  Partners::Numbers own{lacks ? 1 : 0, records_.coarsest_tick()};
  for (ClockIndex clock = 0; clock < clocks_.size(); ++clock)
    if (const std::optional<ClockSpan> span = records_.span(clock))
      own.insert(own.end(), {clock, span->first.ticks(), span->last.ticks()});
  for (const Partners::Numbers& given : partners_.all(own)) {
    lacks_records_ = lacks_records_ || given[0] != 0;
    records_.put_tick(given[1]);
    for (std::size_t i = 2; i < given.size(); i += 3)
      records_.put(static_cast<ClockIndex>(given[i]), {Time(given[i + 1]), Time(given[i + 2])});
  }
}

}  // namespace clc::sync
