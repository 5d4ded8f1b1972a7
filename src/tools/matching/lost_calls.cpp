#include "matching/lost_calls.hpp"

#include <algorithm>
#include <list>
#include <utility>

namespace clc::matching {

namespace {

std::uint64_t name_of_call(const Event& end) {
  const std::uint64_t root = info(end.operation).rooted ? end.root : 0;
  return ((static_cast<std::uint64_t>(end.operation) + 1) << 32U) + root;
}

/// An operation, at the time of the member that has most calls.
struct Known {
  WholeEnd end;
  std::size_t number = 0;
};
using Line = std::list<Known>;

/// Puts a call that belongs to no operation of the line between those before and behind.
Line::iterator put(Line& line, Line::iterator from, Line::iterator behind, WholeEnd call) {
  while (from != behind && from->end.time <= call.time) ++from;
  if (from != line.begin()) call.time = std::max(call.time, std::prev(from)->end.time);
  if (from != line.end()) call.time = std::min(call.time, from->end.time);
  return line.insert(from, {call});
}

/// The operations of one more member's calls; none: that is not known.
std::optional<std::vector<Line::iterator>> add_member(Line& line, const std::vector<WholeEnd>& calls,
                                                      bool clocks_go_on) {
  std::vector<WholeEnd> known;
  std::vector<Line::iterator> all;
  for (auto each = line.begin(); each != line.end(); ++each) {
    known.push_back(each->end);
    all.push_back(each);
  }
  const auto match = match_whole(calls, known, true, clocks_go_on);
  if (!match) return std::nullopt;
  std::vector<Line::iterator> own(calls.size(), line.end());
  for (const auto& [call, operation] : match->pairs) own[call] = all[operation];
  Ticks apart = 0;
  if (!match->pairs.empty()) apart = known[match->pairs[0].second].time - calls[match->pairs[0].first].time;
  auto from = line.begin();
  std::size_t pair = 0;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (own[k] != line.end()) {
      apart = own[k]->end.time - calls[k].time;
      from = std::next(own[k]);
      ++pair;
      continue;
    }
    const auto behind = pair < match->pairs.size() ? all[match->pairs[pair].second] : line.end();
    own[k] = put(line, from, behind, {calls[k].time + apart, calls[k].bytes});
    from = std::next(own[k]);
  }
  return own;
}

}  // namespace

void LostCalls::add(const Event& end, Time time, Time latest, std::uint32_t ends) {
  groups_[end.communicator][end.process].calls.push_back({{{latest, name_of_call(end)}, ends}, time, end.operation});
}

std::optional<LostCalls::Places> LostCalls::places_of(const Group& group, ClockSteps& steps, std::size_t& operations) {
  const auto ends_of = [](const OfMember& member) {
    ClockSteps::Ends ends;
    for (const Call& call : member.calls) ends.push_back(call.end);
    return ends;
  };
  auto most = group.begin();
  for (auto each = group.begin(); each != group.end(); ++each)
    if (each->second.calls.size() > most->second.calls.size()) most = each;
  const ClockSteps::Ends first = ends_of(most->second);
  const bool all_agree = std::all_of(group.begin(), group.end(), [&](const auto& entry) {
    const ClockSteps::Ends ends = ends_of(entry.second);
    if (ends.size() != first.size()) return false;
    for (std::size_t k = 0; k < ends.size(); ++k)
      if (ends[k].end.bytes != first[k].end.bytes) return false;
    return true;
  });
  if (all_agree) return std::nullopt;
  steps.find();
  const bool go_on =
      std::all_of(group.begin(), group.end(), [&](const auto& entry) { return steps.never_set(entry.first); });
  Line line;
  std::map<ProcessIndex, std::vector<Line::iterator>> of;
  for (const WholeEnd& end : steps.without(most->first, first, true))
    of[most->first].push_back(line.insert(line.end(), {end}));
  for (const auto& [process, member] : group) {
    if (process == most->first) continue;
    auto own = add_member(line, steps.without(process, ends_of(member), true), go_on);
    if (!own) return std::nullopt;
    of[process] = std::move(*own);
  }
  operations = 0;
  for (Known& operation : line) operation.number = operations++;
  Places places;
  for (const auto& [process, own] : of)
    for (const Line::iterator& operation : own) places[process].push_back(operation->number);
  return places;
}

void LostCalls::tell(CommunicatorIndex communicator, Group& group, const Places& places, std::size_t operations) {
  std::vector<std::size_t> callers(operations);
  std::vector<Time> first(operations, Time::latest());
  std::vector<Operation> what(operations);
  for (const auto& [process, numbers] : places) {
    const std::vector<Call>& calls = group[process].calls;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (numbers[k] - (k == 0 ? 0 : numbers[k - 1] + 1) > most_missed) return;
      ++callers[numbers[k]];
      first[numbers[k]] = std::min(first[numbers[k]], calls[k].time);
      what[numbers[k]] = calls[k].operation;
    }
  }
  for (const auto& [member, numbers] : places) {
    const ProcessIndex process = member;  // clang 14 lets no lambda use a structured binding
    std::size_t next = 0;
    const auto miss_until = [&](std::size_t end) {
      for (; next < end; ++next)
        if (places.size() - callers[next] < most_absent)
          found_.push_back({process, communicator, what[next], first[next]});
    };
    for (const std::size_t number : numbers) {
      const std::size_t missed = number - next;
      miss_until(number);
      const std::size_t absent = std::min<std::size_t>(places.size() - callers[number], most_absent);
      group[process].marks.push_back({static_cast<std::uint16_t>(missed), static_cast<std::uint8_t>(absent)});
      ++next;
    }
    miss_until(operations);
  }
}

void LostCalls::find(const Definitions& definitions, ClockSteps& steps) {
  if (definitions.shares_clocks()) return;
  const auto& communicators = definitions.communicators();
  for (auto& [which, group] : groups_) {
    if (which >= communicators.size() || communicators[which].changes != 0) continue;
    const Members& list = communicators[which].members;
    std::vector<ProcessIndex> members(list.begin(), list.end());
    std::sort(members.begin(), members.end());
    const bool all_are_in = std::all_of(group.begin(), group.end(), [&](const auto& entry) {
      return std::binary_search(members.begin(), members.end(), entry.first);
    });
    std::size_t operations = 0;
    if (!all_are_in) continue;
    if (const auto places = places_of(group, steps, operations)) tell(which, group, *places, operations);
  }
  for (auto& [which, group] : groups_)
    for (auto& [process, member] : group) member.calls = {};
}

void LostCalls::mark(Event& end) {
  const auto group = groups_.find(end.communicator);
  if (group == groups_.end()) return;
  const auto member = group->second.find(end.process);
  if (member == group->second.end() || member->second.marks.empty()) return;
  const Mark mark = member->second.marks.front();
  member->second.marks.pop_front();
  end.missed = mark.missed;
  end.absent = mark.absent;
}

}  // namespace clc::matching
