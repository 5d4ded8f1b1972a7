#include "replay/matching.hpp"

#include <algorithm>
#include <utility>

namespace clc::replay {

Partner Matching::add(const Event& event, Time recorded, Sequence sequence, bool inside) {
  switch (event.role) {
    case Role::send:
    case Role::receive:
      return message(event, {sequence, event.bytes, recorded, inside});
    case Role::collective_begin:
      begin(event, sequence, inside);
      return {};
    case Role::collective_end:
      return end(event, recorded, sequence, inside);
    case Role::internal:
      break;
  }
  return {};
}

Partner Matching::message(const Event& event, const End& own) {
  const bool is_send = event.role == Role::send;
  if (event.other_end == OtherEnd::missing) {
    unmatched(ChannelKey(event), own, is_send, false);
    return {};
  }
  const auto channel = channels_.try_emplace(ChannelKey(event)).first;
  const std::optional<End> partner = channel->second.add(is_send, event.overtakes, own);
  if (!partner) return {};
  if (channel->second.is_like_new()) channels_.erase(channel);
  if (own.inside != partner->inside) {
    count(Case::crosses_window);
    loosen(own.sequence, own.inside);
    loosen(partner->sequence, partner->inside);
    return {};
  }
  return {partner->sequence, partner->bytes};
}

void Matching::begin(const Event& event, Sequence sequence, bool inside) {
  if (event.process >= begun_.size()) begun_.resize(event.process + std::size_t{1});
  std::vector<Begin>& begun = begun_[event.process];
  const auto same = std::ranges::find(begun, event.tag, &Begin::call);
  const auto replaced = same != begun.end() ? same : begun.size() == most_begun ? begun.begin() : begun.end();
  if (replaced != begun.end()) {
    if (replaced->inside) count(Case::begin_without_end);
    loosen(replaced->sequence, replaced->inside);
    begun.erase(replaced);
  }
  begun.push_back({event.tag, sequence, inside});
}

std::optional<Matching::Begin> Matching::take_begin(const Event& end) {
  if (end.process >= begun_.size()) return std::nullopt;
  std::vector<Begin>& begun = begun_[end.process];
  const auto same = std::ranges::find(begun, end.tag, &Begin::call);
  if (same == begun.end()) return std::nullopt;
  const Begin found = *same;
  begun.erase(same);
  return found;
}

Partner Matching::end(const Event& event, Time recorded, Sequence sequence, bool inside) {
  const std::optional<Begin> begin = take_begin(event);
  if (!begin && inside) count(Case::end_without_begin);
  const Call call{event.process, begin ? begin->sequence : none, sequence, begin && begin->inside, inside};
  OfCommunicator& state = of(event.communicator);
  if (!state.group->contains(event.process)) {
    if (inside) count(Case::not_a_member);
    loosen(call);
    return {};
  }
  if (state.versions.back().members.size() < 2) {
    loosen(call);
    return {};
  }
  std::uint64_t& finished = state.finished[event.process];
  const std::uint64_t position = finished + event.missed;
  finished = position + 1;
  const auto [entry, opened] = state.open.try_emplace(position);
  Operation& operation = entry->second;
  if (opened) {
    operation.number = operations_++;
    operation.what = event.operation;
    operation.root = event.root;
    operation.first = recorded;
    operation.members = state.versions.back().members;
    operation.group = state.group;
    state.next = std::max(state.next, position + 1);
  } else if (!operation.group->contains(event.process)) {
    // The communicator had other members when the operation began.
    if (inside) count(Case::not_a_member);
    loosen(call);
    return {};
  }
  const bool agrees =
      operation.what == event.operation && (!info(event.operation).rooted || operation.root == event.root);
  operation.disagreeing += agrees ? 0 : 1;
  operation.calls.push_back(call);
  operation.first = std::min(operation.first, recorded);
  const Partner partner{call.begin, 0, operation.number};
  const std::size_t absent = event.absent < most_absent ? event.absent : 0;
  if (operation.calls.size() + absent == operation.members.size()) {
    if (absent > 0) note_absent(operation, event.communicator);
    close(operation, true, true);
    state.open.erase(entry);
  }
  return partner;
}

Matching::OfCommunicator& Matching::of(CommunicatorIndex communicator) {
  const auto [entry, is_new] = communicators_.try_emplace(communicator);
  OfCommunicator& state = entry->second;
  const Communicator& definition = definitions_.communicators()[communicator];
  if (!is_new && state.changes == definition.changes) return state;
  state.changes = definition.changes;
  const std::shared_ptr<const Group> before = std::exchange(state.group, group_of(definition.members));
  state.versions.push_back({operations_, definition.members, definition.min_delay});
  // New members begin with the operations to come.
  if (before && before != state.group)
    for (const ProcessIndex process : definition.members)
      if (!before->contains(process)) state.finished[process] = state.next;
  return state;
}

std::shared_ptr<const Matching::Group> Matching::group_of(const Members& members) {
  const auto address = reinterpret_cast<std::uintptr_t>(members.list().data());
  Known& known = groups_[address];
  if (!known.group) {
    known.members = members;
    known.group = std::make_shared<const Group>(members.begin(), members.end());
  }
  return known.group;
}

const Matching::Version& Matching::version(CommunicatorIndex communicator, std::uint64_t operation) const {
  const std::vector<Version>& versions = communicators_.at(communicator).versions;
  const auto later = std::ranges::upper_bound(versions, operation, {}, &Version::since);
  return *std::prev(later);
}

void Matching::loosen(const Call& call) {
  loosen(call.end, call.end_inside);
  if (call.begin != none) loosen(call.begin, call.begin_inside);
}

void Matching::close(const Operation& operation, bool complete, bool whole) {
  const auto outside = [](const Call& call) { return !call.end_inside || (call.begin != none && !call.begin_inside); };
  const bool crosses = std::ranges::any_of(operation.calls, outside);
  if (complete && !crosses && operation.disagreeing == 0) return;
  const bool any_inside =
      std::ranges::any_of(operation.calls, [](const Call& call) { return call.end_inside || call.begin_inside; });
  if (any_inside && (crosses || !whole))
    count(Case::crosses_window);
  else if (any_inside && !complete)
    count(Case::collective_incomplete);
  if (any_inside) count(Case::operation_mismatch, operation.disagreeing);
  for (const Call& call : operation.calls) loosen(call);
}

/// What is missing is not in the trace, or, if the message crosses the border, not in the window.
void Matching::unmatched(const ChannelKey& key, const End& end, bool is_send, bool crosses) {
  loosen(end.sequence, end.inside);
  if (!end.inside) return;
  if (crosses) return count(Case::crosses_window);
  count(!is_send                ? Case::receive_without_send
        : key.names_both_ends() ? Case::send_without_receive
                                : Case::unclaimed_send);
  if (key.names_both_ends())
    losses_.add({key.sender(), key.receiver(), key.communicator, key.tag, end.recorded, !is_send});
}

/// The members without a call of that operation lost it.
void Matching::note_absent(const Operation& operation, CommunicatorIndex communicator) {
  const bool any_inside = std::ranges::any_of(operation.calls, [](const Call& call) { return call.end_inside; });
  if (!any_inside) return;
  Group present;
  for (const Call& call : operation.calls) present.insert(call.process);
  for (const ProcessIndex member : operation.members)
    if (!present.contains(member) && lost_calls_.size() < Analysis::most_losses)
      lost_calls_.push_back({member, communicator, operation.what, operation.first});
}

void Matching::finish(bool whole) {
  for (const auto& entry : channels_) {
    const ChannelKey& key = entry.first;
    entry.second.sends_without_receive().for_each([&](const End& end) { unmatched(key, end, true, !whole); });
    entry.second.receives_without_send().for_each([&](const End& end) { unmatched(key, end, false, false); });
  }
  for (const std::vector<Begin>& begun : begun_)
    for (const Begin& begin : begun) {
      if (begin.inside) count(whole ? Case::begin_without_end : Case::crosses_window);
      loosen(begin.sequence, begin.inside);
    }
  for (const auto& [communicator, state] : communicators_)
    for (const auto& [position, operation] : state.open) close(operation, false, whole);
  channels_.clear();
  begun_.clear();
  std::ranges::sort(loose_);
}

bool Matching::is_loose(Sequence sequence) const { return std::ranges::binary_search(loose_, sequence); }

}  // namespace clc::replay
