// The curves of all clocks, fitted to what is observed in windows of one length.
//
// Place    The choice of windows and of measured offsets is made in estimate.cpp; what a fit is worth, by
// judgement.hpp. Steps    Those of estimate.hpp: lines, curves, shifts; or a published method. Units    Seconds. Gauge
// The mean over the clocks of a group is 0, but for published methods.
#pragma once

#include <map>
#include <vector>

#include "sync/observed.hpp"
#include "sync/published.hpp"

namespace clc::sync {

struct Fit {
  /// data: must outlive this. fineness: windows, as a multiple of their usual number.
  Fit(const Data& data, double fineness);

  const Data& data;
  double fineness;
  Observed observed;
  std::vector<Curve> curves;             ///< empty: nothing was seen
  Windows grid;                          ///< of the knots of curves
  double rate_variance = 0;              ///< q, 1/s
  bool rates = false;                    ///< they are significant, or half of the violations remain without them
  std::size_t steps = 0;                 ///< as in Estimate
  std::map<ClockIndex, double> stepped;  ///< on the clock: when it was set first
  Solution published;                    ///< but for its curves; if there is a failure, nothing else counts
  Violations violations;                 ///< of messages, by these curves

  /// Takes all that is observed, by these curves. first: they are not known yet.
  void observe(bool first = false) { observed.take(curves, grid, first); }
  [[nodiscard]] double offset(ClockIndex clock, double time) const noexcept { return curves[clock].at(time, grid); }
  [[nodiscard]] double mapped(ClockIndex clock, double time) const noexcept { return curves[clock].mapped(time, grid); }
  /// Of a point, as recorded or as mapped.
  [[nodiscard]] double delay(ClockIndex from, ClockIndex to, const Point& point, bool mapped) const noexcept;
  /// visit(from, to, delay) of all messages that bind, also beyond a step.
  template <class Visit>
  void for_each_delay(bool mapped, Visit visit) const {
    for (const Series& one : observed.uncut())
      for (const Point& point : one.points) visit(one.from, one.to, delay(one.from, one.to, point, mapped));
  }
};

/// Finds the curves, by the method of the options. Of what was observed, the smallest delays are forgotten.
void find_curves(Fit& fit);

}  // namespace clc::sync
