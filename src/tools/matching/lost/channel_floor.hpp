// The floor of a channel: the delay that its messages come back to again and again.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
#pragma once

#include <algorithm>
#include <cstdint>

#include "clc/time.hpp"
#include "matching/lost/clock_steps.hpp"

namespace clc::matching {

struct ChannelFloor {
  bool known = false;
  Ticks delay = 0;
  Time hit;       ///< the last one
  Time since;     ///< hit within three gaps, again and again
  Ticks gap = 0;  ///< in 16 ticks
  int run = 0;    ///< matches in a row above; below: negative
  std::uint64_t hits = 0;

  void begin(Ticks at, Time now);
  [[nodiscard]] Ticks usual_gap() const noexcept { return 16 * gap; }
  /// When a match at the floor was complete, on the clock of the sender or receiver.
  [[nodiscard]] Time own(Time time, bool of_sender) const noexcept {
    return time - std::max<Ticks>(0, of_sender ? delay : -delay);
  }
  [[nodiscard]] bool is_well_known() const noexcept { return hits >= 3; }
  [[nodiscard]] bool is_soon(Ticks since_hit) const noexcept { return since_hit <= 3 * usual_gap(); }
};

/// Why a match may be wrong.
enum class Doubt : std::uint8_t { none, first, early, below, above };

class FloorRule {
 public:
  /// min_delay: the usual one.
  explicit FloorRule(Ticks min_delay) : margin_(4 * std::min(min_delay, ticks_max / 64)) {}

  [[nodiscard]] Ticks around(const ChannelFloor& floor, Time now) const;
  [[nodiscard]] bool is_at(const ChannelFloor& floor, Ticks delay, Time now) const;
  [[nodiscard]] bool is_trusted(const ChannelFloor& floor) const;
  [[nodiscard]] Doubt doubt(const ChannelFloor& floor, Ticks delay, Time now) const;
  /// A match that holds.
  void learn(ChannelFloor& floor, Ticks delay, Time now) const;

 private:
  [[nodiscard]] Ticks tolerance(const ChannelFloor& floor) const;

  Ticks margin_;
};

}  // namespace clc::matching
