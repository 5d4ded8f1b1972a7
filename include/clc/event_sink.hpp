// Receives the events that the filter emits: the interface between the clock and the formats.
//
// Protocol   Calls come in output order, from the thread that calls the filter.
// Errors     Exceptions of a sink pass through Filter::push, note, flush and finish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "clc/event.hpp"

namespace clc {

class EventSink;

/// A group of events that the filter emits together, after all earlier ones. They still have to be sorted, which takes
/// a tenth of the filter's time.
class Leaving {
 public:
  virtual ~Leaving() = default;
  /// Passes them to the sink, with the notes between them. Call it once, in any thread.
  virtual void write(EventSink& sink) = 0;
};

/// Receives the events and notes that the filter emits.
class EventSink {
 public:
  /// all: sorted by time, ties in input order, notes in place. each_process: only the events of each process are in
  /// order. The order between processes and notes is unspecified, which saves a tenth of the filter's time.
  enum class Order : std::uint8_t { all, each_process };

  virtual ~EventSink() = default;
  /// The order that the sink needs; constant.
  [[nodiscard]] virtual Order order() const noexcept { return Order::all; }
  /// A run of events in that order; called once per batch, never per event.
  virtual void events(std::span<const Corrected> run) = 0;
  /// A line of the input that is not an event (definition, comment), in place.
  virtual void note(Body line) = 0;

  // For a sink with a thread of its own.

  /// Takes final events. Calls leaving.write now or later, see held().
  virtual void leave(Leaving& leaving) { leaving.write(*this); }
  /// The number of newest groups that the sink may still hold when leave returns; constant.
  [[nodiscard]] virtual std::size_t held() const noexcept { return 0; }
  /// Waits until the sink holds none. The filter calls it before a note that is emitted without events, and at the
  /// end.
  virtual void drain() noexcept {}
};

}  // namespace clc
