// A source reads records.
//
// Protocol   open (see io/format.hpp), which reads the header; then read until it returns false.
//            If the input is damaged, read first delivers everything before the damage, then throws
//            InputError. After that, only destroy the source.
// Cost       One virtual call per batch (io/batch.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"

namespace clc {

class BodyDecoder;
struct Batch;

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
