#include "matching/edges.hpp"

#include <algorithm>

namespace clc::matching {

Matcher::Matcher(const Definitions& definitions, EdgeObserver& observer)
    : definitions_(&definitions), observer_(&observer) {}

void Matcher::add(const Event& event, const Stamp& stamp) {
  switch (event.role) {
    case Role::internal:
      return;
    case Role::send:
    case Role::receive:
      return message_end(event, stamp);
    case Role::collective_begin:
      return begin(event, stamp);
    case Role::collective_end:
      return end(event, stamp);
  }
}

void Matcher::message_end(const Event& event, const Stamp& stamp) {
  const bool send = event.role == Role::send;
  MessageEnd end{{stamp, event.bytes, send ? own_delay(event.communicator) : 0, event.process, no_node, no_node, none},
                 send,
                 send ? std::uint16_t{0} : event.overtakes};
  if (send && event.peer != no_process) {
    end.waiting.node = node_of(event.process);
    end.waiting.peer_node = node_of(event.peer);
  }
  if (is_unnamed(event) && unnamed_.expects(event.process))
    unnamed_.come(event.process, end, [this](const Channel& key, const MessageEnd& next) { take(key, next); });
  else
    take(key_of(event), end);
}

void Matcher::leave_out(const Event& event) {
  if (is_unnamed(event) && unnamed_.expects(event.process))
    unnamed_.come(event.process, std::nullopt, [this](const Channel& key, const MessageEnd& next) { take(key, next); });
}

void Matcher::take(const Channel& key, const MessageEnd& end) {
  WaitingEnds& channel = channels_.try_emplace(key).first->second;
  if (end.overtakes > 0 || (!disorders_.empty() && disorders_.contains(key))) return end_in_disorder(key, channel, end);
  if (channel.first != none && channel.sends != end.send) {
    const std::uint32_t slot = channel.first;
    channel.first = slots_[slot].next;
    match(key, end.send ? end.waiting : slots_[slot], end.send ? slots_[slot] : end.waiting);
    drop(slot);
    return;
  }
  const std::uint32_t slot = keep(end.waiting);
  if (channel.first == none)
    channel.first = slot;
  else
    slots_[channel.last].next = slot;
  channel.last = slot;
  channel.sends = end.send;
  if (channels_.size() > channel_limit_) forget_empty_channels();
}

std::uint32_t Matcher::keep(const Waiting& end) {
  ++waiting_;
  const std::uint32_t slot = free_;
  if (slot == none) {
    slots_.push_back(end);
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  free_ = slots_[slot].next;
  slots_[slot] = end;
  return slot;
}

void Matcher::drop(std::uint32_t slot) noexcept {
  --waiting_;
  slots_[slot].next = free_;
  free_ = slot;
}

void Matcher::match(const Channel& key, const Waiting& send, const Waiting& receive) {
  if (send.process == receive.process) {
    ++leftovers_.self_messages;
    return;
  }
  const bool named = key.receiver != no_process;
  const auto& processes = definitions_->processes();
  const bool within = processes[send.process].clock == processes[receive.process].clock;
  if (within) {
    ++leftovers_.within_clocks;
    leftovers_.clock_disagreements += receive.stamp.time[recorded] < send.stamp.time[recorded];
  }
  observer_->message({send.process, receive.process, key.communicator, key.tag, send.own_delay, send.bytes,
                      named ? send.node : node_of(send.process), named ? send.peer_node : node_of(receive.process),
                      within, send.stamp, receive.stamp});
}

std::size_t Matcher::Disorder::without_receive(std::size_t n) const noexcept {
  std::size_t place = 0;
  for (const std::uint32_t received : received_) {
    const std::size_t end = (ahead_ + place) / block * block + block - ahead_;
    const std::size_t free = end - place - received;
    if (n < free) break;
    n -= free;
    place = end;
  }
  for (; place < pairs.size(); ++place) {
    if (pairs[place].receive != none) continue;
    if (n-- == 0) return place;
  }
  return place + n;
}

void Matcher::Disorder::put_receive(std::size_t place, std::uint32_t slot) {
  pairs[place].receive = slot;
  const std::size_t at = (ahead_ + place) / block;
  if (at >= received_.size()) received_.resize(at + 1);
  ++received_[at];
}

void Matcher::Disorder::pop_complete() {
  while (!pairs.empty() && pairs.front().send != none && pairs.front().receive != none) {
    pairs.pop_front();
    --sent;
    --received_.front();
    if (++ahead_ < block) continue;
    ahead_ = 0;
    received_.pop_front();
  }
}

void Matcher::end_in_disorder(const Channel& key, WaitingEnds& channel, const MessageEnd& end) {
  Disorder& disorder = disorders_[key];
  std::deque<Pair>& pairs = disorder.pairs;
  for (; channel.first != none; channel.first = slots_[channel.first].next) {
    pairs.push_back(channel.sends ? Pair{channel.first, none} : Pair{});
    if (!channel.sends) disorder.put_receive(pairs.size() - 1, channel.first);
    disorder.sent += channel.sends ? 1 : 0;
    ++disordered_;
  }
  std::size_t place = 0;
  if (end.send)
    place = disorder.sent++;
  else
    place = disorder.without_receive(disordered_ + end.overtakes > most_disordered ? 0 : end.overtakes);
  if (place >= pairs.size()) {
    disordered_ += place + 1 - pairs.size();
    pairs.resize(place + 1);
  }
  const std::uint32_t slot = keep(end.waiting);
  if (end.send)
    pairs[place].send = slot;
  else
    disorder.put_receive(place, slot);
  const Pair pair = pairs[place];
  if (pair.send != none && pair.receive != none) {
    match(key, slots_[pair.send], slots_[pair.receive]);
    drop(pair.send);
    drop(pair.receive);
  }
  disordered_ -= pairs.size();
  disorder.pop_complete();
  disordered_ += pairs.size();
  if (pairs.empty()) disorders_.erase(key);
}

void Matcher::leave(const Channel& key, bool send) noexcept {
  if (key.sender == no_process && send)
    ++leftovers_.unclaimed;
  else if (key.sender == key.receiver && key.sender != no_process)
    ++leftovers_.self_messages;
  else
    ++(send ? leftovers_.sends : leftovers_.receives);
}

void Matcher::forget_empty_channels() {
  std::erase_if(channels_, [](const auto& entry) { return entry.second.first == none; });
  channel_limit_ = std::max<std::size_t>(4096, channels_.size() * 2);
}

void Matcher::begin(const Event& event, const Stamp& stamp) {
  Calls& calls = calls_of(event.process);
  if (event.tag == 0) {
    leftovers_.begins_without_end += calls.begun;
    calls.begun = true;
    calls.begin = stamp;
  } else {
    leftovers_.begins_without_end += !calls.by_id.insert_or_assign(event.tag, stamp).second;
  }
}

std::shared_ptr<Matcher::Roster> Matcher::roster_of(const Members& members) {
  std::weak_ptr<Roster>& known = rosters_[reinterpret_cast<std::uintptr_t>(members.list().data())];
  if (std::shared_ptr<Roster> roster = known.lock()) return roster;
  auto roster = std::make_shared<Roster>();
  known = roster;
  roster->members = members;
  roster->ranks.reserve(members.size());
  for (Rank rank = 0; rank < members.size(); ++rank) roster->ranks.try_emplace(members[rank], rank);
  if (rosters_.size() > roster_limit_) {
    std::erase_if(rosters_, [](const auto& entry) { return entry.second.expired(); });
    roster_limit_ = std::max<std::size_t>(1024, rosters_.size() * 2);
  }
  return roster;
}

void Matcher::follow(Group& group, const Communicator& communicator) {
  const auto before = std::exchange(group.roster, roster_of(communicator.members));
  group.changes = communicator.changes;
  if (!before || before == group.roster) return;
  const auto known = std::exchange(group.finished, {});
  for (const auto& [process, rank] : group.roster->ranks) {
    // New members begin with the operations to come.
    const auto finished = known.find(process);
    if (finished != known.end())
      group.finished.emplace(process, finished->second);
    else if (!before->ranks.contains(process))
      group.finished.emplace(process, group.first_open + group.open.size());
  }
}

void Matcher::end(const Event& event, const Stamp& stamp) {
  Member member;
  member.process = event.process;
  member.operation = event.operation;
  member.root = event.root;
  member.sent = event.bytes;
  member.received = event.received;
  member.end = stamp;
  member.has_begin = calls_of(event.process).end(event.tag, member.begin);
  leftovers_.ends_without_begin += !member.has_begin;
  if (event.communicator >= definitions_->communicators().size()) {
    ++leftovers_.outsiders;
    return;
  }
  if (groups_.size() <= event.communicator) groups_.resize(event.communicator + std::size_t{1});
  if (!groups_[event.communicator]) groups_[event.communicator] = std::make_unique<Group>();
  Group& group = *groups_[event.communicator];
  const Communicator& communicator = definitions_->communicators()[event.communicator];
  if (!group.roster || group.changes != communicator.changes) follow(group, communicator);
  const auto place = group.roster->ranks.find(event.process);
  if (place == group.roster->ranks.end()) {
    ++leftovers_.outsiders;
    return;
  }
  if (communicator.members.size() < 2) return;
  member.rank = place->second;
  std::uint64_t& finished = group.finished[event.process];
  const std::uint64_t count = finished + event.missed;
  finished = count + 1;
  if (count < group.first_open) return;  // only when the communicator was defined anew in between
  const std::uint64_t number = count - group.first_open;
  while (group.open.size() <= number) open_next(group);
  Collective& operation = group.open[number];
  if (operation.size > 0 && operation.members.empty()) return;  // the same
  if (operation.size == 0) start(operation, event);
  if (member.rank >= operation.size || operation.callers[member.rank] != event.process) {
    ++leftovers_.outsiders;
    return;
  }
  member.clock = definitions_->processes()[event.process].clock;
  member.node = definitions_->node_of(member.clock, operation.node_changes);
  operation.members.push_back(member);
  const std::size_t absent = event.absent < most_absent ? event.absent : 0;
  if (operation.members.size() + absent < operation.size) return;
  leftovers_.incomplete += absent > 0;
  complete(group, operation);
}

void Matcher::open_next(Group& group) {
  Collective& operation = group.open.emplace_back();
  if (spare_.empty()) return;
  operation.members = std::move(spare_.back());
  spare_.pop_back();
}

void Matcher::start(Collective& operation, const Event& event) {
  const Communicator& communicator = definitions_->communicators()[event.communicator];
  operation.communicator = event.communicator;
  operation.own_delay = communicator.min_delay;
  operation.size = communicator.members.size();
  operation.callers = communicator.members;
  operation.node_changes = definitions_->node_changes();
}

void Matcher::agree(Collective& operation) {
  const auto place = [](const Member& member) {
    return std::pair(member.end.time[recorded], member.end.place[recorded]);
  };
  const std::vector<Member>& members = operation.members;
  const Member& first = *std::min_element(members.begin(), members.end(),
                                          [&](const Member& a, const Member& b) { return place(a) < place(b); });
  operation.operation = first.operation;
  operation.root = first.root;
  const bool rooted = info(operation.operation).rooted;
  leftovers_.foreign_roots += rooted && operation.root >= operation.size;
  const auto disagrees = [&](const Member& member) {
    return member.operation != operation.operation || (rooted && member.root != operation.root);
  };
  const auto others = static_cast<std::uint64_t>(std::count_if(members.begin(), members.end(), disagrees));
  leftovers_.disagreements += others;
  operation.agreed = others == 0;
}

void Matcher::complete(Group& group, Collective& operation) {
  agree(operation);
  observer_->collective(operation);
  std::vector<Member> members = std::exchange(operation.members, {});
  members.clear();
  if (spare_.size() < 64) spare_.push_back(std::move(members));
  operation.callers = {};
  while (!group.open.empty() && group.open.front().size > 0 && group.open.front().members.empty()) {
    group.open.pop_front();
    ++group.first_open;
  }
}

void Matcher::finish() {
  unnamed_.finish([this](const Channel& key, const MessageEnd& end) { take(key, end); });
  for (const auto& [key, channel] : channels_)
    for (std::uint32_t slot = channel.first; slot != none; slot = slots_[slot].next) leave(key, channel.sends);
  for (const auto& [key, disorder] : disorders_)
    for (const Pair& pair : disorder.pairs)
      if ((pair.send == none) != (pair.receive == none)) leave(key, pair.send != none);
  for (const std::unique_ptr<Group>& group : groups_) {
    if (!group) continue;
    for (Collective& operation : group->open) {
      if (operation.members.empty()) continue;
      agree(operation);
      ++leftovers_.incomplete;
      observer_->incomplete(operation);
    }
  }
  for (const Calls& calls : calls_) leftovers_.begins_without_end += calls.by_id.size() + calls.begun;
}

}  // namespace clc::matching
