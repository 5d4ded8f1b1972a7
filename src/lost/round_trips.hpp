// Lost records: channels whose matches contradict the messages the other way.
//
//     RoundTrips(matches, steps, turns).match_again();   // all channels are matched
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: no round trip takes less than no time, where clocks were
//           never set.
// Cost      Each time that channels between two processes are matched again: proportional to the ends of all of these,
//           times the logarithm of their number; most_looks_in(ends) of these ends in all. Memory: up to 100
//           bytes for each end between two processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "clc/time.hpp"
#include "lost/matches.hpp"
#include "lost/order.hpp"
#include "lost/steps.hpp"
#include "lost/together.hpp"
#include "lost/turns.hpp"

namespace clc::lost {

class RoundTrips {
 public:
  /// Keeps references.
  RoundTrips(Matches& matches, const Steps& steps, const Turns& turns)
      : matches_(matches), steps_(steps), turns_(turns), most_looks_(most_looks_in(matches.ends())) {}

  /// Channels that lack ends, each once at most; of two processes those first which then cost least more.
  void match_again();

 private:
  /// A message the other way: what the process whose side has fewer ends has of it, and the time of its other end.
  struct Trip {
    std::uint32_t place;
    Time own;
    Time other;
  };
  /// By the sender, and whether they tell of sends that its receiver sent, else of receives. In order of places.
  using Directions = std::map<std::pair<ProcessIndex, bool>, std::vector<Trip>>;
  /// What goes both ways between two processes whose clocks were never set.
  struct Between {
    std::vector<std::uint32_t> channels;
    std::vector<std::uint32_t> open;  // those that lack ends, but not all, and were not matched again
    std::size_t ends = 0;
  };

  void match_again(Between& between);
  [[nodiscard]] std::optional<View> matched_again(std::uint32_t channel, const std::vector<Trip>& trips) const;
  [[nodiscard]] Directions trips(const Between& between) const;

  Matches& matches_;
  const Steps& steps_;
  const Turns& turns_;
  std::size_t most_looks_;  // at ends
  std::size_t looks_ = 0;
};

}  // namespace clc::lost
