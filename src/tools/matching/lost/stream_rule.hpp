// Which ends of messages are alone, by the rule of clc-filter --match resync: one end after the other, in the order of
// their times.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter: all ends are at hand, so that
//          nothing is held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching/lost/message_ends.hpp"
#include "matching/lost/other_channels.hpp"
#include "matching/lost/waiting_ends.hpp"

namespace clc::matching {

class StreamRule {
 public:
  /// ends: sorted by time. min_delay: the usual one; both in ticks. processes: that are defined.
  StreamRule(const MessageEnds& ends, Ticks min_delay, Ticks wait_limit, std::uint64_t processes);

  /// The ends that are alone, one by one as that is found. judges: matches, where delays tell; else first in, first
  /// out.
  [[nodiscard]] std::vector<std::uint32_t> find(bool judges);

 private:
  void put(std::uint32_t e);
  void read(std::uint32_t e);
  [[nodiscard]] bool can_be_judged(const WaitingEnds& channel, const MessageEnds::End& end) const;
  [[nodiscard]] Doubt doubt(const WaitingEnds& channel, const MessageEnds::End& end) const;
  [[nodiscard]] DoubtfulMatch match_in_doubt(const MessageEnds::End& end, Doubt why) const;
  /// How many ends have lost their others; 0: the match holds.
  [[nodiscard]] std::size_t lone_ends(std::uint32_t e, DoubtfulMatch match);

  const MessageEnds& ends_;
  FloorRule rule_;
  Ticks wait_limit_;
  std::uint64_t most_held_;
  std::vector<WaitingEnds> channels_;
  std::uint64_t looks_ = 0;
  std::size_t gaps_ = 0;  // of all channels
  std::vector<std::uint32_t> alone_;
};

}  // namespace clc::matching
