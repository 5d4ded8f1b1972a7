#include "clock/doubts.hpp"

#include <algorithm>
#include <utility>

namespace clc {

void Doubts::begin(const Event& event, EventIndex index, Doubt doubt, Time first) {
  dismiss(event, index);
  verdict_ = look_ahead_.begin(event, doubt, first);
}

void Doubts::dismiss(const Event& event, EventIndex index) {
  event_ = event;
  index_ = index;
  looked_at_ = 0;
  verdict_ = Verdict::keep;
}

void Doubts::hold(const Event& event, Body body, std::optional<Time> recorded) {
  held_.push_back({event, std::string(body), false, recorded});
  held_bytes_ += body.size();
}

void Doubts::hold_note(Time time, Body line) {
  Event event;
  event.time = time;
  held_.push_back({event, std::string(line), true, {}});
  held_bytes_ += line.size();
}

Doubts::Record Doubts::take() {
  Record record = std::move(held_.front());
  held_.pop_front();
  held_bytes_ -= record.body.size();
  return record;
}

Doubts::Room Doubts::room(std::size_t processes, std::uint64_t max_memory, std::uint64_t read) noexcept {
  constexpr std::size_t least_held = 16384;  // records
  constexpr std::size_t held_each = 64;      // for each process
  constexpr std::uint64_t free_looks = std::uint64_t{1} << 20;
  constexpr std::uint64_t looks_each = 16;  // for each record
  return {std::max(least_held, held_each * processes), max_memory / 16, free_looks + looks_each * read};
}

Doubts::Verdict Doubts::verdict(const Room& room, bool all) {
  if (verdict_ != Verdict::open) return verdict_;
  for (; looked_at_ < held_.size(); ++looked_at_) {
    const Record& next = held_[looked_at_];
    if (next.is_note) continue;
    if (next.event.time > event_.time + longest_ || ++looks_ > room.looks) return look_ahead_.end();
    if (const Verdict verdict = look_ahead_.look(next.event); verdict != Verdict::open) return verdict;
  }
  const bool full = held_.size() >= room.records || held_bytes_ > room.bytes;
  return all || full ? look_ahead_.end() : Verdict::open;
}

}  // namespace clc
