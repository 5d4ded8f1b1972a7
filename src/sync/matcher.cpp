#include "sync/matcher.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "clc/event.hpp"

namespace clc::sync {

std::size_t Matcher::KeyHash::operator()(const Key& key) const noexcept {
  return static_cast<std::size_t>(hash(key.ends, static_cast<std::uint64_t>(key.tag), key.communicator));
}

void Matcher::add(const Event& event) {
  if (event.process >= states_.size()) states_.resize(event.process + std::size_t{1});
  State& state = states_[event.process];
  bool waited = false;
  if (event.role == Role::receive && state.last) {
    const Ticks gap = event.time - *state.last;
    state.shortest_gap = std::min(state.shortest_gap, gap);
    const Ticks quick = std::min(state.shortest_gap, definitions_.resolution.ticks_of_microseconds(2));
    waited = static_cast<double>(gap) > 2.5 * static_cast<double>(quick);
  }
  if (state.tick != 1 && state.last && event.time > *state.last) {
    state.tick = std::gcd(state.tick, event.time - *state.last);
    ++state.gaps;
  }
  state.last = std::max(state.last.value_or(event.time), event.time);
  const ClockIndex clock = clock_of(event.process);
  if (clock >= spans_.size()) spans_.resize(clock + std::size_t{1});
  std::optional<Span>& of_clock = spans_[clock];
  if (!of_clock) of_clock = {event.time, event.time};
  of_clock->first = std::min(of_clock->first, event.time);
  of_clock->last = std::max(of_clock->last, event.time);
  switch (event.role) {
    case Role::send:
    case Role::receive:
      message(event, waited);
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

void Matcher::forget_before(Time time) {
  const auto forget = [&](std::map<std::uint64_t, Side>& sides) {
    std::erase_if(sides, [&](const auto& entry) { return entry.second.time < time; });
  };
  for (auto entry = channels_.begin(); entry != channels_.end();) {
    Channel& channel = entry->second;
    forget(channel.unmatched_sends);
    forget(channel.unmatched_receives);
    const bool empty = channel.unmatched_sends.empty() && channel.unmatched_receives.empty();
    entry = empty ? channels_.erase(entry) : std::next(entry);
  }
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

void Matcher::message(const Event& event, bool waited) {
  const bool sends = event.role == Role::send;
  const ProcessIndex from = sends ? event.process : event.peer;
  const ProcessIndex to = sends ? event.peer : event.process;
  const std::uint64_t ends =
      event.peer == no_process ? ~std::uint64_t{0} : std::uint64_t{from} << 32U | std::uint64_t{to};
  const Key key{ends, event.communicator, event.tag};
  Channel& channel = channels_[key];
  const Side side{event.process, event.time, waited};
  std::uint64_t number = 0;
  if (sends) {
    number = channel.sends++;
  } else if (event.overtakes < channel.skipped.size()) {
    const auto own = channel.skipped.begin() + event.overtakes;
    number = *own;
    channel.skipped.erase(own);
  } else {
    const std::uint64_t left = event.overtakes - channel.skipped.size();
    for (std::uint64_t i = 0; i < left; ++i) channel.skipped.push_back(channel.receives++);
    number = channel.receives++;
  }
  auto& others = sends ? channel.unmatched_receives : channel.unmatched_sends;
  const auto other = others.find(number);
  if (other == others.end()) {
    (sends ? channel.unmatched_sends : channel.unmatched_receives).emplace(number, side);
    return;
  }
  sends ? edge(side, other->second) : edge(other->second, side);
  others.erase(other);
}

void Matcher::edge(const Side& send, const Side& receive) {
  const ClockIndex from = clock_of(send.process);
  const ClockIndex to = clock_of(receive.process);
  if (from != to) collector_.add({from, to, {send.time, receive.time, receive.waited}});
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
  const std::uint64_t call = group.calls[event.process]++;
  const OperationInfo& operation = info(event.operation);
  Operation& open =
      group.open.try_emplace(call, Operation{event.operation, operation.kind, event.root, true, {}}).first->second;
  open.agreed &= open.what == event.operation && (!operation.rooted || open.root == event.root);
  const bool all = event.operation == clc::Operation::barrier;
  open.members.try_emplace(
      rank->second, Gathering::Member{clock_of(event.process), began, event.time, known && (all || event.bytes > 0),
                                      all || event.received > 0});
  if (open.members.size() < members.size()) return;
  if (open.agreed) finish(event.communicator, open);
  group.open.erase(call);
}

void Matcher::finish(CommunicatorIndex communicator, const Operation& operation) {
  std::vector<Gathering::Member> members;
  for (const auto& [rank, member] : operation.members) members.push_back(member);
  const auto edge = [&](const Gathering::Member& from, const Gathering::Member& to) {
    if (from.tail && to.head && from.clock != to.clock)
      collector_.add({from.clock, to.clock, {from.begin, to.end, false}});
  };
  switch (operation.kind) {
    case CollectiveClass::one_to_n:
      if (operation.root >= members.size()) return;
      for (const Gathering::Member& member : members) edge(members[operation.root], member);
      return;
    case CollectiveClass::prefix:
      for (std::size_t rank = 1; rank < members.size(); ++rank) edge(members[rank - 1], members[rank]);
      return;
    case CollectiveClass::n_to_one:
      if (operation.root >= members.size()) return;
      for (std::size_t rank = 0; rank < members.size(); ++rank) members[rank].head &= rank == operation.root;
      break;
    case CollectiveClass::n_to_n:
      break;
  }
  collector_.add(communicator, {std::move(members)});
}

}  // namespace clc::sync
