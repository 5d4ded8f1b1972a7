// A simulated run in memory: recorded and true times, and what a method makes of them.
//
// Units    Ticks of the trace; figures in microseconds or as shares.
// Memory   About 200 bytes per record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "settings.hpp"
#include "sync/estimate.hpp"

namespace clc::comparison {

/// Times of all records, by process, those of a process in their order.
using Times = std::vector<std::vector<Time>>;

/// Times against the truth, over one or several runs.
struct Figures {
  std::uint64_t messages = 0;
  std::uint64_t violated = 0;   ///< delays below the minimum
  double delay_error_us = 0;    ///< sum over messages
  double largest_error_us = 0;  ///< of a delay
  double local_time_us = 0;     ///< sum over intervals between successive records of a process
  double local_error_us = 0;    ///< sum of their errors
  void add(const Figures& other) noexcept;
};

class Trial {
 public:
  /// settings must be complete; no collective operations, no defects. Throws UsageError if the scenario cannot run.
  explicit Trial(const tracegen::Settings& settings);

  [[nodiscard]] std::size_t records() const noexcept { return events_.size(); }
  [[nodiscard]] const Times& recorded() const noexcept { return recorded_; }
  [[nodiscard]] sync::Estimate estimate(const sync::Options& options) const;
  /// Recorded times mapped by the estimate.
  [[nodiscard]] Times mapped(const sync::Estimate& estimate) const;
  /// What the controlled logical clock makes of the times, with the minimum delay of the trace.
  [[nodiscard]] Times corrected(const Times& times) const;
  [[nodiscard]] Figures judge(const Times& times) const;

 private:
  struct Place {
    ProcessIndex process = 0;
    std::size_t position = 0;
  };
  struct Message {
    Place sent;
    Place received;
  };
  void match();
  [[nodiscard]] static Time at(const Times& times, const Place& place) { return times[place.process][place.position]; }

  Definitions definitions_;
  std::vector<Event> events_;  ///< sorted by recorded time
  std::vector<Place> places_;  ///< of each event
  std::vector<Message> messages_;
  Times recorded_;
  Times truth_;
};

}  // namespace clc::comparison
