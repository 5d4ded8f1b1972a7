#include "ranks/operations.hpp"

#include <algorithm>
#include <functional>

#include "clock/offset.hpp"

namespace clc::ranks {

namespace {

template <class List>
bool all_equal(const List& list) {
  return std::adjacent_find(list.begin(), list.end(), std::not_equal_to<>()) == list.end();
}

}  // namespace

Operations::OfCommunicator& Operations::of(CommunicatorIndex communicator) {
  if (of_.empty()) of_.resize(definitions_.communicators().size());
  OfCommunicator& state = of_[communicator];
  if (!state.ends.empty()) return state;
  const Members& members = definitions_.communicators()[communicator].members;
  state.ends.resize(members.size());
  state.signatures.resize(members.size());
  state.local.resize(members.size());
  state.read.resize(members.size());
  for (Rank member = 0; member < members.size(); ++member) {
    const ProcessIndex process = members[member];
    state.member_of.try_emplace(process, member);
    state.ranks.push_back(owners_[process]);
    state.local[member] = owners_[process] == rank_;
    if (state.local[member]) state.local_members.push_back(process);
  }
  std::sort(state.ranks.begin(), state.ranks.end());
  state.ranks.erase(std::unique(state.ranks.begin(), state.ranks.end()), state.ranks.end());
  return state;
}

bool Operations::find(const Event& end, Rank& member) {
  OfCommunicator& state = of(end.communicator);
  const auto found = state.member_of.find(end.process);
  if (found == state.member_of.end() || state.ends.size() == 1) return false;
  member = found->second;
  return true;
}

void Operations::count(const Item& ends) {
  OfCommunicator& state = of(ends.channel.communicator);
  const Members& members = definitions_.communicators()[ends.channel.communicator].members;
  const ProcessIndex process = ends.channel.sender;
  for (Rank member = 0; member < members.size(); ++member) {
    if (ends.is_complete ? owners_[members[member]] != owners_[process] : members[member] != process) continue;
    state.ends[member] = ends.number;
    state.signatures[member] = ends.index;
  }
}

const std::vector<unsigned>& Operations::ranks_of(CommunicatorIndex communicator) { return of(communicator).ranks; }

const std::vector<unsigned>& Operations::receivers_of(CommunicatorIndex communicator) {
  return tree_of(communicator) != nullptr ? alone_ : ranks_of(communicator);
}

// ---- trees ------------------------------------------------------------------------------------

void Signature::add(const Item& part) noexcept {
  const OperationInfo& operation = info(part.operation);
  const ProcessIndex root = part.channel.receiver;
  if (operation.kind == CollectiveClass::prefix || (operation.rooted && root == no_process)) is_served_ = false;
  // A step of a linear congruential generator [Knuth, MMIX].
  const std::uint64_t what = std::uint64_t{root} << 8U | static_cast<std::uint64_t>(part.operation);
  value_ = (value_ ^ what) * 6364136223846793005U + 1442695040888963407U;
}

Tree* Operations::tree_of(CommunicatorIndex communicator) {
  OfCommunicator& state = of(communicator);
  if (!state.is_decided) {
    state.is_decided = true;
    const Ticks own = delays_.own(communicator);
    const Tree::Place place{communicator,
                            state.ranks,
                            owners_,
                            rank_,
                            static_cast<Rank>(state.local_members.size()),
                            own > 0 ? own : delays_.default_delay()};
    if (agree(communicator)) state.tree.emplace(place, posts_, answers_);
  }
  return state.tree ? &*state.tree : nullptr;
}

/// True if a tree can serve the operations of that communicator.
bool Operations::agree(CommunicatorIndex communicator) {
  const OfCommunicator& state = of(communicator);
  if (state.ends.size() < 2 || (delays_.own(communicator) == 0 && !delays_.uniform())) return false;
  if (state.member_of.size() < state.ends.size()) return false;
  if (!all_equal(state.ends) || !all_equal(state.signatures)) return false;
  if (!Signature::is_served(state.signatures.front())) return false;
  HashSet<ClockIndex> clocks;
  for (const ProcessIndex member : definitions_.communicators()[communicator].members)
    if (!clocks.insert(definitions_.processes()[member].clock).second) return false;
  return true;
}

// ---- one item for each part and rank ------------------------------------------------------------

Operations::Instance& Operations::instance(OfCommunicator& state, std::uint64_t number) const {
  while (number - state.first >= state.instances.size()) state.instances.emplace_back();
  Instance& found = state.instances[static_cast<std::size_t>(number - state.first)];
  if (found.known) return found;
  found.known = true;
  found.parts.resize(state.ends.size());
  for (Rank rank = 0; rank < state.ends.size(); ++rank) {
    if (number >= state.ends[rank]) continue;
    ++found.missing;
    if (state.local[rank]) ++found.open;
  }
  return found;
}

End Operations::read(const Event& end, Rank member) {
  std::uint64_t& read = of(end.communicator).read[member];
  read += end.missed;
  return {end.communicator, read++, member, 0};
}

bool Operations::take(const Item& item) {
  OfCommunicator& state = of(item.channel.communicator);
  if (Tree* const tree = tree_of(item.channel.communicator))
    return item.kind == Item::Kind::part ? tree->take_part(item) : tree->arrive(item);
  Instance& operation = instance(state, item.number);
  operation.parts[item.member] = {item, true, no_limit};
  --operation.missing;
  if (operation.open == 0)
    answer(item, no_limit);
  else if (item.is_absent && state.local[item.member])
    ended(operation);
  close(state);
  return true;
}

bool Operations::share_a_clock(CommunicatorIndex communicator, Rank a, Rank b) const {
  const Members& members = definitions_.communicators()[communicator].members;
  return definitions_.share_a_clock(members[a], members[b]);
}

bool Operations::needs(const Event& event, Rank own, Rank other) noexcept {
  return is_head(event, own) && orders(info(event.operation).kind, other, own, event.root);
}

bool Operations::ready(const Event& event, End& end) {
  if (Tree* const tree = tree_of(end.communicator)) return tree->ready(event, end.member, end.number);
  OfCommunicator& state = of(end.communicator);
  const Instance& operation = instance(state, end.number);
  for (; end.checked < state.ends.size(); ++end.checked) {
    if (operation.parts[end.checked].arrived || end.number >= state.ends[end.checked]) continue;
    if (needs(event, end.member, end.checked) && !share_a_clock(end.communicator, end.member, end.checked))
      return false;
  }
  return true;
}

Bound Operations::bound(const Event& event, const End& end) {
  if (Tree* const tree = tree_of(end.communicator)) return tree->bound(event, end.member, end.number);
  const Instance& operation = instance(of(end.communicator), end.number);
  const Members& members = definitions_.communicators()[end.communicator].members;
  const Ticks own = delays_.own(end.communicator);
  Bound bound;
  for (Rank rank = 0; rank < operation.parts.size(); ++rank) {
    const Part& part = operation.parts[rank];
    if (!part.arrived || !part.item.is_tail || !needs(event, end.member, rank)) continue;
    if (share_a_clock(end.communicator, end.member, rank)) continue;
    const Ticks delay = own > 0 ? own : delays_.between(members[rank], event.process);
    const Ticks ticks = add_saturating(part.item.time - event.time, delay);
    if (!bound.any || plus(part.item.offset, ticks) > plus(bound.offset, bound.ticks)) {
      bound.ticks = ticks;
      bound.offset = part.item.offset;
    }
    if (!bound.any || plus(part.item.simple_offset, ticks) > plus(bound.simple_offset, bound.simple_ticks)) {
      bound.simple_ticks = ticks;
      bound.simple_offset = part.item.simple_offset;
    }
    bound.any = true;
  }
  return bound;
}

std::optional<Ticks> Operations::processed(const Event& event, const End& end, double offset, Time recorded) {
  if (Tree* const tree = tree_of(end.communicator))
    return tree->processed(event, end.member, end.number, offset, recorded);
  OfCommunicator& state = of(end.communicator);
  Instance& operation = instance(state, end.number);
  const Members& members = definitions_.communicators()[end.communicator].members;
  const Ticks own = delays_.own(end.communicator);
  std::optional<Ticks> smallest;
  for (Rank rank = 0; rank < operation.parts.size(); ++rank) {
    Part& part = operation.parts[rank];
    if (!part.arrived || !part.item.is_tail || !needs(event, end.member, rank)) continue;
    if (share_a_clock(end.communicator, end.member, rank)) continue;
    const Ticks delay = own > 0 ? own : delays_.between(members[rank], event.process);
    const Ticks apart = subtract_saturating(event.time - part.item.time, delay);
    part.limit = std::min(part.limit, std::max(part.item.offset, plus_at_most(offset, apart)));
    smallest = std::min(smallest.value_or(ticks_max), recorded - part.item.recorded);
  }
  ended(operation);
  close(state);
  return smallest;
}

/// A local member has ended it.
void Operations::ended(Instance& operation) {
  if (--operation.open > 0) return;
  for (const Part& part : operation.parts)
    if (part.arrived) answer(part.item, part.limit);
}

void Operations::answer(const Item& part, double limit) {
  if (!part.is_tail) return;
  Item item = part;
  item.kind = Item::Kind::limit;
  item.offset = limit;
  answers_.push_back(item);
}

void Operations::close(OfCommunicator& state) {
  while (!state.instances.empty()) {
    const Instance& oldest = state.instances.front();
    if (!oldest.known || oldest.open > 0 || oldest.missing > 0) return;
    if (state.local.front()) compare(state, oldest);
    state.instances.pop_front();
    ++state.first;
  }
}

void Operations::compare(const OfCommunicator& state, const Instance& operation) {
  const Item* first = nullptr;
  bool lacks_one = false;
  for (const Part& part : operation.parts) {
    if (!part.arrived) continue;
    lacks_one |= part.item.is_absent;
    if (part.item.is_absent) continue;
    if (first == nullptr) first = &part.item;
    mismatches_ += part.item.operation != first->operation || part.item.channel.receiver != first->channel.receiver;
  }
  const bool by_all = state.first < *std::min_element(state.ends.begin(), state.ends.end());
  if (by_all && lacks_one && first != nullptr) ++passed_over_;
  if (!by_all && first == nullptr) ++lost_by_all_;
}

bool Operations::differ() const noexcept {
  return std::any_of(of_.begin(), of_.end(), [&](const OfCommunicator& state) {
    return state.ends.size() > 1 && state.local.front() && (!all_equal(state.ends) || !all_equal(state.signatures));
  });
}

std::uint64_t Operations::memory() const noexcept {
  std::uint64_t bytes = 0;
  for (const OfCommunicator& state : of_)
    for (const Instance& operation : state.instances) bytes += sizeof operation + on_heap(operation.parts);
  return bytes;
}

std::uint64_t Operations::total() const noexcept {
  std::uint64_t sum = 0;
  for (const OfCommunicator& state : of_)
    if (state.ends.size() > 1 && state.local.front()) sum += *std::max_element(state.ends.begin(), state.ends.end());
  return sum;
}

std::uint64_t Operations::incomplete() const noexcept {
  std::uint64_t sum = passed_over_;
  for (const OfCommunicator& state : of_) {
    if (state.ends.size() < 2) continue;
    // Of each communicator one rank counts: that of its first member.
    if (!state.local.front()) continue;
    const auto [least, most] = std::minmax_element(state.ends.begin(), state.ends.end());
    sum += *most - *least;
  }
  return sum - lost_by_all_;
}

}  // namespace clc::ranks
