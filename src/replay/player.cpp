#include "replay/player.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace clc::replay {

namespace {

constexpr std::size_t label_size = 16;

Operation mirrored(Operation operation) noexcept {
  switch (operation) {
    case Operation::bcast:
      return Operation::reduce;
    case Operation::reduce:
      return Operation::bcast;
    case Operation::scatter:
      return Operation::gather;
    case Operation::gather:
      return Operation::scatter;
    case Operation::scatterv:
      return Operation::gatherv;
    case Operation::gatherv:
      return Operation::scatterv;
    case Operation::barrier:
      return Operation::allreduce;
    default:
      return operation;
  }
}

Event internal(const Event& event) noexcept {
  Event only;
  only.time = event.time;
  only.process = event.process;
  return only;
}

std::int64_t unique(Sequence sequence) noexcept { return static_cast<std::int64_t>(sequence + 1); }

}  // namespace

Label label_of(Body body) noexcept {
  std::array<std::int64_t, 2> numbers{};
  std::memcpy(numbers.data(), body.data(), label_size);
  return {static_cast<Sequence>(numbers[0]), Time(numbers[1]), body.substr(label_size)};
}

Player::Player(const Recording& recording, Direction direction, bool bodies, Body source_added)
    : recording_(recording),
      backwards_(direction == Direction::backwards),
      bodies_(bodies),
      source_added_(source_added),
      definitions_(recording.definitions()) {
  for (const Communicator& communicator : definitions_.communicators()) numbers_.insert(communicator.number);
}

bool Player::read(Batch& batch) {
  batch.clear();
  return backwards_ && recording_.any_set_back() ? read_sorted(batch) : play_block(batch);
}

bool Player::read_sorted(Batch& batch) {
  constexpr std::size_t most = 4096;
  given_.clear();
  for (;;) {
    // Those still to be played have no larger time than the rest of the recording.
    const std::size_t left = recording_.blocks() - next_block_;
    const Time complete = left == 0 ? Time::latest() : negated(recording_.newest(left - 1));
    while (!held_.empty() && held_.front().maximum <= complete && batch.events.size() < most) {
      std::pop_heap(held_.begin(), held_.end());
      batch.events.push_back(held_.back().event);
      batch.bodies.emplace_back(given_.emplace_back(std::move(held_.back().body)));
      held_.pop_back();
    }
    if (!batch.events.empty()) return true;
    played_.clear();
    if (!play_block(played_)) return false;
    for (std::size_t i = 0; i < played_.events.size(); ++i) {
      const Event& event = played_.events[i];
      const ClockIndex clock = definitions_.processes()[event.process].clock;
      held_.push_back({maxima_.next(clock, event.time), sorted_++, event, std::string(played_.bodies[i])});
      std::push_heap(held_.begin(), held_.end());
    }
  }
}

bool Player::play_block(Batch& batch) {
  if (next_block_ == recording_.blocks()) return false;
  const std::size_t block = backwards_ ? recording_.blocks() - 1 - next_block_ : next_block_;
  ++next_block_;
  recording_.read(block, storage_, records_);
  labels_.clear();
  std::size_t size = 0;
  for (const Taken& taken : records_) size += label_size + (bodies_ ? taken.body.size() : 0);
  labels_.reserve(size);  // bodies point into it
  if (backwards_)
    std::for_each(records_.rbegin(), records_.rend(), [&](const Taken& taken) { play(taken, batch); });
  else
    for (const Taken& taken : records_) play(taken, batch);
  return true;
}

void Player::add(Batch& batch, const Event& event, const Taken& taken) {
  batch.events.push_back(event);
  if (backwards_) batch.events.back().time = negated(event.time);
  if (!source_added_.empty() && taken.body == source_added_) {
    batch.bodies.push_back(added_body);
    return;
  }
  const std::array<std::int64_t, 2> numbers{static_cast<std::int64_t>(taken.sequence), taken.recorded.ticks()};
  const std::size_t at = labels_.size();
  labels_.append(reinterpret_cast<const char*>(numbers.data()), label_size);
  if (bodies_) labels_.append(taken.body);
  batch.bodies.emplace_back(labels_.data() + at, labels_.size() - at);
}

