// Clocks mapped to a common time in front of the filter, and recorded times put back behind it.
//
//     RecordedTimes recorded;
//     source = aligned(std::move(source), offsets, 0, recorded);   // sorted by mapped time
//     WithRecorded sink(*file, recorded);                          // the filter writes to it
//
// Laws     Those of the clock hold relative to the mapped times. What is written as recorded time is what the trace
// had. Cost     8 bytes and the record itself for what lies within the spread of the offsets. Assumes  All events leave
// the filter, those of a process in its order.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "clc/event_sink.hpp"
#include "clc/io/format.hpp"
#include "clc/io/source.hpp"
#include "clc/offsets.hpp"

namespace clc {

/// Recorded times of the events that are inside the filter.
class RecordedTimes {
 public:
  void push(ProcessIndex process, Time time) {
    if (process >= times_.size()) times_.resize(process + std::size_t{1});
    times_[process].push_back(time);
  }
  [[nodiscard]] Time pop(ProcessIndex process) {
    const Time time = times_[process].front();
    times_[process].pop_front();
    return time;
  }

 private:
  std::vector<std::deque<Time>> times_;
};

/// Maps the times of inner, which is sorted, and sorts again, accepting that a record is earlier than the latest before
/// it by up to the spread of the offsets and `window` more. A process without points keeps its times. recorded must
/// outlive it. most_memory: as SourceOptions::sort_memory.
[[nodiscard]] std::unique_ptr<Source> aligned(std::unique_ptr<Source> inner, Offsets offsets, Ticks window,
                                              RecordedTimes& recorded,
                                              std::uint64_t most_memory = SourceOptions::default_sort_memory);

/// Gives events their recorded times back on their way to the next sink.
class WithRecorded final : public EventSink {
 public:
  WithRecorded(EventSink& next, RecordedTimes& recorded) : next_(next), recorded_(recorded) {}
  [[nodiscard]] Order order() const noexcept override { return next_.order(); }
  void events(std::span<const Corrected> run) override;
  void note(Body line) override { next_.note(line); }

 private:
  EventSink& next_;
  RecordedTimes& recorded_;
  std::vector<Corrected> run_;
};

}  // namespace clc
