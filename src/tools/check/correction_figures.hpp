// The figures of a correction: edges before and after, what it moved, the errors it brought, and how much nearer to the
// truth it is.
//
// Units    Ticks.
// Memory   Constant, but for the hulls of OffsetErrors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "error_figures.hpp"
#include "matching/edges.hpp"
#include "matching/violations.hpp"
#include "offset_errors.hpp"

namespace clc::check {

using namespace matching;  // edges and columns are the words of this room, too

/// The edges of a trace by kind, in one column.
struct EdgesByKind {
  EdgeFigures messages;
  EdgeFigures collectives;
  EdgeFigures
      incomplete;        ///< ordered pairs among the members that finished an operation which others did not; in no law
  EdgeFigures given_up;  ///< beyond the wait limit; in no law

  [[nodiscard]] std::uint64_t sum(std::uint64_t EdgeFigures::*figure) const noexcept {
    return messages.*figure + collectives.*figure + incomplete.*figure + given_up.*figure;
  }
  /// Largest difference of two clocks that edges of a recorded trace show.
  [[nodiscard]] Ticks clock_difference() const noexcept {
    return subtract_saturating(
        0, std::min({messages.smallest_delay, collectives.smallest_delay, given_up.smallest_delay}));
  }
};

/// C' - C where it is largest. If the clock also ran backwards: of the largest magnitude.
struct LargestCorrection {
  Ticks shift = 0;
  Stamp at;
  ProcessIndex process = no_process;

  void add(Ticks size, Ticks its_shift, ProcessIndex its_process, const Stamp& stamp) noexcept {
    if (size <= std::max(shift, subtract_saturating(0, shift))) return;
    *this = {its_shift, stamp, its_process};
  }
};

/// |d corrected - d recorded| / d recorded for the intervals d between successive events of a process.
struct IntervalErrors {
  struct Class {
    std::uint64_t count = 0;
    double sum = 0;
    double largest = 0;
    [[nodiscard]] double average() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }
  };
  static constexpr double small_limit = 1e-3;

  std::uint64_t exact = 0;         ///< 0 %
  Class small;                     ///< up to 0.1 %
  Class large;                     ///< above
  std::uint64_t zero_widened = 0;  ///< recorded length 0, corrected length above 0: no relative error
  ErrorFigures all;                ///< of all but the widened ones
  Stamp largest_at;                ///< the event at the end of the interval with the largest error
  ProcessIndex largest_in = no_process;
  Ticks largest_change = 0;  ///< of a length, ticks
  double lengths = 0;        ///< of all intervals, ticks
  double changes = 0;        ///< by how much these changed, ticks

  [[nodiscard]] std::uint64_t count() const noexcept { return all.count() + zero_widened; }
  /// By how much local time changed, as a share of it.
  [[nodiscard]] double of_local_time() const noexcept { return lengths > 0 ? changes / lengths : 0; }
  void add(Ticks before, Ticks after, ProcessIndex process, const Stamp& stamp);
};

/// Against the truth, before and after; absolute values, ticks.
struct TruthErrors {
  std::array<OffsetErrors, 2> offsets;             ///< of all events; by Column recorded and corrected
  std::array<ErrorFigures, 2> delays;              ///< of messages
  std::array<ErrorFigures, 2> within_nodes;        ///< of those between processes of one node
  std::array<ErrorFigures, 2> between_nodes;       ///< of those between processes of two nodes
  std::array<ErrorFigures, 2> intervals;           ///< between successive events of a process
  std::array<ErrorFigures, 2> relative_intervals;  ///< same, by the true length, where it is above 0
  std::uint64_t faster = 0;                        ///< messages whose true delay is below mu: mu is too large

  void add_event(const Stamp& stamp);
  /// By column.
  void add_interval(const std::array<Ticks, columns>& lengths);
  void add_message(const Message& message, const Edge& edge);
};

}  // namespace clc::check
