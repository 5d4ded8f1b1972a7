#include "matching/lost/lost_calls.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <utility>

namespace clc::matching {

namespace {

std::uint64_t name_of_call(const Event& end) {
  const std::uint64_t root = info(end.operation).rooted ? end.root : 0;
  return ((static_cast<std::uint64_t>(end.operation) + 1) << 32U) + root;
}

/// That all members of an operation have; 0: there may be several.
std::uint64_t length_of(const Event& end) {
  constexpr std::array alike{Operation::reduce,    Operation::gather,   Operation::allreduce,
                             Operation::allgather, Operation::alltoall, Operation::reduce_scatter,
                             Operation::scan,      Operation::exscan,   Operation::reduce_scatter_block};
  return std::find(alike.begin(), alike.end(), end.operation) == alike.end() ? 0 : end.bytes;
}

/// An operation, at the time of the member that has most calls.
struct Known {
  WholeEnd end;
  std::uint64_t length = 0;
  std::size_t number = 0;
  std::size_t callers = 1;
};
using Line = std::list<Known>;

/// Puts a call that belongs to no operation of the line ahead of that one.
Line::iterator put(Line& line, Line::iterator ahead_of, Known call) {
  if (ahead_of != line.begin()) call.end.time = std::max(call.end.time, std::prev(ahead_of)->end.time);
  if (ahead_of != line.end()) call.end.time = std::min(call.end.time, ahead_of->end.time);
  return line.insert(ahead_of, call);
}

/// Operations whose length is another one than that of the call are not its own, if they are few.
void forget_unlike(std::vector<WholePair>& pairs, const std::vector<Line::iterator>& line,
                   const std::vector<std::uint64_t>& lengths) {
  const auto is_unlike = [&](const WholePair& pair) {
    const std::uint64_t own = lengths[pair.first];
    const std::uint64_t its = line[pair.second]->length;
    return own != its && own != 0 && its != 0;
  };
  const auto unlike = static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), is_unlike));
  if (4 * unlike <= pairs.size()) std::erase_if(pairs, is_unlike);
}

/// The operations of one more member's calls; none: that is not known. bounds: of each call, the operations from one to
/// ahead of another one; none: all are possible.
std::optional<std::vector<Line::iterator>> add_member(Line& line, const std::vector<WholeEnd>& calls,
                                                      const std::vector<std::uint64_t>& lengths, WholeRules rules,
                                                      CallClocks clocks) {
  std::vector<WholeEnd> known;
  std::vector<Line::iterator> all;
  for (auto each = line.begin(); each != line.end(); ++each) {
    known.push_back(each->end);
    all.push_back(each);
  }
  auto match = match_whole(calls, known, rules);
  if (!match) return std::nullopt;
  clocks.match_again(*match, calls, known, rules);
  forget_unlike(match->pairs, all, lengths);
  std::vector<Line::iterator> own(calls.size(), line.end());
  for (const auto& [call, operation] : match->pairs) own[call] = all[operation];
  Ticks apart = 0;
  if (!match->pairs.empty()) apart = known[match->pairs[0].second].time - calls[match->pairs[0].first].time;
  std::size_t next = 0;  // operation behind
  std::size_t pair = 0;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (own[k] != line.end()) {
      apart = own[k]->end.time - calls[k].time;
      ++own[k]->callers;
      if (own[k]->length == 0) own[k]->length = lengths[k];
      next = match->pairs[pair++].second + 1;
      continue;
    }
    const Known call{{calls[k].time + apart, calls[k].bytes}, lengths[k]};
    std::size_t end = pair < match->pairs.size() ? match->pairs[pair].second : all.size();
    if (!rules.bounds.empty()) end = std::min(end, rules.bounds[k].second);
    const std::size_t begin = rules.bounds.empty() ? 0 : rules.bounds[k].first;
    for (; next < end; ++next)
      if (next >= begin && known[next].time > call.end.time) break;
    own[k] = put(line, next < all.size() ? all[next] : line.end(), call);
  }
  return own;
}

/// Operations of which no call is left are removed.
void forget_member(Line& line, const std::vector<Line::iterator>& own) {
  for (const Line::iterator& operation : own)
    if (--operation->callers == 0) line.erase(operation);
}

}  // namespace

void LostCalls::add_begin(const Event& begin, std::uint64_t order, Time latest) {
  ++marks_read_;
  constexpr std::size_t most_open = 1024;
  std::deque<Begin>& open = open_[begin.process];
  if (std::erase_if(open, [&](const Begin& each) { return each.id == begin.tag; }) == 0 && open.size() == most_open)
    open.pop_front();
  open.push_back({begin.tag, order, latest});
}

void LostCalls::add(const Event& end, std::uint64_t order, Time time, Time latest, std::uint32_t ends) {
  ++marks_read_;
  const bool barrier = end.operation == Operation::barrier;
  Call call{
      {{latest, name_of_call(end)}, ends}, time, end.operation, end.root, length_of(end), barrier || end.bytes > 0,
      barrier || end.received > 0,         {},   order};
  std::deque<Begin>& open = open_[end.process];
  const auto begin = std::find_if(open.begin(), open.end(), [&](const Begin& each) { return each.id == end.tag; });
  if (begin != open.end()) {
    call.begin = *begin;
    open.erase(begin);
  }
  groups_[end.communicator].members[end.process].calls.push_back(call);
}

