// Maps clocks to a common time before the filter, and restores the recorded times after it.
//
//     RecordedTimes recorded;
//     source = aligned(std::move(source), offsets, recorded);   // sorted by mapped time
//     WithRecorded sink(*file, recorded);                          // the filter writes to it
//
// Laws     The laws of the clock hold relative to the mapped times. The recorded times in the output are those of the
//          trace.
// Cost     Buffers the records within the spread of the offsets, plus 8 bytes for each.
// Assumes  The filter emits all events, those of each process in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "clc/event_sink.hpp"
#include "clc/io/format.hpp"
#include "clc/io/source.hpp"
#include "trace/offsets.hpp"

namespace clc {

struct Event;

/// Recorded times of the events that the filter buffers.
class RecordedTimes {
 public:
  void push(ProcessIndex process, Time time) {
    if (process >= times_.size()) {
      times_.resize(process + std::size_t{1});
      first_.resize(times_.size(), Time::latest());
    }
    times_[process].push_back(time);
    first_[process] = std::min(first_[process], time);
    if (granularity_ != 1) granularity_ = std::gcd(granularity_, time - first_[process]);
  }
  [[nodiscard]] Time pop(ProcessIndex process) {
    const Time time = times_[process].front();
    times_[process].pop_front();
    return time;
  }

  /// The mapped time that belongs to the one pushed last does not fit into 64 bits.
  void cut_off() noexcept { ++cut_off_; }
  [[nodiscard]] std::uint64_t count_cut_off() const noexcept { return cut_off_; }

  /// Greatest common divisor of all durations on one clock; 0: there are none.
  [[nodiscard]] std::uint64_t granularity() const noexcept { return granularity_; }

 private:
  std::vector<std::deque<Time>> times_;
  std::vector<Time> first_;
  std::uint64_t granularity_ = 0;
  std::uint64_t cut_off_ = 0;
};

/// Maps the times of inner, which is sorted, and sorts its records again. offsets: of clocks; one without points keeps
/// its times. `recorded` must outlive the result. most_memory: as SourceOptions::sort_memory. on_definitions: as in
/// sorted_until.
[[nodiscard]] std::unique_ptr<Source> aligned(std::unique_ptr<Source> inner, Offsets offsets, RecordedTimes& recorded,
                                              std::uint64_t most_memory = SourceOptions::default_sort_memory,
                                              std::function<void()> on_definitions = {});

/// Restores the recorded times of events and passes them to the next sink.
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

/// Takes the place of the filter where nothing is to be corrected: passes records to a sink with the times they have.
class Copier {
 public:
  explicit Copier(EventSink& sink) : sink_(sink) {}
  void push(std::span<const Event> events, std::span<const Body> bodies);
  void note(Body line) { sink_.note(line); }

 private:
  EventSink& sink_;
  std::vector<Corrected> run_;
};

}  // namespace clc
