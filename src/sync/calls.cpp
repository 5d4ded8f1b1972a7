#include "sync/calls.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace clc::sync {

/// Who was a member goes on with its count of calls; who was not begins with the operations to come.
void MemberCalls::follow(Group& group, const Communicator& communicator) {
  const bool known = group.changes.has_value();
  group.changes = communicator.changes;
  const HashMap<ProcessIndex, Rank> before = std::exchange(group.ranks, {});
  for (Rank rank = 0; rank < communicator.members.size(); ++rank) {
    const ProcessIndex member = communicator.members[rank];
    group.ranks.try_emplace(member, rank);
    if (known && !before.contains(member)) group.calls[member] = group.to_come;
  }
}

std::optional<Call> MemberCalls::end(const Event& event, std::optional<Time> began, ClockIndex clock) {
  if (event.communicator >= definitions_.communicators().size()) return std::nullopt;
  const Communicator& communicator = definitions_.communicators()[event.communicator];
  const Members& members = communicator.members;
  if (members.size() < 2) return std::nullopt;
  Group& group = groups_[event.communicator];
  if (group.changes != communicator.changes) follow(group, communicator);
  const auto rank = group.ranks.find(event.process);
  if (rank == group.ranks.end()) return std::nullopt;
  std::uint64_t& calls = group.calls[event.process];
  const std::uint64_t number = calls + event.missed;
  calls = number + 1;
  group.to_come = std::max(group.to_come, calls);
  const bool all = event.operation == Operation::barrier;
  return Call{
      event.communicator,
      rank->second,
      number,
      event.operation,
      event.root,
      event.absent,
      {clock, began.value_or(event.time), event.time, began && (all || event.bytes > 0), all || event.received > 0},
      {}};
}

std::optional<OpenOperations::Complete> OpenOperations::add(const Call& call) {
  std::map<std::uint64_t, Open>& operations = open_[call.communicator];
  const auto at = operations.try_emplace(call.number, Open{call.what, call.root, true, call.place, {}}).first;
  Open& open = at->second;
  open.agreed &= open.what == call.what && (!info(call.what).rooted || open.root == call.root);
  disagree_ |= !open.agreed;
  open.place = std::max(open.place, call.place);
  open.members.try_emplace(call.rank, call.member);
  const std::size_t absent = call.absent < most_absent ? call.absent : 0;
  if (open.members.size() + absent < definitions_.communicators()[call.communicator].members.size())
    return std::nullopt;
  std::optional<Complete> complete;
  if (open.agreed) complete = completed(open);
  operations.erase(at);
  return complete;
}

std::optional<OpenOperations::Complete> OpenOperations::completed(const Open& open) {
  std::vector<Gathering::Member> members;
  for (const auto& [rank, member] : open.members) members.push_back(member);
  const auto root = open.members.find(open.root);
  Complete complete{{}, {}, open.place};
  const auto edge = [&](const Gathering::Member& from, const Gathering::Member& to) {
    if (from.tail && to.head && from.clock != to.clock)
      complete.edges.push_back({from.clock, to.clock, {from.begin, to.end, false}});
  };
  switch (info(open.what).kind) {
    case CollectiveClass::one_to_n:
      if (root == open.members.end()) return std::nullopt;
      for (const Gathering::Member& member : members) edge(root->second, member);
      return complete;
    case CollectiveClass::prefix:
      for (std::size_t k = 1; k < members.size(); ++k) edge(members[k - 1], members[k]);
      return complete;
    case CollectiveClass::n_to_one: {
      if (root == open.members.end()) return std::nullopt;
      const auto which = static_cast<std::size_t>(std::distance(open.members.begin(), root));
      for (std::size_t k = 0; k < members.size(); ++k) members[k].head &= k == which;
      break;
    }
    case CollectiveClass::n_to_n:
      break;
  }
  complete.gathering.members = std::move(members);
  return complete;
}

void OpenOperations::forget_before(Time time) {
  for (auto& [communicator, operations] : open_)
    std::erase_if(operations, [&](const auto& entry) {
      return std::ranges::all_of(entry.second.members, [&](const auto& member) { return member.second.end < time; });
    });
}

bool OpenOperations::lack_calls() const noexcept {
  return disagree_ || std::ranges::any_of(open_, [](const auto& entry) { return !entry.second.empty(); });
}

std::uint64_t group_of(const Definitions& definitions, CommunicatorIndex communicator) {
  const std::uint64_t number = definitions.communicators()[communicator].number;
  return number >> 32U != 0 ? number : communicator;
}

}  // namespace clc::sync
