// A batch: the records that a source reads at once.
//
// Cost     Events, payloads and places are plain arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clc/event.hpp"

namespace clc {

/// A run of records. Bodies and notes are valid until the next read.
struct Batch {
  struct Note {
    std::size_t before;       ///< stands before events[before]; events.size(): after the last
    Body line;                ///< in the syntax of the text format: "%process 0 rank0", "# comment", without newline
    std::uint64_t place = 0;  ///< number of the line, for Source::describe; 0: the format has no lines
    std::size_t trace = 0;    ///< of several traces: the number of the trace of the line, in the order of reading
  };
  std::vector<Event> events;
  std::vector<Body> bodies;           ///< events.size() entries, in the encoding that decoder() reads
  std::vector<std::uint64_t> places;  ///< events.size() entries: line number or byte offset
  std::vector<Note> notes;            ///< in order

  void clear() noexcept {
    events.clear();
    bodies.clear();
    places.clear();
    notes.clear();
  }
};

/// Passes a batch to a Filter, or to a class with its push and note: runs of events and notes, in order.
template <class Stage>
void pass_on(const Batch& batch, Stage& stage) {
  const std::span<const Event> events(batch.events);
  const std::span<const Body> bodies(batch.bodies);
  std::size_t from = 0;
  for (const Batch::Note& note : batch.notes) {
    if (note.before > from)
      stage.push(events.subspan(from, note.before - from), bodies.subspan(from, note.before - from));
    from = note.before;
    stage.note(note.line);
  }
  if (from < events.size()) stage.push(events.subspan(from), bodies.subspan(from));
}

}  // namespace clc
