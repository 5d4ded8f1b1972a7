// Independent pieces of work in several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "threads/worker.hpp"

namespace clc::formats {

/// Calls work(0) to work(count - 1), each once, in up to `threads` threads, of which the caller's is one; returns when
/// all have ended. work must not throw, and calls may run at the same time and in any order.
template <class Work>
void in_threads(std::size_t count, unsigned threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<Worker> others(std::max<std::size_t>(1, std::min<std::size_t>(threads, count)) - 1);
  for (Worker& other : others)
    if (!other.start(run)) break;
  run();
  for (Worker& other : others) other.join();
}

}  // namespace clc::formats
