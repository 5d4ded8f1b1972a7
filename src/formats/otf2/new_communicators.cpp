#include "otf2/new_communicators.hpp"

namespace clc::otf2 {

std::optional<Rank> NewCommunicators::List::rank(ProcessIndex process) {
  if (process < members.size() && members[process] == process) return process;
  if (!ranks) {
    ranks.emplace();
    for (Rank rank = 0; rank < members.size(); ++rank) ranks->emplace(members[rank], rank);
  }
  const auto found = ranks->find(process);
  return found == ranks->end() ? std::nullopt : std::optional<Rank>(found->second);
}

NewCommunicators::OfCommunicator& NewCommunicators::of(CommunicatorIndex communicator) {
  if (communicator >= communicators_.size()) communicators_.resize(std::size_t{communicator} + 1);
  return communicators_[communicator];
}

void NewCommunicators::add(CommunicatorIndex communicator, const Communicator& given) {
  of(communicator).present = static_cast<std::uint32_t>(lists_.size());
  lists_.push_back({given.number, communicator, given.members, given.min_delay, std::nullopt});
}

void NewCommunicators::change(CommunicatorIndex communicator, const Communicator& given) {
  if (const std::uint32_t known = of(communicator).present; known != OfCommunicator::none)
    if (lists_[known].members == given.members && lists_[known].min_delay == given.min_delay) return;
  add(communicator, given);
}

OTF2_CommRef NewCommunicators::present(CommunicatorIndex communicator, const Communicator& given) {
  if (of(communicator).present == OfCommunicator::none) add(communicator, given);
  return of(communicator).present;
}

void NewCommunicators::settle() {
  for (const List& list : lists_) used_.insert(list.number);
  std::vector<bool> seen(communicators_.size());
  for (const List& list : lists_) {
    OfCommunicator& communicator = communicators_[list.communicator];
    const bool first = !seen[list.communicator];
    seen[list.communicator] = true;
    communicator.changed = !first;
    communicator.shared_delay = first || communicator.shared_delay == list.min_delay ? list.min_delay : 0;
    renumbered_ += first ? 0 : 1;
    entries_.push_back({first ? list.number : free_number(), list.min_delay});
  }
}

std::uint64_t NewCommunicators::free_number() {
  while (!used_.insert(lowest_free_).second) ++lowest_free_;
  return lowest_free_;
}

std::pair<OTF2_CommRef, std::uint32_t> NewCommunicators::route(ProcessIndex process, ProcessIndex peer,
                                                               std::size_t which) {
  List& list = lists_[which];
  if (peer == no_process) return {static_cast<OTF2_CommRef>(which), OTF2_UNDEFINED_UINT32};
  OfCommunicator& communicator = communicators_[list.communicator];
  if (!communicator.changed) {
    const std::optional<Rank> rank = list.rank(peer);
    if (rank && list.rank(process)) return {static_cast<OTF2_CommRef>(which), *rank};
  }
  ++on_all_;
  if (communicator.everybody == OTF2_UNDEFINED_COMM) {
    communicator.everybody = static_cast<OTF2_CommRef>(entries_.size());
    entries_.push_back({free_number(), communicator.shared_delay});
  }
  lost_delays_ += list.min_delay != entries_[communicator.everybody].min_delay;
  return {communicator.everybody, peer};
}

}  // namespace clc::otf2
