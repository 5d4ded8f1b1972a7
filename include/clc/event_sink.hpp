// Receives the events that the filter emits: the interface between the clock and the formats.
//
// Protocol   Calls come in output order, from the thread that calls the filter.
// Errors     Exceptions of a sink pass through Filter::push, note, flush and finish.
#pragma once

#include <cstdint>
#include <span>

#include "clc/indexes.hpp"
#include "clc/time.hpp"

namespace clc {

/// An emitted event.
struct Corrected {
  Time time;             ///< corrected time LC^A
  Time recorded;         ///< recorded time C
  ProcessIndex process;  ///< where it happened
  Body body;             ///< as pushed; valid during the call
};

/// Receives the events and notes that the filter emits.
class EventSink {
 public:
  /// all: sorted by time, ties in input order, notes in place. each_process: only the events of each process are in
  /// order; the order between processes and notes is unspecified, which saves a tenth of the filter's time.
  enum class Order : std::uint8_t { all, each_process };

  virtual ~EventSink() = default;
  /// The order that the sink needs; constant.
  [[nodiscard]] virtual Order order() const noexcept { return Order::all; }
  /// A run of events in that order; called once per batch, never per event.
  virtual void events(std::span<const Corrected> run) = 0;
  /// A line of the input that is not an event (definition, comment), in place.
  virtual void note(Body line) = 0;
};

}  // namespace clc
