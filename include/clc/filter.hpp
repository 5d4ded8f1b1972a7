// The filter: recorded events in, corrected events out, one pass, bounded memory.
//
//     Filter filter(parameters, definitions, sink);
//     filter.push(event, body);   // sorted by recorded time; ties in any order
//     filter.finish();            // the rest leaves
//
// Pipeline   input buffer -> controller -> amortizer -> merge -> sink: one direction, one loop. An event's
//            home is the queue of its clock (stage/process_queue.hpp) until the merge lets it out.
// Guarantees [R theorem 9] and the laws tested in test/law: every receive at least the minimum
//            message delay after its send, nothing before its recorded time, order on a clock kept.
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
#include "clc/event_sink.hpp"
#include "clc/parameters.hpp"

namespace clc {

class Filter {
 public:
  /// Keeps references to definitions and sink. Definitions may grow and be replaced between pushes: that holds for the
  /// events pushed from then on.
  /// Throws UsageError when a parameter is out of range.
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
