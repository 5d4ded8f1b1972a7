#include "clock.hpp"

#include <algorithm>

namespace clc::tracegen {

Clock::Clock(const ClockErrors& errors, const ClockPlan& plan, Resolution resolution, Ticks duration,
             std::uint64_t seed, std::uint64_t process)
    : random_(seed, process) {
  const auto per_second = static_cast<double>(resolution.per_second());
  const double per_microsecond = per_second / 1e6;
  const auto interval = [&](double seconds) { return std::max<Ticks>(1, resolution.ticks_of_seconds(seconds)); };

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
    frequency_interval_ = interval(seconds);
    next_frequency_ = 0;
    // The variance of a random walk grows with the number of its steps: sqrt by Newton, the same everywhere.
    const double share = static_cast<double>(frequency_interval_) / per_second;
    double root = share > 1 ? share : 1;
    for (int i = 0; i < 64; ++i) root = 0.5 * (root + share / root);
    wander_per_segment_ = errors.wander_ppm * 1e-6 * root;
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
    resync_interval_ = interval(errors.resync_period_s);
    next_resync_ = static_cast<Ticks>(resync_phase * static_cast<double>(resync_interval_));
    resync_ = errors.resync_us * per_microsecond;
  }
  if (errors.ntp_period_s > 0) {
    ntp_interval_ = interval(errors.ntp_period_s);
    next_ntp_ = static_cast<Ticks>(ntp_phase * static_cast<double>(ntp_interval_));
    ntp_ = errors.ntp_us * per_microsecond;
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
  if (next_resync_ <= now) {
    offset_ = random_.symmetric() * resync_;
    next_resync_ = add_saturating(next_resync_, resync_interval_);
  }
  if (next_ntp_ <= now) {
    const double measured = offset_ + random_.symmetric() * ntp_;
    slew_ = std::clamp(-measured / static_cast<double>(ntp_interval_), -slew_limit, slew_limit);
    next_ntp_ = add_saturating(next_ntp_, ntp_interval_);
  }
  if (next_frequency_ <= now) {
    walk_ += random_.normal() * wander_per_segment_;
    next_frequency_ = add_saturating(next_frequency_, frequency_interval_);
  }
  rate_ = drift_ + walk_ + slew_;
  if (temperature_ > 0) {
    const double middle = static_cast<double>(now) + 0.5 * static_cast<double>(frequency_interval_);
    rate_ += temperature_ * Random::sine(temperature_turns_ + middle * temperature_turns_per_tick_);
  }
  // Beyond these the clock is useless anyway; sums stay within 64 bits.
  rate_ = std::clamp(rate_, -1.0, 1.0);
  offset_ = std::clamp(offset_, -2e18, 2e18);
  segment_end_ = std::min({next_frequency_, next_resync_, next_ntp_, steps_.empty() ? ticks_max : steps_.back()});
  segment_end_ = std::max(segment_end_, now + 1);
}

}  // namespace clc::tracegen
