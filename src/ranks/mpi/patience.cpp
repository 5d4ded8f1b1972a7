#include "ranks/mpi/patience.hpp"

#include <chrono>
#include <thread>

namespace clc::ranks {

namespace {

constexpr unsigned yields = 20;
constexpr std::chrono::microseconds rest(50);
constexpr std::chrono::microseconds long_yield(500);
constexpr unsigned waits_asleep = 64;

}  // namespace

void Patience::pause(unsigned nth) {
  using Clock = std::chrono::steady_clock;
  if (waits_asleep_ > 0 || nth >= yields) {
    std::this_thread::sleep_for(rest);
    return;
  }
  const Clock::time_point before = Clock::now();
  std::this_thread::yield();
  if (Clock::now() - before > long_yield) waits_asleep_ = waits_asleep;
}

void Patience::finish(MPI_Request request) {
  for (unsigned nth = 0;; ++nth) {
    int over = 0;
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    if (over != 0) break;
    pause(nth);
  }
  end();
}

}  // namespace clc::ranks
