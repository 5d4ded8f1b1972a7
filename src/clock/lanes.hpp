// The lanes: a queue of events for each clock, with all that moves them, from the controller to the release.
//
// Place    Innermost of the parts of the loop: lanes, heads, reader, filter. Knows no edges.
// Cost     That of controller and release.
#pragma once

#include <algorithm>
#include <cstddef>

#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "clock/controllers.hpp"
#include "clock/distances.hpp"
#include "clock/process_queue.hpp"
#include "clock/processes.hpp"
#include "clock/recorder.hpp"
#include "clock/release.hpp"
#include "clock/set_back.hpp"
#include "trace/large_pages.hpp"

namespace clc {

struct Lanes {
  /// Keeps references to definitions, sink and observer.
  Lanes(const Parameters& p, const Definitions& all, EventSink& sink, WriteObserver& observer)
      : definitions(all),
        pool(all.processes().size()),
        distances(p, all),
        controllers(p, distances, set_back, analysis),
        release({pool, queues, controllers, input, set_back}, p,
                static_cast<double>(all.resolution.ticks_of_microseconds(p.clock_difference_us)), distances, sink,
                observer, analysis) {
    analysis.uncounted = p.uncounted_body;
    analysis.wanted_gradient = p.max_error_percent / 100;
  }

  void grow(std::size_t count) {
    // As much again: processes may be defined one by one.
    if (count > queues.capacity()) queues.reserve(std::max(count, 2 * queues.capacity()));
    while (queues.size() < count) queues.emplace_back(pool);
    processes.grow(count, definitions);
    distances.grow(count);
    controllers.grow(count);
    release.grow(count);
  }
  [[nodiscard]] ClockIndex clock_of(ProcessIndex process) const noexcept { return processes.clock_of(process); }

  /// Appends an event that was read.
  [[gnu::always_inline]] Node& append(const Event& event, ClockIndex clock, ProcessQueue& queue, Body body) {
    release.before_change(clock);
    return clock == event.process ? queue.append(event.time, input.order++, event.role, body)
                                  : queue.append_of(event.process, event.time, input.order++, event.role, body);
  }
  /// Processes the head of a queue, which is node, at that index.
  template <Parameters::Order order = Parameters::Order::events>
  [[gnu::always_inline]] ForwardStep step(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                                          const Bound& bound, bool communicates) {
    if constexpr (order == Parameters::Order::epochs)
      return step_by_epochs(clock, queue, node, index, bound, communicates);
    const ForwardStep step = controllers.per_event.step(clock, index, node.recorded, bound, communicates);
    node.offset = step.offset;
    queue.head_processed();
    if (step.jump > 0) jumped(clock, index, step);
    return step;
  }
  ForwardStep step_by_epochs(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index, const Bound& bound,
                             bool communicates);
  /// An event must not get a larger offset: the head of its edge was processed.
  void limit(ClockIndex clock, EventIndex index, double limit) {
    if (index >= queues[clock].begin()) queues[clock].lower_limit(index, limit);
  }
  /// Number of events in the queues.
  [[nodiscard]] std::uint64_t events() const {
    std::uint64_t events = 0;
    for (const ProcessQueue& queue : queues) events += queue.end() - queue.begin();
    return events;
  }

  const Definitions& definitions;
  Recorder analysis;
  InputPosition input;
  SetBack set_back;
  bool rare_times = false;  ///< a clock was set back, or times are so late that corrected ones may not fit into 64 bits
  QueuePool pool;
  LargeVector<ProcessQueue> queues;  ///< by clock
  Processes processes;
  Distances distances;
  Controllers controllers;
  Release release;

 private:
  void jumped(ClockIndex clock, EventIndex index, const ForwardStep& step) {
    analysis.jump(clock, index, step.jump);
    release.jumped(clock, index, step);
  }
};

inline ForwardStep Lanes::step_by_epochs(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                                         const Bound& bound, bool communicates) {
  ControllerOf<PerEpoch>& controller = *controllers.per_epoch;
  const Time earliest = std::max(controller.newest(clock), node.recorded);
  const ForwardStep step = controller.step(clock, index, node.recorded, bound, communicates);
  node.offset = step.offset;
  queue.head_processed();
  const double known = controller.regulation().jump_in_cut(clock);
  if (known > 0 && index > 0) [[unlikely]]
    release.lengthen(clock, known, earliest);
  if (step.jump > 0) {
    analysis.jump(clock, index, step.jump);
    release.jumped_by_epochs(clock, index, step);
  }
  return step;
}

}  // namespace clc
