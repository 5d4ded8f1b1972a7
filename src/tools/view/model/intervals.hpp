// Changes of the lengths of intervals between successive events of a process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "view/model/edges_drawn.hpp"
#include "view/model/histogram.hpp"

namespace clc::view {

struct Intervals {
  std::uint64_t exact = 0;
  std::uint64_t changed = 0;
  std::uint64_t widened = 0;  ///< recorded length 0: no relative error
  double sum = 0;             ///< of relative errors
  double largest = 0;
  Ticks largest_change = 0;
  Histogram errors;  ///< relative, of the changed ones
  Both<Histogram> lengths;

  /// The times of two successive events.
  void add(const Both<Time>& from, const Both<Time>& to) {
    const Ticks before = to[recorded] - from[recorded];
    const Ticks after = to[corrected] - from[corrected];
    if (before > 0) lengths[recorded].add(static_cast<double>(before));
    if (after > 0) lengths[corrected].add(static_cast<double>(after));
    const Ticks change = subtract_saturating(after, before);
    if (change == 0) {
      ++exact;
      return;
    }
    largest_change = std::max(largest_change, size_of(change));
    if (before <= 0) {
      ++widened;
      return;
    }
    const double error = std::abs(static_cast<double>(change)) / static_cast<double>(before);
    ++changed;
    sum += error;
    largest = std::max(largest, error);
    errors.add(error);
  }
};

}  // namespace clc::view