void Player::play(const Taken& taken, Batch& batch) {
  Event event = taken.event;
  if (recording_.matching().is_loose(taken.sequence)) return add(batch, internal(event), taken);
  switch (event.role) {
    case Role::send:
    case Role::receive:
      return add(batch, message(taken), taken);
    case Role::collective_begin:
      begin(taken, event);
      return add(batch, event, taken);
    case Role::collective_end:
      end(taken, event);
      add(batch, event, taken);
      if (!backwards_ || taken.partner.record != none) return;
      event = mirrored_end({taken.event, taken.partner.operation});
      event.received = 0;  // it waits for nothing
      event.tag = unique(taken.sequence);
      batch.events.push_back(event);
      batch.events.back().time = negated(event.time);
      batch.bodies.push_back(added_body);
      return;
    case Role::internal:
      return add(batch, event, taken);
  }
}

Event Player::message(const Taken& taken) {
  Event event = taken.event;
  event.tag = unique(taken.partner.record != none ? taken.partner.record : taken.sequence);
  event.overtakes = 0;
  if (!backwards_) return event;
  // The length of a message is that which its send names.
  if (event.role == Role::send) {
    event.role = Role::receive;
    if (taken.partner.record != none && taken.partner.bytes != event.bytes)
      lengths_.emplace(taken.partner.record, event.bytes);
    return event;
  }
  event.role = Role::send;
  if (taken.partner.record != none) {
    event.bytes = taken.partner.bytes;
  } else if (const auto length = lengths_.find(taken.sequence); length != lengths_.end()) {
    event.bytes = length->second;
    lengths_.erase(length);
  }
  return event;
}

void Player::begin(const Taken& taken, Event& event) {
  event.tag = unique(taken.sequence);
  if (!backwards_) return;
  const auto call = calls_.find(taken.sequence);
  if (call == calls_.end()) {
    event = internal(event);
    return;
  }
  const Event end = mirrored_end(call->second);
  calls_.erase(call);
  const Time time = event.time;
  const std::int64_t tag = event.tag;
  event = end;
  event.time = time;
  event.tag = tag;
}

void Player::end(const Taken& taken, Event& event) {
  event.tag = unique(taken.partner.record != none ? taken.partner.record : taken.sequence);
  if (!backwards_) {
    event.communicator = lend(event, taken.partner.operation, false);
    return;
  }
  if (taken.partner.record != none) calls_.emplace(taken.partner.record, Call{event, taken.partner.operation});
  event.role = Role::collective_begin;
  event.communicator = no_communicator;
}

Event Player::mirrored_end(const Call& call) {
  Event event = call.end;
  event.communicator = lend(event, call.operation, info(event.operation).kind == CollectiveClass::prefix);
  if (event.operation == Operation::barrier) event.bytes = event.received = 1;
  event.operation = mirrored(event.operation);
  std::swap(event.bytes, event.received);
  return event;
}

CommunicatorIndex Player::lend(const Event& end, std::uint64_t operation, bool reversed) {
  const auto [entry, is_new] = lent_.try_emplace(operation);
  if (is_new) {
    const Members& members = recording_.matching().members(end.communicator, operation);
    const Ticks own_delay = recording_.matching().min_delay(end.communicator, operation);
    entry->second = {take(end, members, own_delay, reversed), members.size() - end.absent, end.absent > 0};
  }
  const CommunicatorIndex communicator = entry->second.communicator;
  if (--entry->second.ends == 0) {
    if (!entry->second.is_used_once) free_[kinds_.at(communicator)].push_back(communicator);
    lent_.erase(entry);
  }
  return communicator;
}

CommunicatorIndex Player::take(const Event& end, const Members& members, Ticks own_delay, bool reversed) {
  const Kind kind{end.communicator, members.list().data(), own_delay, reversed};
  std::vector<CommunicatorIndex>& free = free_[kind];
  if (!free.empty()) {
    const CommunicatorIndex communicator = free.back();
    free.pop_back();
    return communicator;
  }
  Members own = members;
  if (reversed) {
    Members& known = reversed_[reinterpret_cast<std::uintptr_t>(members.list().data())];
    if (known.empty()) known = Members(std::vector<ProcessIndex>(members.list().rbegin(), members.list().rend()));
    own = known;
  }
  while (numbers_.contains(unused_)) --unused_;
  const CommunicatorIndex communicator = definitions_.add_communicator(unused_--, std::move(own), own_delay);
  kinds_.emplace(communicator, kind);
  return communicator;
}

}  // namespace clc::replay
