// Divides the locations of a trace among processes that work on it together.
//
// Place    Between those that know the locations (formats) and those that know who sends messages to whom matters
//          (`ranks/division.hpp`).
// Shapes   A block is a group of locations that stay together.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace clc {

/// Messages from a block to another one, or to itself.
struct Traffic {
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint64_t messages = 0;  ///< in any unit, the same for all
};

/// The part of each block: each part has a run of blocks with about as many events as the others. events: of each
/// block. Parts without a block are possible.
[[nodiscard]] std::vector<unsigned> divided_in_order(const std::vector<std::uint64_t>& events, unsigned parts);

/// The part of each block, by who sends messages to whom: (events of each block, traffic, parts). Traffic may name the
/// same two blocks more than once.
using DivideByTraffic =
    std::function<std::vector<unsigned>(const std::vector<std::uint64_t>&, const std::vector<Traffic>&, unsigned)>;

}  // namespace clc
