#include "clc/definitions.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "clc/error.hpp"
#include "trace/flat_map.hpp"
#include "trace/hash.hpp"
#include "trace/heap.hpp"

namespace clc {

namespace {

bool occur_once(const std::vector<ProcessIndex>& list) {
  if (std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end()) return true;
  std::vector<ProcessIndex> sorted = list;
  std::ranges::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace

Members::Members(const std::vector<ProcessIndex>& list) {
  if (list.empty()) return;
  void* const memory = ::operator new(sizeof(Shared) + list.size() * sizeof(ProcessIndex));
  shared_ = new (memory) Shared;
  shared_->size = static_cast<std::uint32_t>(list.size());
  shared_->largest = occur_once(list) ? *std::ranges::max_element(list) : no_process;
  std::uninitialized_copy(list.begin(), list.end(), shared_->list());
}

void Members::free(Shared* shared) noexcept { ::operator delete(shared); }

struct Definitions::Lookup::Tables {
  NumberTable process_by_number{2};
  NumberTable communicator_by_number{2};
  HashMap<std::string, NodeIndex> node_by_name;
  struct NodeChange {
    std::uint64_t number;  // node_changes() from then on
    NodeIndex before;
  };
  HashMap<ProcessIndex, std::vector<NodeChange>> moved;  // processes whose node was replaced
};

Definitions::Lookup::Lookup() : tables_(std::make_unique<Tables>()) {}
Definitions::Lookup::Lookup(const Lookup& other) : tables_(std::make_unique<Tables>(*other.tables_)) {}
Definitions::Lookup::Lookup(Lookup&& other) noexcept = default;
Definitions::Lookup& Definitions::Lookup::operator=(Lookup other) noexcept {
  tables_.swap(other.tables_);
  return *this;
}
Definitions::Lookup::~Lookup() = default;

namespace {

/// The entry with that number; second: it was added.
template <class Entry>
std::pair<std::uint32_t, bool> entry(NumberTable& table, std::deque<Entry>& all, std::uint64_t number) {
  const auto same = [&](std::uint32_t index) { return all[index].number == number; };
  const std::uint32_t known = table.find(hash(number), same);
  if (known != NumberTable::none) return {known, false};
  const auto index = static_cast<std::uint32_t>(all.size());
  if (!table.holds(all.size() + 1)) table.rebuild(index, [&](std::uint32_t i) { return hash(all[i].number); });
  all.emplace_back().number = number;
  table.add(hash(number), index);
  return {index, true};
}

}  // namespace

ProcessIndex Definitions::add_process(std::uint64_t number, std::string_view name, std::string_view node,
                                      std::optional<ProcessIndex> clock) {
  if (clock && *clock >= processes_.size())
    throw UsageError("the clock of process " + std::to_string(number) + " is not that of a process that was added");
  const auto [index, fresh] = entry(lookup_->process_by_number, processes_, number);
  Process& process = processes_[index];
  content_memory_ -= on_heap(process.name);
  process.name = name;
  content_memory_ += on_heap(process.name);
  if (!node.empty()) {
    const auto [place, added] =
        lookup_->node_by_name.try_emplace(std::string(node), static_cast<NodeIndex>(nodes_.size()));
    if (added) {
      nodes_.emplace_back(node);
      node_clocks_.push_back(no_process);
      content_memory_ += on_heap(nodes_.back()) + on_heap(place->first);
    }
    if (fresh)
      process.node = place->second;
    else if (process.node != place->second)
      change_node(index, place->second);
  }
  if (!fresh) return index;
  process.clock = clock && clock_of != ClockOf::location ? processes_[*clock].clock : index;
  if (process.node != no_node) {
    ClockIndex& of_node = node_clocks_[process.node];
    if (of_node == no_process) of_node = process.clock;
    if (clock_of == ClockOf::node && process.clock == index) process.clock = of_node;
  }
  if (process.clock == index) ++clocks_;
  return index;
}

void Definitions::change_node(ProcessIndex process, NodeIndex node) {
  std::vector<Lookup::Tables::NodeChange>& moves = lookup_->moved[process];
  content_memory_ -= on_heap(moves);
  moves.push_back({node_changes_ + 1, processes_[process].node});
  content_memory_ += on_heap(moves);
  processes_[process].node = node;
  ++changes_;
  ++node_changes_;
}

NodeIndex Definitions::earlier_node(ProcessIndex process, std::uint64_t changes) const noexcept {
  const auto moves = lookup_->moved.find(process);
  if (moves == lookup_->moved.end()) return processes_[process].node;
  const auto next = std::ranges::partition_point(
      moves->second, [&](const Lookup::Tables::NodeChange& change) { return change.number <= changes; });
  return next == moves->second.end() ? processes_[process].node : next->before;
}

CommunicatorIndex Definitions::add_communicator(std::uint64_t number, Members members, Ticks own_delay) {
  if (!members.below(processes_.size()))
    throw UsageError("a member of communicator " + std::to_string(number) +
                     " is not a process that was added, or occurs twice");
  if (own_delay < 0)
    throw UsageError("minimum delay of communicator " + std::to_string(number) + ": expected 0 ticks or more, found " +
                     std::to_string(own_delay));
  const auto [index, fresh] = entry(lookup_->communicator_by_number, communicators_, number);
  Communicator& communicator = communicators_[index];
  if (!fresh && (communicator.members != members || communicator.min_delay != own_delay)) {
    ++communicator.changes;
    ++changes_;
  }
  count(members, communicator.members);
  communicator.members = std::move(members);
  communicator.min_delay = own_delay;
  return index;
}

void Definitions::replace(CommunicatorIndex index, const Members& members, Ticks own_delay) {
  Communicator& communicator = communicators_[index];
  if (communicator.members == members && communicator.min_delay == own_delay) return;
  ++communicator.changes;
  ++changes_;
  communicator.members = members;
  communicator.min_delay = own_delay;
}

void Definitions::grow(const Definitions& other) {
  resolution = other.resolution;
  min_delay = other.min_delay;
  node_min_delay = other.node_min_delay;
  clock_of = other.clock_of;
  for (std::size_t node = nodes_.size(); node < other.nodes_.size(); ++node) {
    nodes_.push_back(other.nodes_[node]);
    node_clocks_.push_back(no_process);
    const auto place = lookup_->node_by_name.try_emplace(nodes_.back(), static_cast<NodeIndex>(node)).first;
    content_memory_ += on_heap(nodes_.back()) + on_heap(place->first);
  }
  for (std::size_t index = processes_.size(); index < other.processes_.size(); ++index) {
    entry(lookup_->process_by_number, processes_, other.processes_[index].number);
    const Process& process = processes_.back() = other.processes_[index];
    content_memory_ += on_heap(process.name);
    if (process.node != no_node && node_clocks_[process.node] == no_process) node_clocks_[process.node] = process.clock;
  }
  for (std::size_t index = communicators_.size(); index < other.communicators_.size(); ++index) {
    entry(lookup_->communicator_by_number, communicators_, other.communicators_[index].number);
    communicators_.back() = other.communicators_[index];
  }
  clocks_ = other.clocks_;
}

/// Shared members count once, and as long as a communicator has them.
void Definitions::count(const Members& added, const Members& replaced) noexcept {
  const auto bytes = [](const Members::Shared& shared) {
    return on_heap(sizeof shared + shared.size * sizeof(ProcessIndex));
  };
  if (Members::Shared* const shared = added.shared_; shared != nullptr && shared->communicators++ == 0)
    content_memory_ += bytes(*shared);
  if (Members::Shared* const gone = replaced.shared_; gone != nullptr && --gone->communicators == 0)
    content_memory_ -= std::min(content_memory_, bytes(*gone));  // other Definitions may have counted it
}

std::optional<ProcessIndex> Definitions::find_process(std::uint64_t number) const {
  const ProcessIndex index =
      lookup_->process_by_number.find(hash(number), [&](ProcessIndex i) { return processes_[i].number == number; });
  if (index == NumberTable::none) return std::nullopt;
  return index;
}

std::optional<CommunicatorIndex> Definitions::find_communicator(std::uint64_t number) const {
  const CommunicatorIndex index = lookup_->communicator_by_number.find(
      hash(number), [&](CommunicatorIndex i) { return communicators_[i].number == number; });
  if (index == NumberTable::none) return std::nullopt;
  return index;
}

std::uint64_t Definitions::memory() const noexcept {
  return source_memory + content_memory_ + on_heap(processes_) + on_heap(communicators_) + on_heap(nodes_) +
         on_heap(node_clocks_) + on_heap(lookup_->node_by_name) + on_heap(lookup_->moved) +
         lookup_->process_by_number.memory() + lookup_->communicator_by_number.memory();
}

}  // namespace clc
