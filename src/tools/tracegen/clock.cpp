#include "clock.hpp"

#include <algorithm>

namespace clc::tracegen {

Clock::Clock(const ClockErrors& errors, const ClockPlan& plan, Resolution resolution, Ticks duration,
             std::uint64_t seed, std::uint64_t process)
    : random_(seed, process) {
  const auto per_second = static_cast<double>(resolution.per_second());
  const double per_microsecond = per_second / 1e6;
  const auto interval = [&](double seconds) { return std::max<Ticks>(1, resolution.ticks_of_seconds(seconds)); };
  const auto periodic = [&](double seconds, double phase, double microseconds) {
    const Ticks ticks = interval(seconds);
    return Periodic{ticks, static_cast<Ticks>(phase * static_cast<double>(ticks)), microseconds * per_microsecond};
  };

  // Drawn in a fixed order, whether used or not: switching one error on leaves the others as they were.
  const double offset = random_.symmetric();
  const double drift = random_.symmetric();
  const double temperature_phase = random_.uniform();
  const double tick_phase = random_.uniform();
  const double resync_phase = random_.uniform();
  const double ntp_phase = random_.uniform();

  offset_ = plan.offset_ticks + offset * errors.offset_us * per_microsecond;
  drift_ = plan.rate + drift * errors.drift_ppm * 1e-6;
  shown_.may_fall = errors.set_back;

  if (errors.tick_us > 0) {
    tick_ = std::max<Ticks>(1, resolution.ticks_of_microseconds(errors.tick_us));
    tick_phase_ = plan.tick_phase.value_or(static_cast<Ticks>(tick_phase * static_cast<double>(tick_)));
  }
  if (errors.wander_ppm > 0 || (errors.temperature_ppm > 0 && errors.temperature_period_s > 0)) {
    double seconds = std::max(0.01, static_cast<double>(duration) / per_second / 1e5);
    if (errors.temperature_ppm > 0) {
      seconds = std::min(seconds, errors.temperature_period_s / 256);
      temperature_ = errors.temperature_ppm * 1e-6;
      temperature_turns_ = temperature_phase;
      temperature_turns_per_tick_ = 1 / (errors.temperature_period_s * per_second);
    }
    frequency_ = {interval(seconds), 0};
    // The variance of a random walk grows with the number of its steps: sqrt by Newton, the same everywhere.
    const double share = static_cast<double>(frequency_.interval) / per_second;
    double root = share > 1 ? share : 1;
    for (int i = 0; i < 64; ++i) root = 0.5 * (root + share / root);
    frequency_.size = errors.wander_ppm * 1e-6 * root;
  }
  if (errors.steps > 0) {
    Random times(seed ^ 0x5354'4550, process);
    steps_.reserve(errors.steps);
    for (std::uint64_t i = 0; i < errors.steps; ++i)
      steps_.push_back(static_cast<Ticks>(times.uniform() * static_cast<double>(duration)));
    std::sort(steps_.begin(), steps_.end(), std::greater<>());
    step_ = errors.step_us * per_microsecond;
  }
  if (errors.resync_period_s > 0) {
    resync_ = periodic(errors.resync_period_s, resync_phase, errors.resync_us);
  }
  if (errors.ntp_period_s > 0) {
    ntp_ = periodic(errors.ntp_period_s, ntp_phase, errors.ntp_us);
  }
  change();
}

void Clock::advance(Ticks t) noexcept {
  while (t >= segment_end_) {
    offset_ += rate_ * static_cast<double>(segment_end_ - segment_start_);
    segment_start_ = segment_end_;
    change();
  }
}

/// Applies what happens at segment_start_ and finds the end of the segment that begins there.
void Clock::change() noexcept {
  const Ticks now = segment_start_;
  while (!steps_.empty() && steps_.back() <= now) {
    offset_ += random_.symmetric() * step_;
    steps_.pop_back();
  }
  if (resync_.is_due(now)) {
    offset_ = random_.symmetric() * resync_.size;
    resync_.pass();
  }
  if (ntp_.is_due(now)) {
    const double measured = offset_ + random_.symmetric() * ntp_.size;
    slew_ = std::clamp(-measured / static_cast<double>(ntp_.interval), -slew_limit, slew_limit);
    ntp_.pass();
  }
  if (frequency_.is_due(now)) {
    walk_ += random_.normal() * frequency_.size;
    frequency_.pass();
  }
  rate_ = drift_ + walk_ + slew_;
  if (temperature_ > 0) {
    const double middle = static_cast<double>(now) + 0.5 * static_cast<double>(frequency_.interval);
    rate_ += temperature_ * Random::sine(temperature_turns_ + middle * temperature_turns_per_tick_);
  }
  // Beyond these the clock is useless anyway; sums stay within 64 bits.
  rate_ = std::clamp(rate_, -1.0, 1.0);
  offset_ = std::clamp(offset_, -2e18, 2e18);
  segment_end_ = std::min({frequency_.next, resync_.next, ntp_.next, steps_.empty() ? ticks_max : steps_.back()});
  segment_end_ = std::max(segment_end_, now + 1);
}

}  // namespace clc::tracegen
