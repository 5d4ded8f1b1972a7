// What messages say about the difference of two clocks, for pairs of processes.
//
// Memory   A course of fixed size for each of the first pairs that exchange messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/hash.hpp"
#include "view/model/edges_drawn.hpp"
#include "view/model/shown.hpp"
#include "view/model/time_grid.hpp"

namespace clc::view {

/// What messages say about the clock of second minus the clock of first [R fig. 7.1]: it is at most the smallest
/// (received - sent) of those from first to second, and at least minus the smallest of those back.
struct Corridor {
  struct Bounds {
    Both<Ticks> forth{ticks_max, ticks_max};
    Both<Ticks> back{ticks_max, ticks_max};
    void merge(const Bounds& other) noexcept;
  };
  static constexpr std::size_t columns = 96;
  ProcessIndex first = 0;
  ProcessIndex second = 0;
  std::uint64_t messages = 0;
  std::uint64_t backward = 0;  ///< as recorded
  Bounds all;
  TimeGrid<Bounds> course{1, columns};  ///< by the time of the receive; of messages received in the window
};

class Corridors {
 public:
  static constexpr std::size_t most = 512;

  /// A message with an end that is shown.
  void add(const Arrow& arrow, const Shown& shown);
  /// Those with the most backward messages first, then by number of messages.
  [[nodiscard]] std::vector<const Corridor*> in_order() const;
  [[nodiscard]] bool all() const noexcept { return all_; }

 private:
  std::vector<Corridor> pairs_;
  HashMap<std::uint64_t, std::uint32_t> index_;
  bool all_ = true;
};

}  // namespace clc::view
