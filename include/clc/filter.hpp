// The filter: recorded events in, corrected events out, one pass, bounded memory.
//
//     Filter filter(parameters, definitions, sink);
//     filter.push(event, body);   // sorted by recorded time; ties in any order
//     filter.finish();            // the rest leaves
//
// Pipeline   input buffer -> controller -> amortizer -> merge -> sink: one direction, one loop. An event's
//            home is the queue of its process (stage/process_queue.hpp) until the merge lets it out.
// Guarantees algorithm [R theorem 9] and the laws tested in test/law: every receive at least the minimum
//            message delay after its send, nothing before its recorded time, order in a process kept.
// Output     Sorted by corrected time; ties in input order, so that a trace without violations comes
//            out exactly as it went in. A sink may ask for less.
// Protocol   push and note in input order, then finish once; after an exception only destruction.
// Errors     push throws InputError when an event is earlier than the one before it. What the sink
//            throws passes through.
// Cost       O(log(processes)) per event plus O(log(interval)) per jump; memory in proportion to the
//            events within L_A + cldiff + mu of trace time (and the wait limit where messages are incomplete).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/parameters.hpp"

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

/// Takes what leaves the filter. Calls come in output order.
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
  /// Waits until it holds none. The filter calls it at its end, ahead of notes behind the last event.
  virtual void drain() noexcept {}
};

class Filter {
 public:
  /// Keeps references to definitions and sink. Definitions may grow and be replaced between pushes: that holds for the
  /// events pushed from then on.
  /// Throws UsageError when a parameter is out of range or names an unknown process.
  Filter(const Parameters& parameters, const Definitions& definitions, EventSink& sink);
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter();

  /// One event and the bytes that travel with it. Its process and communicator must be defined.
  void push(const Event& event, Body body);
  /// Same, for a run of events; bodies has the same length.
  void push(std::span<const Event> events, std::span<const Body> bodies);
  /// A line that is no event; it leaves before the first event that was pushed after it.
  void note(Body line);
  /// Writes what is final now. Called by itself often enough; of use when the input pauses.
  void flush();
  /// End of input: releases all that waits, writes all.
  void finish();

  /// What was seen and done, complete after finish.
  [[nodiscard]] const Analysis& analysis() const noexcept;

 private:
  class Pipeline;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace clc