bool LostCalls::lack_some(const Definitions& definitions) {
  const auto& communicators = definitions.communicators();
  bool lack = false;
  for (auto& [which, group] : groups_) {
    if (which >= communicators.size() || communicators[which].changes != 0) continue;
    const Members& list = communicators[which].members;
    for (Rank rank = 0; rank < list.size(); ++rank)
      if (const auto member = group.members.find(list[rank]); member != group.members.end()) member->second.rank = rank;
    group.state = State::complete;
    const std::vector<Call>& first = group.members.begin()->second.calls;
    for (const auto& [process, member] : group.members) {
      const bool agrees = std::equal(first.begin(), first.end(), member.calls.begin(), member.calls.end(),
                                     [](const Call& a, const Call& b) { return a.end.end.bytes == b.end.end.bytes; });
      if (!agrees) group.state = State::lacks_calls;
    }
    if (std::any_of(group.members.begin(), group.members.end(), [](const auto& m) { return m.second.rank == no_rank; }))
      group.state = State::left_alone;
    lack |= group.state == State::lacks_calls;
  }
  return lack;
}

// ---- what comes before what -------------------------------------------------------------------

std::vector<LostCalls::Mark> LostCalls::marks() {
  std::vector<Mark> marks;
  for (auto& [which, group] : groups_)
    for (auto& [process, member] : group.members)
      for (Call& call : member.calls) {
        if (call.begin) marks.push_back({call.begin->order, process, &call.first});
        marks.push_back({call.order, process, &call.last});
      }
  return marks;
}

/// Does the begin of the call order the end of that of the other rank?
bool LostCalls::is_tail(const Call& call, Rank from, Rank to) {
  const CollectiveClass kind = info(call.operation).kind;
  return call.begin && call.sends && (kind != CollectiveClass::one_to_n || call.root == from) &&
         (kind != CollectiveClass::n_to_one || call.root == to) && (kind != CollectiveClass::prefix || from < to);
}

/// Does its end come after the begin of that of the other rank?
bool LostCalls::is_head(const Call& call, Rank from, Rank to) {
  const CollectiveClass kind = info(call.operation).kind;
  return call.receives && (kind != CollectiveClass::one_to_n || call.root == from) &&
         (kind != CollectiveClass::n_to_one || call.root == to) && (kind != CollectiveClass::prefix || from < to);
}

void LostCalls::put_into(Precedence& precedence) const {
  for (const auto& [which, group] : groups_) {
    if (group.state != State::complete) continue;
    std::map<Rank, const OfMember*> by_rank;
    for (const auto& [process, member] : group.members) by_rank[member.rank] = &member;
    const std::size_t operations = group.members.begin()->second.calls.size();
    for (std::size_t k = 0; k < operations; ++k) {
      Precedence::Joint joint;
      std::vector<Rank> senders;
      const Call& any = group.members.begin()->second.calls[k];
      const CollectiveClass kind = info(any.operation).kind;
      for (const auto& [rank, member] : by_rank) {
        const Call& call = member->calls[k];
        if (!call.begin || !call.sends || (kind == CollectiveClass::one_to_n && rank != any.root) ||
            (kind == CollectiveClass::n_to_one && rank == any.root))
          continue;
        joint.begins.push_back(call.first);
        senders.push_back(rank);
      }
      for (const auto& [rank, member] : by_rank) {
        const Call& call = member->calls[k];
        if (!call.receives || (kind == CollectiveClass::one_to_n && rank == any.root) ||
            (kind == CollectiveClass::n_to_one && rank != any.root))
          continue;
        const auto lower = std::lower_bound(senders.begin(), senders.end(), rank);
        joint.ends.push_back({call.last, kind == CollectiveClass::prefix
                                             ? static_cast<std::size_t>(lower - senders.begin())
                                             : senders.size()});
      }
      precedence.add(std::move(joint));
    }
  }
}

std::map<ProcessIndex, std::vector<LostCalls::Bounds>> LostCalls::bounds_of(const Group& group, const OfMember& most,
                                                                            const Precedence& precedence) {
  std::vector<Precedence::Record> begins;
  std::vector<Precedence::Record> ends;
  for (const Call& call : most.calls) {
    begins.push_back(call.first);
    ends.push_back(call.last);
  }
  const std::vector<std::size_t> before = precedence.so_many_before(ends);
  const std::vector<std::size_t> behind = precedence.from_behind(begins);
  std::map<ProcessIndex, std::vector<Bounds>> bounds;
  for (const auto& [process, member] : group.members) {
    // By those that come before or behind: the last that a begin would have had to be ahead of, and the first whose
    // begin an end would have had to be behind.
    std::vector<std::size_t> lowest{0};
    for (const Call& call : most.calls)
      lowest.push_back(is_head(call, member.rank, most.rank) ? lowest.size() : lowest.back());
    std::vector<std::size_t> highest(most.calls.size() + 1, most.calls.size());
    for (std::size_t k = most.calls.size(); k-- > 0;)
      highest[k] = is_tail(most.calls[k], most.rank, member.rank) ? k : highest[k + 1];
    for (const Call& call : member.calls) {
      Bounds own{0, most.calls.size()};
      if (call.begin && call.sends) own.first = lowest[before[call.first]];
      if (call.receives) own.last = highest[behind[call.last]];
      bounds[process].push_back(own);
    }
  }
  return bounds;
}

