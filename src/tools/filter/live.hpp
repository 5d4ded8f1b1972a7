// Live input: how far the monitor's clock proves that the input has come, and how long events stay inside.
//
// Place    Between the filter and the sink; asked by the run when records arrive and while the input pauses.
// Formula  lag = max(M(arrival) - C) over all records. While the input pauses, no record before
//          M(now) - lag - T is still to come [R eq. 7.1]. M is the clock of the monitor, T the room for records that
//          take longer than all before them.
// Units    Ticks of the trace. M may begin anywhere: lag contains its distance from the clocks of the trace.
// Assumes  Records that are read before the first pause were waiting, for an unknown time: they do not count for lag.
// Cost     One look at M per batch and per run of emitted events; 16 bytes per batch and process inside.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "clc/event.hpp"
#include "clc/event_sink.hpp"
#include "clc/time.hpp"

namespace clc::filter {

class Live final : public EventSink {
 public:
  using Monitor = std::function<Time()>;

  /// transfer: T; none: nothing is ever proved.
  Live(EventSink& next, std::optional<Ticks> transfer, Monitor monitor)
      : next_(next), transfer_(transfer), monitor_(std::move(monitor)) {}

  [[nodiscard]] Time now() const { return monitor_(); }
  /// These records were read, in this order.
  void arrived(std::span<const Event> events);
  /// The input pauses: no record before that time is still to come. None: nothing is known yet.
  [[nodiscard]] std::optional<Time> pause();
  /// True if anything has left since the last call, and in the first one.
  [[nodiscard]] bool take_left();

  /// How much later than the quickest record the slowest one arrived, by their recorded times; none: not known.
  [[nodiscard]] std::optional<Ticks> lag() const noexcept;
  /// The longest time that an event was inside.
  [[nodiscard]] Ticks largest_stay() const noexcept { return largest_stay_; }
  /// How far records were behind the proof.
  [[nodiscard]] Ticks late_by() const noexcept { return late_by_; }

  [[nodiscard]] Order order() const noexcept override { return next_.order(); }
  void events(std::span<const Corrected> run) override;
  void note(Body line) override {
    left_ = true;
    next_.note(line);
  }

 private:
  struct Arrival {
    Time at;
    std::uint64_t events = 0;
  };

  EventSink& next_;
  std::optional<Ticks> transfer_;
  Monitor monitor_;
  bool paused_ = false;  // at least once
  bool left_ = true;
  Time newest_ = Time::earliest();  // recorded time
  std::optional<Ticks> lag_;
  Ticks least_lag_ = ticks_max;
  Time proved_ = Time::earliest();
  Ticks late_by_ = 0;
  Ticks largest_stay_ = 0;
  std::vector<std::deque<Arrival>> inside_;  // by process, in its order
};

}  // namespace clc::filter
