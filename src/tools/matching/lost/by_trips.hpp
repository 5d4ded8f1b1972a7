// Matches channels that lack sends once more, where messages the other way contradict: by round trips.
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

  void match_pair(const std::vector<std::uint32_t>& channels);
  [[nodiscard]] std::map<ProcessIndex, Ends> matched_receives(const std::vector<std::uint32_t>& channels) const;
  [[nodiscard]] std::optional<Bounds> bounds(std::uint32_t channel, const Ends& back) const;
  [[nodiscard]] Time earliest_receive(std::uint32_t send, const Ends& back) const;
  [[nodiscard]] Ticks half_of_usual(const Ends& ends) const;
  [[nodiscard]] Ticks tick_of(const Ends& ends) const;

  WholeMatches& matches_;
  const MessageEnds& ends_;
  std::vector<Time> times_;  // of ends, as if clocks had not been set
  std::uint64_t looks_ = 0;  // that are left
};

}  // namespace clc::matching
