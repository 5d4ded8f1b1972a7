#include "record/clock.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace clc::record {

bool Clock::counter_is_fit() noexcept {
#if defined(__aarch64__)
  return true;  // the architecture demands it
#elif defined(__x86_64__)
  std::FILE* const file = std::fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return false;
  char line[8192];
  bool fit = false;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, "flags", 5) != 0) continue;
    fit = std::strstr(line, " constant_tsc") != nullptr && std::strstr(line, " nonstop_tsc") != nullptr;
    break;
  }
  std::fclose(file);
  return fit;
#else
  return false;
#endif
}

Reading Clock::read_both() noexcept {
  constexpr int attempts = 64;
  Reading best;
  for (int i = 0; i < attempts; ++i) {
    const std::uint64_t before = system_now();
    const std::uint64_t count = read_counter();
    const std::uint64_t after = system_now();
    if (i == 0 || after - before < best.doubt) best = {count, before + (after - before) / 2, after - before};
  }
  return best;
}

void Clock::start(bool counter) noexcept {
  constexpr useconds_t calibration = 20'000;
  counter_ = counter && counter_is_fit();
  if (!counter_) return;
  first_ = read_both();
  ::usleep(calibration);
  const Reading last = read_both();
  frequency_ = frequency(first_, last);
  base_stamp_ = first_.count;
  base_time_ = static_cast<std::int64_t>(first_.time);
  per_count_ = static_cast<std::uint64_t>(1000.0 / frequency_.megahertz * 4294967296.0);
}

void Clock::refine() noexcept {
  if (counter_) refined_ = frequency(first_, read_both());
}

}  // namespace clc::record
