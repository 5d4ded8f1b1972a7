// Sums over time and processes in a table of fixed size: rows of processes, columns of time.
//
// Use      Add to the cell grid.at(process, time). The length of the trace and the number of processes need not be
//          known: when a time or a process does not fit, neighbouring columns or rows are merged.
// Cell     Default-constructed: empty. merge(other) adds the other cell.
// Units    A column is 2^k ticks wide and begins at a multiple of that.
// Memory   rows x columns cells, whatever is added. With a limit of cells and any number of rows, columns are halved
//          where rows would make them too many.
// Cost     O(1) for times that grow, amortized; times that come out of order may move the table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "clc/time.hpp"

namespace clc::view {

template <class Cell>
class TimeGrid {
 public:
  TimeGrid(std::size_t rows, std::size_t columns) : max_rows_(rows), max_columns_(columns) {}
  /// A row for each process, and at most so many cells unless that leaves fewer than 16 columns.
  struct MostCells {
    std::size_t cells;
  };
  TimeGrid(MostCells most, std::size_t columns)
      : max_rows_(static_cast<std::size_t>(-1)), max_columns_(columns), max_cells_(most.cells) {}

  Cell& at(std::size_t item, Time time) {
    cover(item);
    cover(time);
    return cells_[item / group_ * max_columns_ + column_of(time)];
  }

  /// Calls add(cell, ticks) for each cell of a process that the span from..to touches, with the ticks in it.
  template <class Add>
  void spread(std::size_t item, Time from, Time to, Add add) {
    if (to <= from) return;
    cover(item);
    cover(from);
    cover(to + Ticks{-1});
    Cell* const row = &cells_[item / group_ * max_columns_];
    const std::size_t last = column_of(to + Ticks{-1});
    for (std::size_t column = column_of(from); column <= last; ++column) {
      const Time begin = std::max(from, column_start(column));
      const Time end = column == last ? to : column_start(column + 1);
      add(row[column], static_cast<double>(end - begin));
    }
  }

  /// The row of a process is in use from now on, also when nothing is added to it.
  void include(std::size_t item) { cover(item); }

  [[nodiscard]] bool empty() const noexcept { return columns() == 0; }
  /// Rows in use; each stands for group() processes, the last perhaps for fewer.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t group() const noexcept { return group_; }
  [[nodiscard]] std::size_t columns() const noexcept { return used_ ? static_cast<std::size_t>(high_ - low_) + 1 : 0; }
  /// Width of a column in ticks.
  [[nodiscard]] double width() const noexcept {
    double width = 1;
    for (unsigned i = 0; i < shift_; ++i) width *= 2;
    return width;
  }
  /// Begin of the first column in use.
  [[nodiscard]] Time start() const noexcept { return Time(shift_left(low_)); }
  /// column counts from the first one in use.
  [[nodiscard]] const Cell& cell(std::size_t row, std::size_t column) const {
    return cells_[row * max_columns_ + static_cast<std::size_t>(low_ - base_) + column];
  }

 private:
  [[nodiscard]] std::int64_t index(Time time) const noexcept { return time.ticks() >> shift_; }
  [[nodiscard]] std::int64_t shift_left(std::int64_t index) const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(index) << shift_);
  }
  [[nodiscard]] std::size_t column_of(Time time) const noexcept {
    return static_cast<std::size_t>(index(time) - base_);
  }
  [[nodiscard]] Time column_start(std::size_t column) const noexcept {
    return Time(shift_left(base_ + static_cast<std::int64_t>(column)));
  }
  [[nodiscard]] static std::uint64_t span(std::int64_t low, std::int64_t high) noexcept {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  }

  void cover(std::size_t item) {
    while (item / group_ >= max_rows_) join_rows();
    const std::size_t row = item / group_;
    if (row < rows_) [[likely]]
      return;
    while ((row + 1) * max_columns_ > max_cells_ && max_columns_ > least_columns) halve_columns();
    rows_ = row + 1;
    cells_.resize(rows_ * max_columns_);
  }

  void halve_columns() {
    const std::size_t half = max_columns_ / 2;
    while (columns() > half) join_columns();
    if (used_) move_to(low_);
    for (std::size_t row = 1; row < rows_; ++row)
      std::move(cells_.begin() + static_cast<std::ptrdiff_t>(row * max_columns_),
                cells_.begin() + static_cast<std::ptrdiff_t>(row * max_columns_ + half),
                cells_.begin() + static_cast<std::ptrdiff_t>(row * half));
    max_columns_ = half;
    cells_.resize(rows_ * half);
  }

  void join_rows() {
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t column = 0; column < max_columns_; ++column) {
        Cell cell = std::exchange(cells_[row * max_columns_ + column], Cell{});
        cells_[row / 2 * max_columns_ + column].merge(cell);
      }
    rows_ = (rows_ + 1) / 2;
    group_ *= 2;
  }

  void cover(Time time) {
    std::int64_t k = index(time);
    if (!used_) {
      used_ = true;
      low_ = high_ = base_ = k;
      return;
    }
    if (k >= low_ && k <= high_) [[likely]]
      return;
    std::int64_t low = std::min(low_, k);
    std::int64_t high = std::max(high_, k);
    while (span(low, high) >= max_columns_) {
      join_columns();
      k = index(time);
      low = std::min(low_, k);
      high = std::max(high_, k);
    }
    if (low < base_)
      move_to(subtract_saturating(low, static_cast<Ticks>((max_columns_ - 1 - span(low, high)) / 2)));
    else if (span(base_, high) >= max_columns_)
      move_to(low);
    low_ = low;
    high_ = high;
  }

  void join_columns() {
    const std::int64_t base = low_ >> 1;
    for (std::size_t row = 0; row < rows_; ++row) {
      Cell* const cells = &cells_[row * max_columns_];
      const std::size_t count = columns();
      for (std::size_t column = 0; column < count; ++column) {
        const std::int64_t k = low_ + static_cast<std::int64_t>(column);
        Cell cell = std::exchange(cells[k - base_], Cell{});
        cells[(k >> 1) - base].merge(cell);
      }
    }
    ++shift_;
    low_ >>= 1;
    high_ >>= 1;
    base_ = base;
  }

  void move_to(std::int64_t base) {
    for (std::size_t row = 0; row < rows_; ++row) {
      Cell* const cells = &cells_[row * max_columns_];
      std::vector<Cell> kept(std::make_move_iterator(cells + (low_ - base_)),
                             std::make_move_iterator(cells + (high_ - base_) + 1));
      std::fill(cells, cells + max_columns_, Cell{});
      std::move(kept.begin(), kept.end(), cells + (low_ - base));
    }
    base_ = base;
  }

  static constexpr std::size_t least_columns = 16;

  std::size_t max_rows_;
  std::size_t max_columns_;
  std::size_t max_cells_ = static_cast<std::size_t>(-1);
  std::size_t rows_ = 0;
  std::size_t group_ = 1;
  unsigned shift_ = 0;
  bool used_ = false;
  std::int64_t base_ = 0;  // index of column 0 of the table
  std::int64_t low_ = 0;   // first and last index in use
  std::int64_t high_ = 0;
  std::vector<Cell> cells_;
};

}  // namespace clc::view
