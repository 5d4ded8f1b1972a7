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
  for (auto entry = channels_.begin(); entry != channels_.end();) {
    entry->second.forget_if([&](const Side& side) { return side.time < time; });
    entry = entry->second.all_have_partners() ? channels_.erase(entry) : std::next(entry);
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
  const Side side{event.process, event.time, waited};
  const std::optional<Side> other = channels_[ChannelKey(event)].add(sends, event.overtakes, side);
  if (other) sends ? edge(side, *other) : edge(*other, side);
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
