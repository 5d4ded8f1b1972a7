// Corrections: by how much events were moved, over corrected time, a row for each process.
//
// Units    Ticks, corrected - recorded; below 0 where clocks were mapped before the correction, or it ran backwards.
// Memory   At most so many cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "view/model/edges_drawn.hpp"
#include "view/model/time_grid.hpp"

namespace clc::view {

/// The smallest, the largest and the last of some values.
struct Extent {
  Ticks lowest = ticks_max;
  Ticks highest = ticks_min;
  Ticks last = 0;
  void add(Ticks value) noexcept {
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
    last = value;
  }
  /// later: what comes after this.
  void merge(const Extent& later) noexcept {
    if (!later.any()) return;
    lowest = std::min(lowest, later.lowest);
    highest = std::max(highest, later.highest);
    last = later.last;
  }
  [[nodiscard]] bool any() const noexcept { return lowest <= highest; }
};

class Corrections {
 public:
  static constexpr std::size_t columns = 256;
  static constexpr std::size_t most_cells = std::size_t{1} << 21U;

  void add(ProcessIndex process, Time time, Ticks shift) {
    grid_.at(process, time).add(shift);
    moved_ += shift != 0;
    any_earlier_ = any_earlier_ || shift < 0;
    if (size_of(shift) > size_of(largest_)) {
      largest_ = shift;
      most_corrected_ = process;
    }
  }

  [[nodiscard]] const TimeGrid<Extent>& grid() const noexcept { return grid_; }
  /// How many events were moved.
  [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }
  /// The furthest from 0.
  [[nodiscard]] Ticks largest() const noexcept { return largest_; }
  /// Whether events became earlier.
  [[nodiscard]] bool any_earlier() const noexcept { return any_earlier_; }
  [[nodiscard]] ProcessIndex most_corrected() const noexcept { return most_corrected_; }

 private:
  TimeGrid<Extent> grid_{TimeGrid<Extent>::MostCells{most_cells}, columns};
  std::uint64_t moved_ = 0;
  Ticks largest_ = 0;
  bool any_earlier_ = false;
  ProcessIndex most_corrected_ = no_process;
};

}  // namespace clc::view
