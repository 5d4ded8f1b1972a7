// Divides blocks of locations among ranks so that few messages are sent between them.
//
// Purpose  A message between two ranks costs both of them time, and each may have to wait for the other.
// Place    Before the replay, whose results do not depend on who has what.
// Method   Scotch: recursive bisection on several levels [Pellegrini, Roman, HPCN 1996]. Its division is taken if it
//          leaves at most half as many messages between ranks as runs of blocks in order do, and no rank has more than
//          a twentieth more events than the largest of these. In programs whose neighbours have neighbouring numbers
//          runs are good, and fewer ranks are neighbours of each.
// Assumes  Collective operations cost the same however members are divided: they are sent along trees of ranks.
// Cost     O(blocks + traffic) memory, and as much time for each doubling of the ranks: 65,536 blocks with four
//          neighbours each take 0.2 s and 40 MB for 64 ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/division.hpp"

namespace clc::ranks {

/// True: built with Scotch. Otherwise traffic makes no difference.
[[nodiscard]] bool can_divide_by_traffic() noexcept;
/// See DivideByTraffic. The same for the same arguments.
[[nodiscard]] std::vector<unsigned> divided_by_traffic(const std::vector<std::uint64_t>& events,
                                                       const std::vector<Traffic>& traffic, unsigned ranks);

}  // namespace clc::ranks
