// The channels of a process that lost sends or receives in a row: how --match whole of clc-filter matches them, found
// anew.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
#pragma once

#include <cstdint>
#include <vector>

#include "matching/lost/whole_channel.hpp"

namespace clc::matching {

/// A channel that lacks ends on the side of the process, where turns are known.
struct WholeView {
  std::uint32_t channel = 0;
  std::vector<std::uint32_t> nths;  ///< of the ends of the process
  std::vector<WholeEnd> own;
  std::vector<WholeEnd> others;
  WholeRules rules;
  WholeMatch match;  ///< first: of its own ends
};

/// Does nothing to a process with one view or more than eight.
void match_whole_process(std::vector<WholeView>& views);

}  // namespace clc::matching
