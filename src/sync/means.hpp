// The clocks of each group in the mean: the time that mapped times of the group are.
//
// Units    Zeros in ticks, all else in seconds. A time in seconds is from the zero of its clock.
#pragma once

#include <vector>

#include "sync/fit.hpp"

namespace clc::sync {

class Means {
 public:
  /// fit: must outlive this.
  explicit Means(const Fit& fit);
  /// Of mapped times.
  [[nodiscard]] Time zero(ClockIndex clock) const;
  /// How far a clock with a group is ahead of the mean of its group when it shows a time.
  [[nodiscard]] double ahead(ClockIndex clock, double time) const;

 private:
  struct Mean {
    Time zero;
    double fraction = 0;  ///< of a tick
    double offset = 0;    ///< on top of that
    double rate = 0;
  };
  const Fit& fit_;
  std::vector<Mean> means_;  ///< of each group
};

}  // namespace clc::sync
