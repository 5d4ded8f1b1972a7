// Where records come from.
//
// Protocol   open (see io/format.hpp; the header is read), then read until it returns false.
//            Damage: everything readable before it is delivered, then read throws InputError;
//            after that only destruction.
// Cost       One virtual call per batch; events of a batch are plain arrays.
#pragma once

#include <cstddef>
#include <cstdint>
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
    Body line;           ///< in the words of the text format: "%process 0 rank0", "# comment", without newline
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

/// Turns bodies of one format into records. Outlives the source's reading; safe on any body that the
/// source delivered.
class BodyDecoder {
 public:
  virtual ~BodyDecoder() = default;
  [[nodiscard]] virtual Record decode(Body body) const = 0;
};

class Source {
 public:
  virtual ~Source() = default;
  /// Complete for every event delivered so far; grows while reading. What replaces a definition does so in a read
  /// that delivers only records behind it. Resolution and min-delay are known once the source is open.
  [[nodiscard]] virtual const Definitions& definitions() const noexcept = 0;
  /// Replaces batch by the next records; returns what there is when the input pauses. True with notes but
  /// no records is possible. False: end of the trace, batch may still hold closing notes. The first note of
  /// a text trace is its first line; sinks expect it or write their own.
  virtual bool read(Batch& batch) = 0;
  [[nodiscard]] virtual const BodyDecoder& decoder() const noexcept = 0;
  /// Words for one of Batch::places: "run.clct:17" or "run.clcb: offset 4711".
  [[nodiscard]] virtual std::string describe(std::uint64_t place) const = 0;
  /// Bytes of the file consumed so far and in all (0: unknown), for progress.
  [[nodiscard]] virtual std::uint64_t bytes_read() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t bytes_total() const noexcept = 0;
  /// Oddities of the input that were lived with, a line each; complete when read has returned false.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// What in the input orders nothing although it might, for the report; a line each, complete as warnings are.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
};

}  // namespace clc
