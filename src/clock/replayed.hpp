// The figures of a run in which the clock read its events from a recording, perhaps from their end.
//
// Place    For the programs: the clock's own figures are about the events as it read them, these about the trace.
// Units    As Analysis; the movement is that of the events that were written, forwards.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "clock/recorder.hpp"
#include "trace/time_order.hpp"

namespace clc {

class ReplayedAnalysis final : public Recorder {
 public:
  /// An event that is written, in the order of its process; `recorded` is the time that the clock read.
  void written(const Corrected& event) { released({&event, 1}); }
  /// Takes the figures of the clock, once it has finished. backwards: its times were negated, and its senders are
  /// receivers. What the clock missed is not taken: it knew channels and communicators of its own.
  void take(const Analysis& clock, bool backwards) {
    Movement movement = movement_;
    std::vector<ProcessStatistics> processes = std::move(processes_);
    const auto counted = cases_;
    static_cast<Analysis&>(*this) = clock;
    movement_ = movement;
    processes_ = std::move(processes);
    losses_.clear();
    lost_calls_.clear();
    for (std::size_t i = 0; i < cases_.size(); ++i) cases_[i] = std::max(cases_[i], unresolved_[i]) + counted[i];
    violations_left_ += violations_;
    if (backwards) turn_round();
  }
  /// Before `take`: what a clock that ran in the other direction could not order, if the mean of both is written. An
  /// edge that the mean violates is violated in one of them.
  void take_unresolved(const Analysis& other) noexcept {
    for (const CaseInfo& info : cases)
      if (info.severity == Severity::unresolved)
        unresolved_[static_cast<std::size_t>(info.which)] = other.counted(info.which);
    violations_ = other.violations_left();
  }

 private:
  std::array<std::uint64_t, cases.size()> unresolved_{};  // of the other direction
  std::uint64_t violations_ = 0;

  static void turn_round(Violations& all) noexcept {
    std::swap(all.worst_sender, all.worst_receiver);
    all.worst_time = negated(all.worst_time) + all.worst_delay;  // it was that of the send
  }
  static void turn_round(PairStatistics& pair) noexcept {
    std::swap(pair.sender, pair.receiver);
    pair.last_received = negated(pair.last_received) + pair.last_delay;
  }
  void turn_round() noexcept {
    turn_round(messages_);
    turn_round(collectives_);
    for (PairStatistics& pair : pairs_) turn_round(pair);
    for (StepBack& step : steps_back_) step = {step.process, negated(step.after), negated(step.before)};
    if (regulation.not_quartz) regulation.not_quartz->time = negated(regulation.not_quartz->time);
    regulation.gamma_course = regulation.gamma_course.reversed();
  }
};

}  // namespace clc
