// A program that repeats its communication, as traces of real ones do, with clocks that are wrong, and records that are
// lost. True times are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"

namespace clc::test {

struct RegularProgram {
  Definitions definitions;
  std::vector<Event> events;         ///< sorted by recorded time
  std::vector<std::size_t> partner;  ///< by event: its send or receive; own index: it has none
};

struct RegularOptions {
  bool steps = false;   ///< clocks are set now and then
  bool ticks = false;   ///< clocks are coarse
  bool slews = false;   ///< clocks are slewed by up to 500 ppm, as by NTP
  bool pauses = false;  ///< processes wait for a processor now and then, for up to some thousand periods
  bool pairs = false;   ///< two processes each share a clock
};

/// Of programs for which it does not matter, in ticks.
inline constexpr Ticks usual_min_delay = 5;

/// min_delay: of its messages, in ticks.
[[nodiscard]] RegularProgram regular_program(std::uint64_t seed, Ticks min_delay, const RegularOptions& options);

/// Messages between any two processes, few on each channel, of clocks that are set by more than the time between them.
[[nodiscard]] RegularProgram scattered_program(std::uint64_t seed, Ticks min_delay);

/// What is lost of a program: which events. Depends on the seed.
[[nodiscard]] std::vector<bool> lose_records(std::uint64_t seed, const RegularProgram& program);

/// Events without those.
[[nodiscard]] std::vector<Event> without(const std::vector<Event>& events, const std::vector<bool>& lost);

}  // namespace clc::test
