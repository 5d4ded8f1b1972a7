// Counts the events that a correction moves by more than --max-shift.
//
// Place    Between the filter and the sink, where it passes on all events; or beside a replay, which shows it each
// event. Cost     One subtraction and one comparison per event.
#pragma once

#include <cstdint>
#include <span>

#include "clc/event_sink.hpp"

namespace clc::filter {

class ShiftWatch final : public EventSink {
 public:
  ShiftWatch(EventSink& next, Ticks limit) : next_(next), limit_(limit) {}
  [[nodiscard]] Order order() const noexcept override { return next_.order(); }
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) look(event);
    next_.events(run);
  }
  void look(const Corrected& event) { beyond_ += magnitude(event.time - event.recorded) > magnitude(limit_); }
  void note(Body line) override { next_.note(line); }
  [[nodiscard]] std::uint64_t beyond() const noexcept { return beyond_; }

 private:
  EventSink& next_;
  Ticks limit_;
  std::uint64_t beyond_ = 0;
};

}  // namespace clc::filter
