// What the other channels of two processes tell of a match in doubt: do the clocks of both go on after it?
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "matching/lost/doubtful_match.hpp"
#include "matching/lost/message_ends.hpp"
#include "matching/lost/waiting_ends.hpp"

namespace clc::matching {

class OtherChannels {
 public:
  using Channels = std::vector<WaitingEnds>;

  /// channel: of the match in doubt, whose first two times are known.
  OtherChannels(const MessageEnds& ends, const Channels& channels, const FloorRule& rule, std::uint32_t channel,
                const DoubtfulMatch& match);

  /// Does the next end of that channel matter?
  [[nodiscard]] bool look_at(std::uint32_t channel) const { return !clocks_go_on() || is_reverse(channel); }
  void add(const MessageEnds::End& next);
  /// How many ends have lost their others, if the clocks go on; 0: the match holds; none: not known yet.
  [[nodiscard]] std::optional<std::size_t> lone_ends() const;

 private:
  struct Clock {
    ProcessIndex process;
    Time from;  // half a gap after its end of that match
    bool goes_on = false;
  };
  struct Watched {
    ChannelFloor floor;
    Time hit;            // last one
    bool known = false;  // what is matched, and where its floor was
    bool tells = false;
    bool receives = false;
    bool hits = false;             // since the doubt
    std::vector<Ticks> away = {};  // matches since the doubt, less the floor
    std::deque<Time> waiting;
  };

  [[nodiscard]] bool was_steady(std::uint32_t channel) const;
  [[nodiscard]] Watched watch(std::uint32_t channel) const;
  void hit(std::uint32_t channel, Time sent, Time received);
  /// Does it lead from the receiver of the match to its sender?
  [[nodiscard]] bool is_reverse(std::uint32_t channel) const;
  [[nodiscard]] bool round_trip_stays() const;
  [[nodiscard]] bool clocks_go_on() const noexcept { return clocks_[0].goes_on && clocks_[1].goes_on; }

  const MessageEnds& ends_;
  const Channels& channels_;
  const FloorRule& rule_;
  const DoubtfulMatch& match_;
  std::array<Clock, 2> clocks_;               // of the sender and the receiver
  std::map<std::uint32_t, Watched> watched_;  // by channel
};

}  // namespace clc::matching
