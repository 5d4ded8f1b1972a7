#include "clc/definitions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "clc/error.hpp"

namespace clc {

ProcessIndex Definitions::add_process(std::uint64_t number, std::string_view name, std::string_view node) {
  const auto [entry, fresh] = process_by_number_.try_emplace(number, static_cast<ProcessIndex>(processes_.size()));
  if (fresh) processes_.emplace_back();
  Process& process = processes_[entry->second];
  process.number = number;
  process.name = name;
  if (!node.empty()) {
    const auto [place, added] = node_by_name_.try_emplace(std::string(node), static_cast<NodeIndex>(nodes_.size()));
    if (added) nodes_.emplace_back(node);
    if (std::exchange(process.node, place->second) != place->second && !fresh) ++changes_;
  }
  return entry->second;
}

CommunicatorIndex Definitions::add_communicator(std::uint64_t number, std::vector<ProcessIndex> members,
                                                Ticks own_delay) {
  if (std::any_of(members.begin(), members.end(), [&](ProcessIndex member) { return member >= processes_.size(); }))
    throw UsageError("a member of communicator " + std::to_string(number) + " is no process that was added");
  const auto [entry, fresh] =
      communicator_by_number_.try_emplace(number, static_cast<CommunicatorIndex>(communicators_.size()));
  if (fresh) communicators_.emplace_back();
  Communicator& communicator = communicators_[entry->second];
  if (!fresh && (communicator.members != members || communicator.min_delay != own_delay)) {
    ++communicator.changes;
    ++changes_;
  }
  communicator.number = number;
  communicator.members = std::move(members);
  communicator.min_delay = own_delay;
  return entry->second;
}

std::optional<ProcessIndex> Definitions::find_process(std::uint64_t number) const {
  const auto entry = process_by_number_.find(number);
  if (entry == process_by_number_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace clc
