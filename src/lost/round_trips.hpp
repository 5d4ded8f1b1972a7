// Lost records: channels whose matches contradict the messages the other way.
//
//     RoundTrips(matches, steps, turns).match_again();   // all channels are matched
//
// Rule      clc-algorithm(7), "Lost records", --match whole: no round trip takes less than no time, where clocks were
//           never set.
// Cost      Of two processes, for each channel between them that is matched again: proportional to the ends of all, and
//           for each send to the logarithm of the receives. Memory: 24 bytes for each message the other way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clc/event.hpp"
#include "clc/time.hpp"
#include "lost/matches.hpp"
#include "lost/steps.hpp"
#include "lost/together.hpp"
#include "lost/turns.hpp"

namespace clc::lost {

class RoundTrips {
 public:
  /// Keeps references.
  RoundTrips(Matches& matches, const Steps& steps, const Turns& turns)
      : matches_(matches), steps_(steps), turns_(turns) {}

  /// Channels that lack sends, each once at most; of two processes that first which then costs least more.
  void match_again();

 private:
  using Channels = std::span<const std::uint32_t>;
  struct Message {
    std::uint32_t receive;  // of its process
    Time sent;
    Time received;
  };

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> groups() const;
  void match_again(Channels between);
  [[nodiscard]] std::optional<View> matched_again(std::uint32_t channel, Channels between) const;
  [[nodiscard]] std::vector<Message> messages(ProcessIndex sender, ProcessIndex receiver, Channels between) const;

  Matches& matches_;
  const Steps& steps_;
  const Turns& turns_;
};

}  // namespace clc::lost
