#include "common/held_notes.hpp"

namespace clc::formats {

void HeldNotes::keep(const Batch& batch, std::size_t count, std::uint64_t first) {
  for (const Batch::Note& line : batch.notes) {
    if (line.before > count) break;
    Note note{count_++, first + line.before, std::string(line.line), line.place, definitions_.change(line.line, read_)};
    memory_ += note.memory();
    if (note.change && !note.change->of_process) {
      const CommunicatorIndex communicator = note.change->index;
      const std::uint64_t number = note.number;
      by_communicator_[communicator].push_back(groups_.emplace_hint(groups_.end(), number, std::move(note)));
      continue;
    }
    if (note.change) process_changes_.push_back(note.before);
    notes_.push_back(std::move(note));
  }
  definitions_.grow(read_);
}

bool HeldNotes::names_changed_group(const Next& next) const {
  if (groups_.empty() || next.event.communicator == no_communicator) return false;
  const auto changes = by_communicator_.find(next.event.communicator);
  return changes != by_communicator_.end() && changes->second.front()->second.before <= next.sequence;
}

bool HeldNotes::changes_before(const Next& next) const {
  if (!process_changes_.empty() && process_changes_.front() <= next.sequence) return true;
  if (!groups_.empty() && groups_.begin()->second.before <= next.oldest) return true;
  return names_changed_group(next);
}

void HeldNotes::change_before(const Next& next, Batch& batch) {
  if (on_change_) on_change_();
  while (!groups_.empty() && groups_.begin()->second.before <= next.oldest) give_group(groups_.begin(), batch);
  while (names_changed_group(next)) give_group(by_communicator_.find(next.event.communicator)->second.front(), batch);
  give_before(next.sequence, batch);
}

void HeldNotes::give_before(std::uint64_t sequence, Batch& batch) {
  while (!notes_.empty() && notes_.front().before <= sequence) {
    Note note = std::move(notes_.front());
    notes_.pop_front();
    give(std::move(note), batch);
  }
}

void HeldNotes::give_all(Batch& batch) {
  if (on_change_ && !(groups_.empty() && process_changes_.empty())) on_change_();
  while (!groups_.empty()) give_group(groups_.begin(), batch);
  while (!notes_.empty()) give_before(notes_.back().before, batch);
}

void HeldNotes::give(Note note, Batch& batch) {
  memory_ -= note.memory();
  if (note.change) {
    definitions_.make(*note.change, read_);
    if (note.change->of_process) process_changes_.pop_front();
  }
  given_.push_back(std::move(note.line));
  batch.notes.push_back({batch.events.size(), given_.back(), note.place});
}

/// Behind the notes that preceded it.
void HeldNotes::give_group(Groups::iterator group, Batch& batch) {
  Note note = std::move(group->second);
  const auto changes = by_communicator_.find(note.change->index);
  changes->second.pop_front();
  if (changes->second.empty()) by_communicator_.erase(changes);
  groups_.erase(group);
  while (!notes_.empty() && notes_.front().number < note.number) {
    Note earlier = std::move(notes_.front());
    notes_.pop_front();
    give(std::move(earlier), batch);
  }
  give(std::move(note), batch);
}

}  // namespace clc::formats