std::vector<CallClock> LostCalls::clocks_as_seen(const OfMember& member, Rank by) {
  std::vector<CallClock> clocks;
  for (const Call& call : member.calls)
    clocks.push_back({call.begin ? call.begin->latest : call.end.end.time, call.end.end.time,
                      is_tail(call, member.rank, by), is_head(call, by, member.rank)});
  return clocks;
}

std::optional<LostCalls::Places> LostCalls::places_of(const Group& group, ClockSteps& steps,
                                                      const Precedence* precedence, std::size_t& operations) {
  auto most = group.members.begin();
  for (auto each = most; each != group.members.end(); ++each)
    if (each->second.calls.size() > most->second.calls.size()) most = each;
  steps.find();
  WholeRules rules{.only_alike = true};
  rules.clocks_go_on = std::all_of(group.members.begin(), group.members.end(),
                                   [&](const auto& entry) { return steps.never_set(entry.first); });
  const auto times_of = [&](ProcessIndex process, const OfMember& member) {
    ClockSteps::Ends ends;
    for (const Call& call : member.calls) ends.push_back(call.end);
    return steps.without(process, ends, true);
  };
  std::map<ProcessIndex, std::vector<Bounds>> bounds;
  if (precedence != nullptr) bounds = bounds_of(group, most->second, *precedence);
  Line line;
  std::map<ProcessIndex, std::vector<Line::iterator>> of;
  for (const WholeEnd& end : times_of(most->first, most->second)) {
    std::vector<Line::iterator>& own = of[most->first];
    own.push_back(line.insert(line.end(), {end, most->second.calls[own.size()].length}));
  }
  const auto clocks_of = [&](const OfMember& member) {
    const std::vector<CallClock> theirs = clocks_as_seen(most->second, member.rank);
    std::vector<std::optional<CallClock>> of_line(line.size());
    for (std::size_t k = 0; k < theirs.size(); ++k) of_line[of[most->first][k]->number] = theirs[k];
    return CallClocks(clocks_as_seen(member, most->second.rank), std::move(of_line));
  };
  const auto add = [&](ProcessIndex process, const OfMember& member) {
    std::size_t number = 0;
    for (Known& operation : line) operation.number = number++;
    std::vector<std::uint64_t> lengths;
    for (const Call& call : member.calls) lengths.push_back(call.length);
    rules.bounds.clear();
    const std::vector<Line::iterator>& of_most = of[most->first];
    for (const auto& [first, last] : bounds[process])
      rules.bounds.emplace_back(first == 0 ? 0 : of_most[first - 1]->number + 1,
                                last < of_most.size() ? of_most[last]->number : line.size());
    auto own = add_member(line, times_of(process, member), lengths, rules, clocks_of(member));
    if (own) of[process] = std::move(*own);
    return own.has_value();
  };
  for (const auto& [process, member] : group.members)
    if (process != most->first && !add(process, member)) return std::nullopt;
  // Once more, with the operations that the member with most calls has missed.
  for (const auto& [process, member] : group.members) {
    if (process == most->first || line.size() == most->second.calls.size()) continue;
    forget_member(line, of[process]);
    if (!add(process, member)) return std::nullopt;
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
    const std::vector<Call>& calls = group.members[process].calls;
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
      group.members[process].told.push_back({static_cast<std::uint16_t>(missed), static_cast<std::uint8_t>(absent)});
      ++next;
    }
    miss_until(operations);
  }
}

void LostCalls::find(ClockSteps& steps, const Precedence& precedence, std::uint64_t records) {
  constexpr std::uint64_t most_looks = std::uint64_t{1} << 28;
  std::uint64_t looks = 0;
  for (const auto& [which, group] : groups_)
    if (group.state == State::lacks_calls) looks += records;
  for (auto& [which, group] : groups_) {
    if (group.state != State::lacks_calls) continue;
    std::size_t operations = 0;
    const auto places = places_of(group, steps, looks > most_looks ? nullptr : &precedence, operations);
    if (places) tell(which, group, *places, operations);
  }
}

void LostCalls::mark(Event& end) {
  const auto group = groups_.find(end.communicator);
  if (group == groups_.end()) return;
  const auto member = group->second.members.find(end.process);
  if (member == group->second.members.end() || member->second.told.empty()) return;
  const Told mark = member->second.told.front();
  member->second.told.pop_front();
  end.missed = mark.missed;
  end.absent = mark.absent;
}

}  // namespace clc::matching
