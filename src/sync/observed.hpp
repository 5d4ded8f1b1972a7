// What a fit observes: windows over the data, the smallest delays in them, and what these say of pairs of clocks.
//
// Place    Between the data and the fit, which takes all of it again after each improvement of the curves.
// Units    Seconds.
// Cost     O(points) each time.
#pragma once

#include <memory>
#include <vector>

#include "sync/data.hpp"
#include "sync/groups.hpp"
#include "sync/wrong_pairs.hpp"

namespace clc::sync {

class Observed {
 public:
  /// data: must outlive this. fineness: windows, as a multiple of their usual number.
  Observed(const Data& data, double fineness) : data_(data), fineness_(fineness), seen_(&data.seen) {}

  /// Takes windows and all that is observed in them. first: the curves are not known yet.
  void take(const std::vector<Curve>& curves, const Windows& grid, bool first);
  /// The smallest delays of messages, then those of round trips, in these windows.
  [[nodiscard]] std::vector<Direction> minima(const std::vector<Curve>& curves, const Windows& grid) const;
  /// Forgets the smallest delays, until all is taken again: they need much memory.
  void forget_minima() { directions_ = {}; }
  /// Adapts the constant errors of pairs to what messages alone show.
  void scale_biases();
  /// Forgets what was seen after a mapped time.
  void cut(double time, const std::vector<Curve>& curves, const Windows& grid);
  /// Forgets the messages of these pairs.
  void leave_out(const WrongPairs& wrong);

  /// The data that are left.
  [[nodiscard]] const Seen& seen() const noexcept { return *seen_; }
  /// Messages and collective operations.
  [[nodiscard]] const std::vector<Series>& series() const noexcept {
    return with_meetings_.empty() ? seen_->series : with_meetings_;
  }
  /// Also those beyond a step.
  [[nodiscard]] const std::vector<Series>& uncut() const noexcept { return uncut_.empty() ? series() : uncut_; }
  [[nodiscard]] std::size_t window_count() const noexcept;
  [[nodiscard]] const Windows& windows() const noexcept { return windows_; }
  [[nodiscard]] const std::vector<Direction>& directions() const noexcept { return directions_; }  ///< of messages
  [[nodiscard]] const std::vector<Pair>& pairs() const noexcept { return pairs_; }
  [[nodiscard]] const Groups& groups() const noexcept { return groups_; }

 private:
  /// The data, to be changed.
  [[nodiscard]] Seen& copy();

  const Data& data_;
  double fineness_;
  const Seen* seen_;
  std::unique_ptr<Seen> cut_;          ///< what is left of it; null: all
  std::vector<Series> with_meetings_;  ///< those of seen_ and of its collective operations; empty: it has none
  std::vector<Series> uncut_;          ///< also what lies beyond a step; empty: nothing does
  Windows windows_;
  std::vector<Direction> directions_;
  std::vector<Pair> pairs_;
  Groups groups_;
};

/// Of a clock.
[[nodiscard]] std::size_t most_offsets(const Seen& seen);

}  // namespace clc::sync
