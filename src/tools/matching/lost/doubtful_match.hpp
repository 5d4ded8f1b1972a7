// What the times of a channel from a match in doubt on tell of its lost ends.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "clc/time.hpp"
#include "matching/lost/channel_floor.hpp"

namespace clc::matching {

/// From a match in doubt on.
struct DoubtfulMatch {
  static constexpr std::size_t most_ends = 272;  ///< of a channel that are looked at, each
  static constexpr std::size_t spare = 8;        ///< matches at the end whose ends may not have been seen yet

  Doubt why = Doubt::none;
  ChannelFloor floor;
  Ticks around = 0;      ///< FloorRule::around
  bool backlog = false;  ///< receives are missing, if something is
  std::vector<Time> sent;
  std::vector<Time> received;

  [[nodiscard]] std::size_t matches() const noexcept { return std::min(sent.size(), received.size()); }
  /// The clocks go on: without how many ends are the delays at the floor again? 0: nothing is lost; no value: not known
  /// yet.
  [[nodiscard]] std::optional<std::size_t> by_floor() const;
  /// Without how many ends are successive delays most alike, and much more so than with all? 0: there is no such
  /// number.
  [[nodiscard]] std::size_t by_spread() const;

 private:
  /// Without ends ahead of these: do delays come back to the floor?
  [[nodiscard]] bool fits(std::size_t first_send, std::size_t first_receive, std::size_t width) const;
  /// How much successive delays differ, in all, less a quarter of them.
  [[nodiscard]] Ticks apart(std::size_t first_send, std::size_t first_receive, std::size_t width) const;
};

}  // namespace clc::matching
