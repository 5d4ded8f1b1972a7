// Matches channels that lack ends once more, where answers tell that fewer are missing.
//
// Place    After each channel was matched by itself, ahead of ByTrips.
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
#pragma once

#include <cstdint>
#include <vector>

#include "matching/lost/whole_matches.hpp"

namespace clc::matching {

class ByAnswers {
 public:
  explicit ByAnswers(WholeMatches& matches) : matches_(matches), channels_(matches.ends().channels) {}
  void match();

 private:
  using Channels = std::vector<MessageEnds::Channel>;

  [[nodiscard]] std::vector<std::uint32_t> answered(std::uint32_t channel) const;
  [[nodiscard]] bool contradict(std::uint32_t channel, const std::vector<std::uint32_t>& turns) const;
  [[nodiscard]] bool is_complete_at(ProcessIndex process, std::uint32_t channel) const;

  WholeMatches& matches_;
  const Channels& channels_;
};

}  // namespace clc::matching
