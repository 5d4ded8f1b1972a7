// Groups of clocks that observations connect. Offsets are relative within a group.
#pragma once

#include <cstdint>
#include <vector>

#include "sync/observations.hpp"

namespace clc::sync {

struct Groups {
  static constexpr std::uint32_t none = 0xffff'ffff;
  std::vector<std::uint32_t> of;    ///< of each clock: its group; none: no observation
  std::vector<ClockIndex> first;    ///< of each group: its first clock
  std::vector<std::uint32_t> size;  ///< of each group: clocks that count for its mean
  std::size_t counting = 0;         ///< so many of the first clocks do
};

/// clocks: that take part; the mean of a group is that of the first `counting` ones, of which it has one at least.
[[nodiscard]] Groups groups_of(const std::vector<Pair>& pairs, std::size_t clocks, std::size_t counting);
[[nodiscard]] inline Groups groups_of(const std::vector<Pair>& pairs, std::size_t clocks) {
  return groups_of(pairs, clocks, clocks);
}

/// Subtracts from each value the mean of its group; values of clocks without group do not change.
void centre(std::vector<double>& values, const Groups& groups);

}  // namespace clc::sync
