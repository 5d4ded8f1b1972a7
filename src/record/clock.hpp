// Time stamps of the recorder: the processor's counter where it is constant and synchronous, else the system's clock.
//
// Units    Stamps are counts; nanoseconds() turns them into times of this process' clock, in ns.
// Error    The frequency is calibrated by two readings of both clocks [T eq. 1]; its relative error is at most
//          q = t_get / (t2 - t1), with t_get the uncertainty of both pairs of readings [T eq. 2-4], see frequency.
// Cost     now(): one instruction for the counter, some 25 ns for the system's clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "record/evaluation.hpp"

namespace clc::record {

class Clock {
 public:
  /// counter: use it if the processor's is fit for it. Takes 20 ms for the counter.
  void start(bool counter) noexcept;

  [[nodiscard]] std::uint64_t now() const noexcept { return counter_ ? read_counter() : system_now(); }
  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t stamp) const noexcept {
    if (!counter_) return static_cast<std::int64_t>(stamp);
    const auto since = static_cast<std::int64_t>(stamp - base_stamp_);
    return base_time_ + static_cast<std::int64_t>((static_cast<Wide>(since) * static_cast<Wide>(per_count_)) >> 32);
  }

  /// Calibrates anew over the time since start, for the report only: times stay on one scale.
  void refine() noexcept;

  [[nodiscard]] bool uses_counter() const noexcept { return counter_; }
  [[nodiscard]] double megahertz() const noexcept { return frequency_.megahertz; }
  [[nodiscard]] double relative_error() const noexcept { return frequency_.error; }
  [[nodiscard]] double refined_megahertz() const noexcept { return refined_.megahertz; }
  [[nodiscard]] double refined_error() const noexcept { return refined_.error; }

  /// Is there a counter that runs at one rate on all cores, also while they sleep?
  [[nodiscard]] static bool counter_is_fit() noexcept;
  [[nodiscard]] static std::uint64_t system_now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
  }
  /// 0 where there is none.
  [[nodiscard]] static std::uint64_t read_counter() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t count = 0;  // isb: not read ahead of the instructions before
    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
  }

 private:
  __extension__ using Wide = __int128;
  [[nodiscard]] static Reading read_both() noexcept;

  bool counter_ = false;
  std::uint64_t base_stamp_ = 0;
  std::int64_t base_time_ = 0;
  std::uint64_t per_count_ = 0;  ///< ns per count, times 2^32
  Frequency frequency_;
  Frequency refined_;
  Reading first_;
};

/// What `read` costs, in counts of `now`: the fastest of some rounds.
template <class Now, class Read>
double cost_of_reading(Now now, Read read) noexcept {
  constexpr int rounds = 20;
  constexpr int readings = 500;
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t before = now();
    for (int j = 0; j < readings; ++j) {
      const std::uint64_t value = read();
      asm volatile("" ::"r"(value));
    }
    least = std::min(least, now() - before);
  }
  return static_cast<double>(least) / readings;
}

}  // namespace clc::record
