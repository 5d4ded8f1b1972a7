#include "replay/recording.hpp"

#include <algorithm>

namespace clc::replay {

bool Recording::add(const Batch& batch, std::span<const Time> recorded) {
  for (const Batch::Note& note : batch.notes) {
    note_packer_.number(next_ + note.before);
    note_packer_.text(note.line);
    if (note_packer_.size() >= Blocks::usual_size) note_packer_.end(notes_);
  }
  for (std::size_t i = 0; i < batch.events.size(); ++i) {
    const Event& event = batch.events[i];
    if (!first_) first_ = event.time;
    const ClockIndex clock = definitions_.processes()[event.process].clock;
    const Time maximum = maxima_.next(clock, event.time);
    const Ticks since = maximum - *first_;
    length_ = std::max(length_, since);
    if (window_ && since > add_saturating(window_->to, window_->beyond)) return false;
    any_set_back_ = any_set_back_ || event.time < maximum;
    const bool inside = !window_ || (since >= window_->from && since <= window_->to);
    const Sequence sequence = next_++;
    const Partner partner = matching_.add(event, recorded[i], sequence, inside);
    if (inside) pack(event, recorded[i], sequence, partner, batch.bodies[i]);
  }
  return true;
}

void Recording::end_block() {
  if (packer_.size() == 0) return;
  packer_.end(blocks_);
  newest_of_.push_back(newest_);
}

void Recording::finish(bool whole) {
  end_block();
  note_packer_.end(notes_);
  matching_.finish(whole);
}

void Recording::pack(const Event& event, Time recorded, Sequence sequence, const Partner& partner, Body body) {
  if (packer_.size() == 0) packed_ = 0;
  packer_.number(sequence - packed_);
  packed_ = sequence;
  packer_.time(event.time);
  packer_.number_of_any_sign(static_cast<std::int64_t>(ticks_between(event.time, recorded)));
  packer_.number(std::uint64_t{event.process} << 3U | static_cast<std::uint64_t>(event.role));
  packer_.text(body);
  ++events_;
  newest_ = std::max(newest_, event.time);
  if (event.role != Role::internal) {
    packer_.number_of_any_sign(event.tag);
    if (event.role != Role::collective_begin) {
      packer_.number(event.communicator);
      packer_.number(event.bytes);
      packer_.number(partner.record == none ? 0 : sequence - partner.record);
      packer_.number(partner.bytes);
    }
    if (event.role == Role::send || event.role == Role::receive) {
      packer_.number(event.peer);
      packer_.number(event.overtakes);
    }
    if (event.role == Role::collective_end) {
      packer_.number(static_cast<std::uint64_t>(event.operation));
      packer_.number(event.root);
      packer_.number(event.received);
      packer_.number(event.absent);
      packer_.number(partner.operation + 1);  // none becomes 0
    }
  }
  if (packer_.size() >= Blocks::usual_size) end_block();
}

void Recording::read(std::size_t block, std::string& storage, std::vector<Taken>& records) const {
  blocks_.read(block, storage);
  records.clear();
  Unpacker unpacker(storage);
  Sequence sequence = 0;
  while (unpacker.any()) {
    Taken& taken = records.emplace_back();
    Event& event = taken.event;
    taken.sequence = sequence += unpacker.number();
    event.time = unpacker.time();
    taken.recorded = Time(static_cast<std::int64_t>(static_cast<std::uint64_t>(event.time.ticks()) +
                                                    static_cast<std::uint64_t>(unpacker.number_of_any_sign())));
    const std::uint64_t process_and_role = unpacker.number();
    event.process = static_cast<ProcessIndex>(process_and_role >> 3U);
    event.role = static_cast<Role>(process_and_role & 7U);
    taken.body = unpacker.text();
    if (event.role == Role::internal) continue;
    event.tag = unpacker.number_of_any_sign();
    if (event.role != Role::collective_begin) {
      event.communicator = static_cast<CommunicatorIndex>(unpacker.number());
      event.bytes = unpacker.number();
      const std::uint64_t back = unpacker.number();
      taken.partner.record = back == 0 ? none : sequence - back;
      taken.partner.bytes = unpacker.number();
    }
    if (event.role == Role::send || event.role == Role::receive) {
      event.peer = static_cast<ProcessIndex>(unpacker.number());
      event.overtakes = static_cast<std::uint16_t>(unpacker.number());
    }
    if (event.role == Role::collective_end) {
      event.operation = static_cast<Operation>(unpacker.number());
      event.root = static_cast<Rank>(unpacker.number());
      event.received = unpacker.number();
      event.absent = static_cast<std::uint8_t>(unpacker.number());
      taken.partner.operation = unpacker.number() - 1;
    }
  }
}

bool Recording::Notes::next(TakenNote& note) {
  while (!unpacker_.any()) {
    if (block_ == recording_.notes_.count()) return false;
    recording_.notes_.read(block_++, storage_);
    unpacker_ = Unpacker(storage_);
  }
  note.before = unpacker_.number();
  note.line = unpacker_.text();
  return true;
}

}  // namespace clc::replay
