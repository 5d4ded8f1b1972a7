// Lost records: how the ends of a channel can be matched by what happened before what.
//
//     const auto before = receives_before(sends, receives, order.ends_before(receiver)[sender]);
//     match(fewer, more, unlike, clocks, ranges(before, receives.size()))   // a channel that is steady
//     first_possible(before, receives.size())                                // one that is not
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: no receive that happened before a send belongs to it.
// Cost      Time and memory proportional to the ends of the channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lost/rule.hpp"
#include "lost/steps.hpp"

namespace clc::lost {

/// Of each send of a channel: how many of its receives happened before. ends: of each end of the sender, how many of
/// those of the receiver did, see Order::ends_before.
[[nodiscard]] std::vector<std::uint32_t> receives_before(std::span<const Placed> sends,
                                                         std::span<const Placed> receives,
                                                         std::span<const std::uint32_t> ends);
/// For match(): of the ends of the side that has fewer; of the sends, if there are as many receives.
[[nodiscard]] std::vector<Range> ranges(std::span<const std::uint32_t> before, std::size_t receives);
/// Each send belongs to the first receive that can; the sends have partners.
[[nodiscard]] Matched first_possible(std::span<const std::uint32_t> before, std::size_t receives);

}  // namespace clc::lost
