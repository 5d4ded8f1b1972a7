// By turns: the order of the sends and receives of a process tells which are missing, as far as --match whole of
// clc-filter needs to know, found anew.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Memory   60 bytes for each send and receive.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "clc/indexes.hpp"

namespace clc::matching {

class Turns {
 public:
  using Side = std::uint32_t;  ///< of a channel

  /// nth: of the sends and receives of the process, in order.
  void add(ProcessIndex process, std::uint32_t nth, Side side);
  /// All were added. Of the ends of a side, by other sides that may count them; none: unknown.
  [[nodiscard]] std::vector<std::uint32_t> of(
      Side side, const std::function<bool(Side)>& may_count = [](Side) { return true; }) const;

 private:
  struct OfSide {
    ProcessIndex process = 0;
    std::vector<std::uint32_t> places;
  };
  /// The other side that has the end right before, or behind, more than half of its ends.
  [[nodiscard]] std::optional<Side> neighbour(Side side, bool behind) const;
  /// Of another side, for each end but the first: its ends since the one before.
  [[nodiscard]] static std::vector<std::uint32_t> since(const OfSide& own, const OfSide& other);

  std::map<Side, OfSide> sides_;
  std::map<ProcessIndex, std::map<std::uint32_t, Side>> orders_;
};

}  // namespace clc::matching
