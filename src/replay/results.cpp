#include "replay/results.hpp"

namespace clc::replay {

namespace {

/// Rounded down; does not overflow.
Time mean(Time a, Time b) noexcept { return Time((a.ticks() & b.ticks()) + ((a.ticks() ^ b.ticks()) >> 1U)); }

}  // namespace

// ---- Restorer ---------------------------------------------------------------------------------

void Restorer::put(const Result& result) {
  if (any_note_ && note_.before <= result.label.sequence) {
    pass_on();
    pass_notes(result.label.sequence);
  }
  if (observe_) observe_({result.time, result.mapped, result.process, {}});
  run_.push_back({result.time, result.label.recorded, result.process, result.label.body});
  bodies_.append(result.label.body);
  if (run_.size() == most_events || bodies_.size() >= most_bytes) pass_on();
}

void Restorer::pass_on() {
  if (run_.empty()) return;
  const char* at = bodies_.data();
  for (Corrected& event : run_) {
    event.body = Body(at, event.body.size());
    at += event.body.size();
  }
  sink_.events(run_);
  run_.clear();
  bodies_.clear();
}

void Restorer::pass_notes(Sequence before) {
  for (; any_note_ && note_.before <= before; any_note_ = notes_.next(note_)) sink_.note(note_.line);
}

void Restorer::finish() {
  pass_on();
  pass_notes(none);
}

void Forwards::events(std::span<const Corrected> run) {
  for (const Corrected& event : run)
    if (event.body != added_body) out_.put({event.time, event.recorded, event.process, label_of(event.body)});
}

// ---- Backwards --------------------------------------------------------------------------------

void Backwards::events(std::span<const Corrected> run) {
  for (const Corrected& event : run) {
    if (event.body == added_body) continue;
    packer_.time(event.time);
    packer_.number_of_any_sign(static_cast<std::int64_t>(ticks_between(event.time, event.recorded)));
    packer_.number(event.process);
    packer_.text(event.body);
    if (packer_.size() >= Blocks::usual_size) packer_.end(blocks_);
  }
}

bool Backwards::Reader::next(Result& result) {
  while (results_.empty()) {
    if (block_ == 0) return false;
    from_.blocks_.read(--block_, storage_);
    Unpacker unpacker(storage_);
    while (unpacker.any()) {
      Result& read = results_.emplace_back();
      const Time time = unpacker.time();
      const auto change = static_cast<std::uint64_t>(unpacker.number_of_any_sign());
      read.time = negated(time);
      read.mapped = negated(Time(static_cast<std::int64_t>(static_cast<std::uint64_t>(time.ticks()) + change)));
      read.process = static_cast<ProcessIndex>(unpacker.number());
      read.label = label_of(unpacker.text());
    }
  }
  result = results_.back();
  results_.pop_back();
  return true;
}

void Backwards::pass_on(Restorer& out) const {
  Reader reader(*this);
  Result result;
  while (reader.next(result)) out.put(result);
}

// ---- MeanOf -----------------------------------------------------------------------------------

bool MeanOf::read_ahead() {
  Result result;
  if (!back_.next(result)) return false;
  ahead_.push_back({result.time, result.label.sequence});
  unused_.emplace(result.label.sequence, result.time);
  return true;
}

Time MeanOf::back_of(Sequence sequence) {
  auto found = unused_.find(sequence);
  while (found == unused_.end() && read_ahead()) found = unused_.find(sequence);
  const Time time = found->second;
  unused_.erase(found);
  return time;
}

Time MeanOf::bound(Time forwards) {
  for (;;) {
    while (!ahead_.empty() && !unused_.contains(ahead_.front().sequence)) ahead_.pop_front();
    if (!ahead_.empty()) return mean(forwards, ahead_.front().time);
    if (!read_ahead()) return Time::latest();
  }
}

void MeanOf::events(std::span<const Corrected> run) {
  for (const Corrected& event : run) {
    if (event.body == added_body) continue;
    const Sequence sequence = label_of(event.body).sequence;
    waiting_.push(
        {mean(event.time, back_of(sequence)), event.recorded, event.process, sequence, std::string(event.body)});
  }
  if (!run.empty()) pass_on(bound(run.back().time));
}

void MeanOf::pass_on(Time before) {
  for (; !waiting_.empty() && waiting_.top().mean < before; waiting_.pop()) {
    const Waiting& next = waiting_.top();
    out_.put({next.mean, next.mapped, next.process, label_of(next.body)});
  }
}

void MeanOf::finish() {
  for (; !waiting_.empty(); waiting_.pop()) {
    const Waiting& next = waiting_.top();
    out_.put({next.mean, next.mapped, next.process, label_of(next.body)});
  }
}

}  // namespace clc::replay
