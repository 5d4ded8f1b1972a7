// The filter: recorded events in, corrected events out, one pass, bounded memory.
//
//     Filter filter(parameters, definitions, sink);
//     filter.push(event, body);   // sorted by recorded time, see push; ties in any order
//     filter.finish();            // emits the remaining events
//
// Pipeline   input buffer -> controller -> amortizer -> merge -> sink: one direction, one loop. Events
//            are buffered in the queue of their clock until the merge emits them.
// Guarantees [R theorem 9] and the laws tested in test/law: every receive is at least the minimum message
//            delay after its send, no event moves to an earlier time, and the order on each clock is kept.
// Output     Sorted by corrected time; ties in input order, so that a trace without violations is
//            emitted unchanged. A sink may ask for a weaker order.
// Protocol   push and note in input order, then finish once. After an exception, only destroy it.
// Errors     push throws InputError if events are not sorted, and UsageError if they name a process, peer or
//            communicator that is not defined, if there are more or fewer bodies than events, or after finish, as note
//            and finish do, too. Exceptions of the sink pass through.
// Cost       O(log(processes)) per event plus O(log(interval)) per jump. Memory is proportional to the
//            number of events within L_A + cldiff + mu of trace time (plus the wait limit while
//            messages are incomplete).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event_sink.hpp"
#include "clc/indexes.hpp"
#include "clc/parameters.hpp"

namespace clc {

struct Event;

class Filter {
 public:
  /// Keeps references to definitions and sink. Definitions may be added or replaced between pushes; a change applies
  /// to events pushed later. Throws UsageError if a parameter is out of range.
  Filter(const Parameters& parameters, const Definitions& definitions, EventSink& sink);
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter();

  /// Takes an event and its payload. Its process, peer and communicator must be defined. Events must be sorted by C^,
  /// the largest recorded time of their clock so far: by recorded time, except where the clock of a process was set
  /// back.
  void push(const Event& event, Body body);
  /// The same for a run of events; there must be as many bodies.
  void push(std::span<const Event> events, std::span<const Body> bodies);
  /// Takes a line that is not an event. It is emitted before the first event that is pushed after it.
  void note(Body line);
  /// If times are mapped before they are pushed: sets the greatest common divisor of all durations as recorded, so far.
  void recorded_granularity(std::uint64_t ticks);
  /// Notifies the observer, which must outlive the filter, of the edges of events that are pushed from now on.
  void observe(FilterObserver& observer);
  /// Emits all events that are final. The filter does so often enough by itself; call it when the input pauses.
  void flush();
  /// The same, if the caller knows that no event before `bound` is still to come, for instance from a clock outside the
  /// program [R eq. 7.1]: `bound` counts as the time that the input has reached, also for the wait limit. If an earlier
  /// event is pushed nevertheless, it is taken at `bound` and counted (Case::late_record). True if events remain
  /// inside.
  bool advance(Time bound);
  /// End of input: gives up all waits and emits all events.
  void finish();

  /// The figures of the run, complete after finish.
  [[nodiscard]] const Analysis& analysis() const noexcept;
  /// Bytes of the definitions, and of the filter's own tables of processes and communicators. The rest of
  /// Parameters::max_memory is for events, at least Parameters::least_memory.
  [[nodiscard]] std::uint64_t definition_memory() const noexcept;

 private:
  class Pipeline;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace clc
