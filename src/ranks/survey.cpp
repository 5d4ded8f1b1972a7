#include "ranks/survey.hpp"

#include <algorithm>

#include "clc/error.hpp"
#include "trace/channel_of.hpp"

namespace clc::ranks {

Item part_of(const Definitions& definitions, const Event& end, Rank member, std::uint64_t number) {
  const bool orders =
      !info(end.operation).rooted || end.root < definitions.communicators()[end.communicator].members.size();
  Item part;
  part.kind = Item::Kind::part;
  part.is_tail = orders && (end.operation == Operation::barrier || end.bytes > 0);
  part.member = member;
  const ProcessIndex root = orders && info(end.operation).rooted
                                ? definitions.communicators()[end.communicator].members[end.root]
                                : no_process;
  part.operation = end.operation;
  part.channel = {end.process, root, end.communicator, 0};
  part.number = number;
  return part;
}

std::uint64_t Survey::Parts::memory() const noexcept {
  std::uint64_t bytes = on_heap(early) + on_heap(without_begin);
  for (const ShortQueue<Item>& of_clock : early) bytes += of_clock.memory();
  return bytes;
}

void Survey::read(Input& input) {
  for (ClockIndex own = 0; own < clocks_.size(); ++own) read(clocks_.among_all(own), input, parts.early[own]);
}

void Survey::read(ClockIndex clock, Input& input, ShortQueue<Item>& early) {
  Lines::Trail trail;
  if (std::vector<CountedEvent> all; input.messages(clock, all)) {
    for (const auto& [event, count] : all)
      if (is_message(event))
        (event.role == Role::send ? line_of(event, trail).sends : line_of(event, trail).receives) += count;
    return;
  }
  std::uint64_t waits = 0;  // events at which the clock may wait
  Event event;
  for (std::uint64_t index = 0; input.next(clock, event); ++index) {
    if (is_message(event)) read_message(event, trail);
    const bool may_wait = cuts_ || event.role == Role::receive || event.role == Role::collective_end;
    if (event.role == Role::collective_begin) begins_[call_of(event)] = {index, waits + (may_wait ? 1 : 0)};
    if (event.role == Role::collective_end) read_end(event, waits, early);
    if (may_wait) ++waits;
  }
  std::sort(early.begin(), early.end(), [](const Item& a, const Item& b) { return a.index < b.index; });
}

Line& Survey::line_of(const Event& event, Lines::Trail& trail) {
  if (event.peer == no_process)
    throw InputError("found a message without the name of its other process, which only clc-filter matches");
  return lines_.next(trail, channel_of(event), event.role == Role::receive);
}

void Survey::read_message(const Event& event, Lines::Trail& trail) {
  Line& line = line_of(event, trail);
  if (event.role == Role::send)
    ++line.sends;
  else
    line.count_receive(event.overtakes);
}

void Survey::read_end(const Event& end, std::uint64_t waits, ShortQueue<Item>& early) {
  const auto begin = begins_.find(call_of(end));
  Rank member = 0;
  if (operations_.find(end, member)) {
    OfMember& known = ends[{end.process, no_process, end.communicator, 0}];
    for (std::uint16_t missed = 0; missed < end.missed; ++missed) {
      Item absent = part_of(definitions_, end, member, known.ends++);
      absent.is_tail = false;
      absent.is_absent = true;
      parts.without_begin.push_back(absent);
    }
    Item part = part_of(definitions_, end, member, known.ends++);
    known.signature.add(part);
    if (end.missed > 0 || end.absent > 0) known.signature.refuse();
    if (begin == begins_.end()) {
      part.is_tail = false;
      parts.without_begin.push_back(part);
    } else if (begin->second.waits != waits ||
               (!part.is_tail && can_be_tail(info(end.operation).kind, member, end.root))) {
      part.index = begin->second.index;
      early.push_back(part);
    }
  }
  if (begin != begins_.end()) begins_.erase(begin);
}

}  // namespace clc::ranks
