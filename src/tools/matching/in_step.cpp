#include "matching/in_step.hpp"

#include <optional>

namespace clc::matching {

namespace {

struct Progress {
  std::uint64_t events = 0;
  bool ended = false;
  Batch batch;
};

/// The file that is read next; none: all have ended.
std::optional<Column> next_of(const std::vector<Progress>& files, const StepObserver& observer) {
  std::optional<Column> other;
  for (std::size_t i = recorded + 1; i < files.size(); ++i)
    if (!files[i].ended && (!other || files[i].events < files[*other].events)) other = static_cast<Column>(i);
  const Progress& leading = files[recorded];
  if (leading.ended) return other;
  if (!other) return recorded;
  const std::uint64_t others = files[*other].events;
  if (others < leading.events || (observer.waits(recorded) && others - leading.events < most_ahead)) return other;
  return recorded;
}

}  // namespace

void read_in_step(const std::vector<Source*>& files, StepObserver& observer) {
  std::vector<Progress> progress(files.size());
  while (const std::optional<Column> file = next_of(progress, observer)) {
    Progress& at = progress[*file];
    at.ended = !files[*file]->read(at.batch);
    std::size_t note = 0;
    for (std::size_t i = 0; i < at.batch.events.size(); ++i) {
      for (; note < at.batch.notes.size() && at.batch.notes[note].before <= i; ++note)
        observer.note(*file, at.batch.notes[note]);
      observer.add(*file, at.batch.events[i], at.batch.bodies[i], at.batch.places[i]);
    }
    for (; note < at.batch.notes.size(); ++note) observer.note(*file, at.batch.notes[note]);
    at.events += at.batch.events.size() - observer.take_left_out();
    if (at.ended) observer.end(*file);
  }
}

}  // namespace clc::matching
