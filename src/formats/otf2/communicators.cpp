#include "otf2/communicators.hpp"

#include <algorithm>
#include <iterator>

#include "otf2/archive.hpp"
#include "trace/heap.hpp"

namespace clc::otf2 {

std::uint64_t Communicators::memory() const noexcept {
  std::uint64_t bytes = on_heap(ranks_) + on_heap(windows_) + on_heap(window_groups_);
  for (const auto& [ref, group] : window_groups_) bytes += on_heap(group.size() * sizeof(ProcessIndex));
  return bytes;
}

const Ranks* Communicators::find_ranks(OTF2_CommRef communicator) const noexcept {
  const auto found = ranks_.find(communicator);
  if (found == ranks_.end()) return nullptr;
  last_communicator_ = communicator;
  last_ranks_ = &found->second;
  return last_ranks_;
}

// Numbers of communicators that the archive does not name lie beyond its own, which have 32 bits.

namespace {

enum class Implied : std::uint64_t { locks = 8, team, requests, window, group, direction };

std::uint64_t number_of(Implied kind, std::uint64_t rest) noexcept {
  return static_cast<std::uint64_t>(kind) << 60U | (rest & 0x0fff'ffff'ffff'ffffU);
}

}  // namespace

const Members& Communicators::joined(const Members& first, const Members& second) {
  if (second.empty()) return first;
  Members& known = joined_[{first.list().data(), second.list().data()}];
  if (known.empty()) {
    std::vector<ProcessIndex> all(first.begin(), first.end());
    std::vector<bool> among(archive_.definitions().processes().size());
    for (const ProcessIndex member : first) among[member] = true;
    std::copy_if(second.begin(), second.end(), std::back_inserter(all),
                 [&](ProcessIndex member) { return !among[member]; });
    known = Members(all);
  }
  return known;
}

template <class Members>
CommunicatorIndex Communicators::derived(std::uint64_t number, Members members, Ticks min_delay, NewLines& lines) {
  const auto [entry, fresh] = derived_.try_emplace(number, no_communicator);
  if (fresh) {
    try {
      if (before_change_) before_change_();
    } catch (...) {
      stopped_ = std::current_exception();
      derived_.erase(entry);
      return no_communicator;
    }
    entry->second = archive_.definitions().add_communicator(number, members(), min_delay);
    archive_.definitions().source_memory += on_heap(sizeof *entry + sizeof(void*)) + sizeof(void*);
    if (archive_.group_lines)
      lines.push_back(group_line(archive_.definitions(), archive_.definitions().communicators()[entry->second]));
  }
  return entry->second;
}

CommunicatorIndex Communicators::self(OTF2_CommRef communicator, ProcessIndex process, NewLines& lines) {
  return derived((std::uint64_t{process} + 1) << 32U | communicator, [&] { return std::vector<ProcessIndex>{process}; },
                 0, lines);
}

CommunicatorIndex Communicators::team(OTF2_CommRef team, std::uint32_t size, NewLines& lines) {
  const auto members = [&] {
    const Members& all = archive_.teams().find(team)->members;
    return std::vector<ProcessIndex>(all.begin(), all.begin() + size);
  };
  return derived(number_of(Implied::team, std::uint64_t{size} << 32U | team), members, archive_.thread_delay(), lines);
}

CommunicatorIndex Communicators::lock(OTF2_LocationGroupRef group, OTF2_Paradigm paradigm, NewLines& lines) {
  const auto members = [&] {
    std::vector<ProcessIndex> threads;
    for (ProcessIndex i = 0; i < archive_.locations().size(); ++i)
      if (archive_.locations()[i].group == group && archive_.locations()[i].type == OTF2_LOCATION_TYPE_CPU_THREAD)
        threads.push_back(i);
    return threads;
  };
  return derived(number_of(Implied::locks, std::uint64_t{group} << 8U | paradigm), members, archive_.thread_delay(),
                 lines);
}

CommunicatorIndex Communicators::request(OTF2_CommRef communicator, std::uint64_t number, NewLines& lines) {
  // More than so many are hardly under way at once.
  constexpr std::uint64_t most = 32;
  const CommunicatorIndex whole = ranks_.at(communicator).index;
  return derived(
      number_of(Implied::requests, (number % most) << 32U | communicator),
      [&] { return archive_.definitions().communicators()[whole].members; }, 0, lines);
}

CommunicatorIndex Communicators::window(OTF2_RmaWinRef window, NewLines& lines) {
  const auto found = windows_.find(window);
  const Ranks* const of = found == windows_.end() ? nullptr : ranks(found->second);
  if (of == nullptr || of->kind != Ranks::Kind::plain) return no_communicator;
  return derived(
      number_of(Implied::window, window), [&] { return of->group; }, 0, lines);
}

CommunicatorIndex Communicators::direction(OTF2_CommRef communicator, bool first_sends, NewLines& lines) {
  const auto members = [&] {
    const Ranks& ranks = ranks_.at(communicator);
    return first_sends ? joined(ranks.group, ranks.remote) : joined(ranks.remote, ranks.group);
  };
  return derived(number_of(Implied::direction, std::uint64_t{first_sends ? 0U : 1U} << 32U | communicator), members, 0,
                 lines);
}

CommunicatorIndex Communicators::group(OTF2_RmaWinRef window, OTF2_GroupRef group, ProcessIndex process,
                                       NewLines& lines) {
  const auto found = window_groups_.find(group);
  if (found == window_groups_.end() || !is_member(found->second, process)) return no_communicator;
  return derived(
      number_of(Implied::group, std::uint64_t{window} << 32U | group), [&] { return found->second; }, 0, lines);
}

bool Communicators::is_member(const Members& group, ProcessIndex process) {
  const std::span<const ProcessIndex> list = group.list();
  const auto [sorted, fresh] = sorted_.try_emplace(list.data());
  if (fresh && !std::is_sorted(list.begin(), list.end())) {
    sorted->second.assign(list.begin(), list.end());
    std::sort(sorted->second.begin(), sorted->second.end());
  }
  return sorted->second.empty() ? std::binary_search(list.begin(), list.end(), process)
                                : std::binary_search(sorted->second.begin(), sorted->second.end(), process);
}

bool Communicators::is_in_window(OTF2_RmaWinRef window, ProcessIndex process) {
  const auto found = windows_.find(window);
  const Ranks* const of = found == windows_.end() ? nullptr : ranks(found->second);
  return of != nullptr && of->kind == Ranks::Kind::plain && is_member(of->group, process);
}

ProcessIndex Communicators::window_rank(OTF2_RmaWinRef window, std::uint32_t rank) const noexcept {
  const auto found = windows_.find(window);
  const Ranks* const of = found == windows_.end() ? nullptr : ranks(found->second);
  if (of == nullptr || of->kind != Ranks::Kind::plain || rank >= of->group.size()) return no_process;
  return of->group[rank];
}

std::string group_line(const Definitions& definitions, const Communicator& communicator) {
  std::string line = "%group " + std::to_string(communicator.number);
  for (const ProcessIndex member : communicator.members)
    line += ' ' + std::to_string(definitions.processes()[member].number);
  if (communicator.min_delay > 0) line += " min-delay=" + std::to_string(communicator.min_delay);
  return line;
}

}  // namespace clc::otf2
