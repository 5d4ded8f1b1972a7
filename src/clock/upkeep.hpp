// Upkeep: all that is done every few thousand events. What is final leaves, tables are tidied, memory is kept within
// its limit.
//
// Place     The loop counts the events that it reads and calls `release` when it is due.
// Cost      O(clocks + waiting events + members of open collective operations), which decide how seldom it is due.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/process_queue.hpp"
#include "clock/reader.hpp"

namespace clc {

class Upkeep {
 public:
  /// limit: Parameters::max_memory. Keeps a reference to reader.
  Upkeep(std::uint64_t limit, Reader& reader) : reader_(reader), memory_limit_(limit), max_memory_(limit) {}

  // ---- when -----------------------------------------------------------------------------------
  [[nodiscard]] bool is_due() const noexcept { return until_release_ == 0; }
  /// Counts as many of those events as may be read before a release.
  [[gnu::always_inline]] std::size_t count(std::size_t events) noexcept {
    const auto counted = static_cast<std::size_t>(std::min<std::uint64_t>(events, until_release_));
    until_release_ -= counted;
    return counted;
  }
  /// They were counted and are not read yet.
  void count_back(std::size_t events) noexcept { until_release_ += events; }
  /// An event that takes so many bytes takes much memory: by its body, or by the collective operation that it opened.
  [[nodiscard]] static bool is_large(std::uint64_t bytes) noexcept { return bytes > usual_body; }
  /// Memory is looked at in releases, so what is large counts for several events. Returns how many of the `counted`
  /// ones that follow it stands for.
  [[gnu::noinline]] std::uint64_t count_large(std::uint64_t bytes, std::uint64_t counted) noexcept;

  // ---- what -----------------------------------------------------------------------------------
  void release() {
    release(false);
    plan();
  }
  /// An event was read, or a line: releases if that is due.
  void after(std::size_t body);
  /// Releases while the input pauses; it changes neither when this is done for records nor what is given up for memory,
  /// so that the result does not depend on pauses.
  void release_in_pause();
  /// No event is still to come.
  void release_all() { release(true); }

  /// Of events, bytes.
  [[nodiscard]] std::uint64_t max_memory() const noexcept { return max_memory_; }
  [[nodiscard]] std::uint64_t definition_memory() const noexcept;

 private:
  static constexpr std::size_t usual_body = 512;  // bytes

  void release(bool all);
  void plan();
  void find_stuck();
  void tidy_messages(bool hurry);
  void save_memory();

  Reader& reader_;
  std::uint64_t memory_limit_;       // of definitions and events
  std::uint64_t max_memory_;         // of events: what definitions leave, at least Parameters::least_memory
  std::uint64_t until_release_ = 1;  // events, large ones count more
  std::uint64_t rounds_ = 0;
  std::uint64_t waiting_ = 0;      // events that wait to be processed, at the last release
  std::vector<EventIndex> stuck_;  // by clock: oldest tail with a head that was read and is not processed
};

}  // namespace clc
