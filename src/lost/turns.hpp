// Lost records: which ends are missing, to judge by the order of the ends of a process.
//
//     Turns turns(channels, processes);
//     turns.count(c, side)   // of each end of that side; empty: not known
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: the ends of two channels that take turns in a process
//           still do so when its clock is set, but not where a record is lost.
// Cost      Of all channels, to their ends; memory: 8 bytes for each end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lost/steps.hpp"

namespace clc::lost {

class Turns {
 public:
  /// All channels, in whatever order their messages are received. What they refer to must outlive this.
  Turns(std::vector<Sides> channels, std::size_t processes);

  /// Of each end of a side, in order: the first one has turn 1, the next one a turn more for each end that is missing
  /// ahead of it.
  [[nodiscard]] std::vector<std::uint32_t> count(std::size_t channel, std::size_t side) const {
    return count(channel, side, [](std::size_t) { return true; });
  }
  /// The same, by the ends of some channels only.
  [[nodiscard]] std::vector<std::uint32_t> count(std::size_t channel, std::size_t side,
                                                 const std::function<bool(std::size_t)>& counts) const;

 private:
  using Side = std::uint32_t;  // of a channel, twice its number, or one more: that of the receives
  static constexpr Side none = ~Side{0};

  [[nodiscard]] std::span<const Placed> ends_of(Side side) const { return channels_[side / 2].ends[side % 2]; }
  /// Of a process, in order.
  void find_neighbours(const std::vector<Side>& ends, std::vector<std::uint32_t>& votes);
  [[nodiscard]] std::vector<std::uint32_t> ends_between(Side side, Side neighbour) const;

  std::vector<Sides> channels_;
  std::array<std::vector<Side>, 2> neighbours_;  // of sides: those whose ends come right before most of theirs, behind
};

}  // namespace clc::lost
