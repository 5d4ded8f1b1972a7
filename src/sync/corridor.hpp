// The straight lines that the messages between two clocks permit.
//
// Method   A line of C_high - C_low over time lies below all delays of low -> high and above all negative delays of
//          high -> low. Of these lines the steepest and the flattest touch a vertex of either convex hull; their middle
//          is the estimate, and they bound all others before the first and after the last message [Duda et al. 1987].
// Units    Seconds. The time of a message is the middle of its two times.
// Cost     O(points) for the hulls of sorted points, O(vertices^2) for the lines.
#pragma once

#include <vector>

#include "sync/curve.hpp"

namespace clc::sync {

struct Line {
  double offset = 0;
  double rate = 0;
  [[nodiscard]] double at(double time) const noexcept { return offset + rate * time; }
};

struct Corridor {
  ClockIndex low = 0;
  ClockIndex high = 0;
  bool known = false;     ///< there are messages in both directions, enough to bound the slope on both sides
  bool possible = false;  ///< and a line lies between them
  Line steepest;
  Line flattest;

  [[nodiscard]] Line middle() const noexcept {
    return {(steepest.offset + flattest.offset) / 2, (steepest.rate + flattest.rate) / 2};
  }
};

/// First and last time of any message.
struct Span {
  double begin = 0;
  double end = 0;
};
[[nodiscard]] Span span_of(const std::vector<Series>& series) noexcept;

/// One for each unordered pair with messages in both directions, by low and high.
[[nodiscard]] std::vector<Corridor> corridors_of(const std::vector<Series>& series);

}  // namespace clc::sync
