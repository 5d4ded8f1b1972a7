// How many events, messages and operations there are in the part that is shown: of all processes, and of each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "matching/violations.hpp"
#include "view/model/edges_drawn.hpp"
#include "view/model/histogram.hpp"

namespace clc::view {

struct Counts {
  std::uint64_t events = 0;
  std::uint64_t operations = 0;
  Both<matching::EdgeFigures> messages;     ///< between clocks
  Both<matching::EdgeFigures> collectives;  ///< pairs of begin and end
  Both<double> delay_sums{};                ///< of these messages, ticks
  Both<SignedHistogram> delays;             ///< of these messages
  /// Of which a part is shown and a part is not; these are in no other figure.
  std::uint64_t crossing_messages = 0;
  std::uint64_t crossing_operations = 0;

  /// Both ends are shown.
  void message(const Arrow& arrow, const matching::Edge& edge, bool within_clock) {
    if (within_clock) return;
    for (const Column side : sides) {
      const auto delay = static_cast<double>(arrow.delay(side));
      delays[side].add(delay);
      messages[side].add(edge, side);
      delay_sums[side] += delay;
    }
  }
  /// Of messages, ticks.
  [[nodiscard]] double mean_delay(Column side) const noexcept {
    return messages[side].edges == 0 ? 0 : delay_sums[side] / static_cast<double>(messages[side].edges);
  }
};

/// What tables say of a process.
struct ProcessFigures {
  std::uint64_t events = 0;
  Ticks first = 0;  ///< correction of its first event
  Ticks last = 0;
  Ticks largest = 0;  ///< the furthest from 0
  std::uint64_t received = 0;
  Both<std::uint64_t> violated{};  ///< of these, in less than the minimum delay
  Ticks behind = 0;  ///< its clock was at least so far behind that of a sender: the largest mu - delay, as recorded

  void event(Ticks shift) noexcept {
    if (events++ == 0) first = shift;
    last = shift;
    if (size_of(shift) > size_of(largest)) largest = shift;
  }
  void receive(const Arrow& arrow) noexcept {
    ++received;
    behind = std::max(behind, subtract_saturating(0, arrow.margin(recorded)));
    for (const Column side : sides) violated[side] += arrow.margin(side) < 0;
  }
};

}  // namespace clc::view
