#include "clc/definitions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "clc/error.hpp"

namespace clc {

const std::vector<ProcessIndex> Members::none;

Members::Members(std::vector<ProcessIndex> list) {
  if (list.empty()) return;
  const ProcessIndex largest = *std::max_element(list.begin(), list.end());
  shared_ = std::make_shared<const Shared>(Shared{std::move(list), largest});
}

ProcessIndex Definitions::add_process(std::uint64_t number, std::string_view name, std::string_view node,
                                      std::optional<ProcessIndex> clock) {
  if (clock && *clock >= processes_.size())
    throw UsageError("the clock of process " + std::to_string(number) + " is not that of a process that was added");
  const auto [entry, fresh] = process_by_number_.try_emplace(number, static_cast<ProcessIndex>(processes_.size()));
  if (fresh) processes_.emplace_back();
  Process& process = processes_[entry->second];
  process.number = number;
  process.name = name;
  if (!node.empty()) {
    const auto [place, added] = node_by_name_.try_emplace(std::string(node), static_cast<NodeIndex>(nodes_.size()));
    if (added) {
      nodes_.emplace_back(node);
      node_clocks_.push_back(no_process);
    }
    if (std::exchange(process.node, place->second) != place->second && !fresh) ++changes_;
  }
  if (!fresh) return entry->second;
  process.clock = clock && clock_of != ClockOf::location ? processes_[*clock].clock : entry->second;
  if (process.node != no_node) {
    ClockIndex& of_node = node_clocks_[process.node];
    if (of_node == no_process) of_node = process.clock;
    if (clock_of == ClockOf::node && process.clock == entry->second) process.clock = of_node;
  }
  if (process.clock == entry->second) ++clocks_;
  return entry->second;
}

CommunicatorIndex Definitions::add_communicator(std::uint64_t number, Members members, Ticks own_delay) {
  if (!members.below(processes_.size()))
    throw UsageError("a member of communicator " + std::to_string(number) + " is not a process that was added");
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
