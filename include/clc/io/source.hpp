// A source reads records.
//
// Protocol   open (see io/format.hpp), which reads the header; then read until it returns false.
//            If the input is damaged, read first delivers everything before the damage, then throws
//            InputError. After that, only destroy the source.
// Cost       One virtual call per batch; events of a batch are plain arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/io/record.hpp"

namespace clc {

/// A run of records. Bodies and notes are valid until the next read.
struct Batch {
  struct Note {
    std::size_t before;  ///< stands before events[before]; events.size(): after the last
    Body line;           ///< in the syntax of the text format: "%process 0 rank0", "# comment", without newline
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

/// Passes a batch to a Filter, or what is like one: runs of events to push, notes to note, in order.
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

class Source {
 public:
  virtual ~Source() = default;
  /// Complete for every event delivered so far; grows while reading. A definition is replaced only by a read that
  /// delivers nothing but later records. Resolution and min-delay are known once the source is open.
  [[nodiscard]] virtual const Definitions& definitions() const noexcept = 0;
  /// Replaces the contents of batch by the next records; when the input pauses, by those available. A batch may
  /// consist of notes only. False: end of the trace; batch may still hold final notes. The first note of
  /// a text trace is its first line; sinks expect it or write their own.
  virtual bool read(Batch& batch) = 0;
  [[nodiscard]] virtual const BodyDecoder& decoder() const noexcept = 0;
  /// One of Batch::places as text: "run.clct:17" or "run.clcb: offset 4711".
  [[nodiscard]] virtual std::string describe(std::uint64_t place) const = 0;
  /// Bytes read so far and size of the file (0: unknown), for progress.
  [[nodiscard]] virtual std::uint64_t bytes_read() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t bytes_total() const noexcept = 0;
  /// Tolerated faults of the input, one line each; complete when read has returned false.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// Potential ordering records that were ignored, for the report; one line each, complete when warnings are.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
  /// The body of events that are no records of the trace, but were added by the reader to order others. Empty: there
  /// are none.
  [[nodiscard]] virtual Body added_body() const { return {}; }
};

}  // namespace clc
