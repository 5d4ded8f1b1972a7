#include "sync/means.hpp"

namespace clc::sync {

Means::Means(const Fit& fit) : fit_(fit) {
  const Groups& groups = fit.observed.groups();
  const Zeros& zeros = fit.data.zeros;
  for (const ClockIndex first : groups.first) means_.push_back({zeros.zero(first)});
  for (ClockIndex clock = 0; clock < fit.data.seen.in_trace; ++clock) {
    const std::uint32_t group = groups.of[clock];
    if (group == Groups::none) continue;
    Mean& mean = means_[group];
    const std::uint32_t size = groups.size[group];
    // Zeros may be years apart, which doubles have to the microsecond.
    const Ticks zero = zeros.zero(clock) - zeros.zero(groups.first[group]);
    mean.zero = mean.zero + zero / size;
    mean.fraction += static_cast<double>(zero % size) / size;
    if (is_published(fit.data.options.method)) continue;  // relative to what the method chooses
    // x(M), where x(c) = a + b c and M = c - x(c).
    const Curve& curve = fit.curves[clock];
    mean.offset += curve.offset / (1 - curve.rate) / size;
    mean.rate += curve.rate / (1 - curve.rate) / size;
  }
}

Time Means::zero(ClockIndex clock) const {
  const std::uint32_t group = fit_.observed.groups().of[clock];
  return group == Groups::none ? fit_.data.zeros.zero(clock) : means_[group].zero;
}

double Means::ahead(ClockIndex clock, double time) const {
  const Mean& mean = means_[fit_.observed.groups().of[clock]];
  const Ticks zero = fit_.data.zeros.zero(clock) - mean.zero;
  const double ahead = fit_.offset(clock, time);
  return fit_.data.resolution.seconds(static_cast<double>(zero) - mean.fraction) + ahead -
         (mean.offset + mean.rate * (time - ahead));
}

}  // namespace clc::sync
