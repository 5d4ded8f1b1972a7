// Shifts channels as a whole that may have lost their first ends as well as their last ones, where the offsets of
// clocks round a circle tell which.
//
// Place    After ByTrips, ahead of ByPrecedence. Only between clocks that were never set.
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Looks at a quarter of WholeMatches::most_looks neighbours at most. Memory: 32 bytes for each message of
//          these pairs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "matching/lost/whole_matches.hpp"

namespace clc::matching {

class LooseChannels {
 public:
  explicit LooseChannels(WholeMatches& matches);
  void shift();

 private:
  using Way = std::pair<ProcessIndex, ProcessIndex>;  // from the sender to the receiver
  using Pairs = std::vector<WholePair>;
  /// Of messages, in order: the time of one end, and of the other one.
  using Times = std::vector<std::array<Time, 2>>;
  struct Channel {
    std::uint32_t number = 0;
    std::array<std::vector<WholeEnd>, 2> ends;  // sends, receives
    Pairs pairs;

    [[nodiscard]] bool lacks_sends() const { return ends[0].size() < ends[1].size(); }
    [[nodiscard]] bool is_loose() const;
    /// None: there are not so many ends.
    [[nodiscard]] std::optional<Channel> shifted(std::int64_t by) const;
  };

  /// What the clocks on the way round show of a channel, where they are known.
  struct Shown {
    std::vector<Ticks> off;     // how much larger the offset of the pair is
    std::vector<Ticks> delays;  // the smallest delays of its messages
  };

  [[nodiscard]] Channel channel(std::uint32_t number) const;
  void consider(const Way& way);
  [[nodiscard]] std::vector<ProcessIndex> way_round(const Way& way);
  [[nodiscard]] Times seen_by(std::size_t side, const Way& way, const Channel* shifted = nullptr) const;
  [[nodiscard]] const Times& seen_by_receiver(const Way& way);
  [[nodiscard]] const Times& seen_by_sender(const Way& way);
  [[nodiscard]] Shown shown(const Channel& channel, const std::vector<ProcessIndex>& round);

  WholeMatches& matches_;
  const MessageEnds& ends_;
  std::map<Way, std::vector<std::uint32_t>> channels_;
  std::map<Way, std::uint32_t> loose_;                    // how many
  std::map<ProcessIndex, std::set<ProcessIndex>> known_;  // neighbours
  std::map<Way, std::array<Times, 2>> seen_;              // as they are asked for
  std::vector<bool> was_reached_;                         // processes
  std::uint64_t looks_ = 0;                               // that are left
};

}  // namespace clc::matching
