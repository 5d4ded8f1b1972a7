#include "matching/in_step.hpp"

namespace clc::matching {

void read_in_step(const std::vector<Source*>& files, StepObserver& observer) {
  struct Progress {
    std::uint64_t events = 0;
    bool ended = false;
    Batch batch;
  };
  std::vector<Progress> progress(files.size());
  for (;;) {
    std::size_t next = files.size();
    for (std::size_t i = 0; i < files.size(); ++i)
      if (!progress[i].ended && (next == files.size() || progress[i].events < progress[next].events)) next = i;
    if (next == files.size()) return;
    const auto file = static_cast<Column>(next);
    Progress& at = progress[next];
    at.ended = !files[next]->read(at.batch);
    std::size_t note = 0;
    for (std::size_t i = 0; i < at.batch.events.size(); ++i) {
      for (; note < at.batch.notes.size() && at.batch.notes[note].before <= i; ++note)
        observer.note(file, at.batch.notes[note].line);
      observer.add(file, at.batch.events[i], at.batch.bodies[i], at.batch.places[i]);
    }
    for (; note < at.batch.notes.size(); ++note) observer.note(file, at.batch.notes[note].line);
    at.events += at.batch.events.size();
    if (at.ended) observer.end(file);
  }
}

}  // namespace clc::matching
