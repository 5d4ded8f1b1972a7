// What takes the events that leave the filter: the end of the clock, the beginning of the formats.
//
// Protocol   Calls come in output order, from the thread that calls the filter.
// Errors     What a sink throws passes through Filter::push, note, flush and finish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "clc/event.hpp"

namespace clc {

class EventSink;

/// Events that leave the filter together, behind all that left before. They still have to be put in order: a tenth of
/// the filter's time.
class Leaving {
 public:
  virtual ~Leaving() = default;
  /// Hands them to the sink, with the notes between them. Once, in any thread.
  virtual void write(EventSink& sink) = 0;
};

/// Takes what leaves the filter.
class EventSink {
 public:
  /// all: sorted by time, ties in input order, notes in place. each_process: those of one process in its order; how
  /// processes and notes stand to each other is left open, which saves a tenth of the filter's time.
  enum class Order : std::uint8_t { all, each_process };

  virtual ~EventSink() = default;
  /// What order it needs. The same at all times.
  [[nodiscard]] virtual Order order() const noexcept { return Order::all; }
  /// A run of events in that order; called once per batch, never per event.
  virtual void events(std::span<const Corrected> run) = 0;
  /// A line of the input that is no event (definition, comment), in place.
  virtual void note(Body line) = 0;

  // For a sink with a thread of its own.

  /// Events that are final. Calls leaving.write now or, as held says, later.
  virtual void leave(Leaving& leaving) { leaving.write(*this); }
  /// How many of them it may hold when leave returns, the newest ones. The same at all times.
  [[nodiscard]] virtual std::size_t held() const noexcept { return 0; }
  /// Waits until it holds none. The filter calls it ahead of a note that does not leave with events, and at
  /// its end.
  virtual void drain() noexcept {}
};

}  // namespace clc
