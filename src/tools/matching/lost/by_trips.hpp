// Matches channels that lack ends once more, where messages the other way contradict: by round trips.
//
// Place    After each channel was matched by itself, ahead of ByPrecedence. Only between clocks that were never set.
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Looks at WholeMatches::most_looks ends at most.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "matching/lost/whole_matches.hpp"

namespace clc::matching {

class ByTrips {
 public:
  explicit ByTrips(WholeMatches& matches);
  void match();

 private:
  using Bounds = WholeMatches::Bounds;
  using Ends = std::vector<std::uint32_t>;
  /// Of the messages one way between two processes, each in the order of its process.
  struct Between {
    Ends sends;
    Ends receives;
  };

  void match_pair(const std::vector<std::uint32_t>& channels);
  [[nodiscard]] std::map<ProcessIndex, Between> matched_ends(const std::vector<std::uint32_t>& channels);
  [[nodiscard]] std::optional<Bounds> bounds(std::uint32_t channel, const Between& back) const;
  [[nodiscard]] Time earliest_receive(std::uint32_t send, const Ends& back) const;
  [[nodiscard]] Time latest_send(std::uint32_t receive, const Ends& back) const;
  [[nodiscard]] Ticks jump_of(const Ends& ends) const;
  [[nodiscard]] Ticks tick_of(const Ends& ends) const;

  WholeMatches& matches_;
  const MessageEnds& ends_;
  std::vector<Time> times_;  // of ends, as if clocks had not been set
  Ends receive_of_;          // of a send: between two processes
  std::uint64_t looks_ = 0;  // that are left
};

}  // namespace clc::matching
