// How far clocks are from true time, apart from what they have in common: the zero and the rate of the common time are
// arbitrary, so the straight line that fits the deviations of all events best is removed.
//
// Method   Least squares by running sums. The largest residual is that of a vertex of the convex hull of all
//          deviations, above or below, whatever the line is.
// Memory   The vertices of the hulls.
// Cost     O(1) for most events: those inside the hulls.
// Units    Ticks.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/time.hpp"

namespace clc::check {

class OffsetErrors {
 public:
  /// An event at a true time, and its time on the clock to be judged.
  void add(Time truth, Time time);
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] double rms() const noexcept;
  [[nodiscard]] double largest() const noexcept;

 private:
  struct Point {
    double time;
    double deviation;
  };
  /// Vertices of the upper hull, by time.
  class Hull {
   public:
    void add(const Point& point);
    [[nodiscard]] const std::vector<Point>& vertices() const noexcept { return vertices_; }

   private:
    std::vector<Point> vertices_;
  };
  [[nodiscard]] double slope() const noexcept;

  std::uint64_t count_ = 0;
  Time first_;       ///< true time of the first event
  Ticks deviation_;  ///< its deviation
  double mean_time_ = 0;
  double mean_deviation_ = 0;
  double tt_ = 0;  ///< sums of products of the distances from the means
  double td_ = 0;
  double dd_ = 0;
  Hull above_;
  Hull below_;  ///< of the negative deviations
};

}  // namespace clc::check
